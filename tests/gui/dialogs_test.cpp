// Dialogs, models and colours on their own: no run, no thread.
#include "ui/dialogs.h"

#include <cmath>

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>

#include "ui/failure_panel.h"
#include "ui/gate_table.h"
#include "ui/journal_view.h"
#include "ui/obstacle_list.h"
#include "ui/status_look.h"
#include "ui/theme.h"

using namespace tidemark;
using namespace tidemark::ui;

namespace {

runbook::Action sweepAction() {
  runbook::Action action;
  action.id = "sweep";
  action.title = "Mark 80 rows of orders as deleted";
  action.statement = "UPDATE orders SET is_deleted = true";
  action.rows = 80;
  action.rowsExact = true;
  action.writes = true;
  action.confirmation = "Orders & lines";
  return action;
}

runbook::Gate gate(const std::string& id, runbook::GateResult result, const std::string& hint) {
  runbook::Gate made;
  made.id = id;
  made.title = "Gate " + id;
  made.result = result;
  made.measured = "7";
  made.unit = "rows";
  made.limit = "10";
  made.source = "catalogue";
  made.measuredAt = "2026-03-01T09:15:00.125Z";
  made.hint = hint;
  return made;
}

runbook::JournalEntry entry(std::int64_t sequence) {
  runbook::JournalEntry made;
  made.sequence = sequence;
  made.time = "2026-03-01T09:15:00.125Z";
  made.kind = "gates_measured";
  made.payload = "{\"step\":1}";
  made.hash = std::string(64, 'a');
  return made;
}

double luminance(const QColor& colour) {
  const auto linear = [](double part) {
    return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor& one, const QColor& other) {
  const double lighter = std::max(luminance(one), luminance(other));
  const double darker = std::min(luminance(one), luminance(other));
  return (lighter + 0.05) / (darker + 0.05);
}

template <class Widget>
Widget* child(QWidget& parent, const char* name) {
  return parent.findChild<Widget*>(name);
}

}  // namespace

class DialogsTest : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void buttonIsOffUntilTheTextMatches();
  void cancelIsTheDefaultAndEscapeCancels();
  void enterInTheFieldNeverConfirms();
  void buttonsSayWhatTheyDo();
  void dialogShowsStatementRowsAndTarget();
  void reasonIsAskedForWhereItIsNeeded();
  void shutDialogSaysWhy();
  void waiverNeedsReasonAndSecondPerson();
  void failureSaysWhatItMeansAndWhatToDo();
  void sameFailureAgainRaisesACounter();
  void journalModelHoldsTheModelContract();
  void journalModelKeepsEachEntryOnce();
  void gateTableShowsHintsOfShutGatesAndFits();
  void staleGateLooksStale();
  void obstacleLeadsToItsGate();
  void everyStateHasItsOwnShapeAndWord();
  void tonesStandOutInLightAndDark();
  void durationsAreNeverAmbiguous();
};

void DialogsTest::init() {
  QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support|QStandardPaths)"));
}

void DialogsTest::buttonIsOffUntilTheTextMatches() {
  ConfirmDialog dialog(actionConfirmation(sweepAction(), "orders on shop (demo)"));
  auto* accept = child<QPushButton>(dialog, "acceptButton");
  auto* field = child<QLineEdit>(dialog, "confirmTargetLineEdit");
  auto* why = child<QLabel>(dialog, "whyLabel");
  QVERIFY(!accept->isEnabled());
  QVERIFY(!why->text().isEmpty());
  field->setText("orders & lines");
  QVERIFY(!accept->isEnabled());
  field->setText("Orders & line");
  QVERIFY(!accept->isEnabled());
  field->setText("  Orders & lines ");
  QVERIFY(accept->isEnabled());
  QVERIFY(why->text().isEmpty());
  field->setText("Orders & lines!");
  QVERIFY(!accept->isEnabled());
}

void DialogsTest::cancelIsTheDefaultAndEscapeCancels() {
  ConfirmDialog dialog(actionConfirmation(sweepAction(), "orders"));
  QVERIFY(child<QPushButton>(dialog, "cancelButton")->isDefault());
  QVERIFY(!child<QPushButton>(dialog, "acceptButton")->isDefault());
  dialog.show();
  child<QLineEdit>(dialog, "confirmTargetLineEdit")->setText("Orders & lines");
  QTest::keyClick(&dialog, Qt::Key_Escape);
  QVERIFY(!dialog.isVisible());
  QCOMPARE(dialog.result(), static_cast<int>(QDialog::Rejected));
}

void DialogsTest::enterInTheFieldNeverConfirms() {
  ConfirmDialog dialog(actionConfirmation(sweepAction(), "orders"));
  dialog.show();
  auto* field = child<QLineEdit>(dialog, "confirmTargetLineEdit");
  field->setFocus();
  field->setText("Orders & lin");
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(dialog.result() != QDialog::Accepted);
}

void DialogsTest::buttonsSayWhatTheyDo() {
  const QRegularExpression empty("^&?(ok|yes|no|continue|apply)$", QRegularExpression::CaseInsensitiveOption);
  for (const auto& asked : {actionConfirmation(sweepAction(), "orders"), armConfirmation("orders"),
                            reopenConfirmation(4, "Log still there"), undoConfirmation("orders", "orders", 80, {}),
                            abandonConfirmation("orders", "orders"), closeConfirmation()}) {
    ConfirmDialog dialog(asked);
    const auto buttons = dialog.findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 2);
    for (const auto* button : buttons) QVERIFY2(!empty.match(button->text()).hasMatch(), qPrintable(button->text()));
    for (const auto* label : dialog.findChildren<QLabel*>()) QVERIFY(!label->text().contains("Are you sure"));
    QVERIFY(!dialog.windowTitle().isEmpty());
  }
  QCOMPARE(actionConfirmation(sweepAction(), "orders").accept, QString("Mark 80 rows of orders as deleted"));
}

void DialogsTest::dialogShowsStatementRowsAndTarget() {
  ConfirmDialog dialog(actionConfirmation(sweepAction(), "orders on shop (PRODUCTION)"));
  QCOMPARE(child<QPlainTextEdit>(dialog, "statementView")->toPlainText(),
           QString("UPDATE orders SET is_deleted = true"));
  QStringList words;
  for (const auto* label : dialog.findChildren<QLabel*>()) words << label->text();
  QVERIFY(words.contains("Rows: exactly 80"));
  QVERIFY(words.contains("On: orders on shop (PRODUCTION)"));
}

void DialogsTest::reasonIsAskedForWhereItIsNeeded() {
  ConfirmDialog dialog(abandonConfirmation("orders", "orders"));
  auto* accept = child<QPushButton>(dialog, "acceptButton");
  child<QLineEdit>(dialog, "confirmTargetLineEdit")->setText("orders");
  QVERIFY(!accept->isEnabled());
  child<QLineEdit>(dialog, "reasonLineEdit")->setText("   ");
  QVERIFY(!accept->isEnabled());
  child<QLineEdit>(dialog, "reasonLineEdit")->setText("wrong table");
  QVERIFY(accept->isEnabled());
  QCOMPARE(dialog.reason(), std::string("wrong table"));
}

void DialogsTest::shutDialogSaysWhy() {
  ConfirmDialog dialog(undoConfirmation("orders", "orders", 80, "The run is not armed."));
  child<QLineEdit>(dialog, "confirmTargetLineEdit")->setText("orders");
  QVERIFY(!child<QPushButton>(dialog, "acceptButton")->isEnabled());
  QCOMPARE(child<QLabel>(dialog, "whyLabel")->text(), QString("The run is not armed."));
}

void DialogsTest::waiverNeedsReasonAndSecondPerson() {
  WaiverDialog dialog(gate("cap", runbook::GateResult::Warn, "Look at it."));
  auto* accept = child<QPushButton>(dialog, "acceptButton");
  QVERIFY(!accept->isEnabled());
  child<QLineEdit>(dialog, "waiverReasonLineEdit")->setText("known");
  QVERIFY(!accept->isEnabled());
  child<QLineEdit>(dialog, "waiverSecondLineEdit")->setText("M. Curie");
  QVERIFY(accept->isEnabled());
}

void DialogsTest::failureSaysWhatItMeansAndWhatToDo() {
  FailurePanel panel;
  panel.show({3, "sink.gone", "The sink went away.", "Start it again.", "server closed the connection",
              FailureReach::Interrupted});
  QCOMPARE(child<QLabel>(panel, "failureMessage")->text(), QString("The sink went away."));
  QVERIFY(child<QLabel>(panel, "failureMeaning")->text().contains("committed before stays"));
  QVERIFY(child<QLabel>(panel, "failureHint")->text().contains("Start it again."));
  auto* details = child<QPlainTextEdit>(panel, "failureDetails");
  QVERIFY(details->isHidden());
  child<QPushButton>(panel, "failureDetailsButton")->click();
  QVERIFY(!details->isHidden());
  QVERIFY(details->toPlainText().contains("server closed the connection"));
  QVERIFY(details->toPlainText().contains("sink.gone"));
  panel.show({3, "x", "Answer lost.", {}, {}, FailureReach::InDoubt});
  QVERIFY(child<QLabel>(panel, "failureMessage")->text().startsWith("In doubt"));
}

void DialogsTest::sameFailureAgainRaisesACounter() {
  FailurePanel panel;
  const Failure failure{3, "sink.gone", "The sink went away.", {}, {}, FailureReach::NothingDone};
  panel.show(failure);
  panel.show(failure);
  panel.show(failure);
  QVERIFY(child<QLabel>(panel, "failureMessage")->text().contains("3 times"));
  panel.clear();
  panel.show(failure);
  QCOMPARE(child<QLabel>(panel, "failureMessage")->text(), QString("The sink went away."));
}

void DialogsTest::journalModelHoldsTheModelContract() {
  JournalModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  for (std::int64_t i = 1; i <= 20; ++i) model.add(entry(i));
  QCOMPARE(model.rowCount(), 20);
  model.clear();
  QCOMPARE(model.rowCount(), 0);
  model.add(entry(1));
  QCOMPARE(model.data(model.index(0, 1), Qt::DisplayRole).toString(), QString("2026-03-01 09:15:00 UTC"));
}

void DialogsTest::journalModelKeepsEachEntryOnce() {
  JournalModel model;
  for (const std::int64_t sequence : {1, 2, 1, 2, 3}) model.add(entry(sequence));
  QCOMPARE(model.rowCount(), 3);
}

void DialogsTest::gateTableShowsHintsOfShutGatesAndFits() {
  GateTable table;
  table.resize(700, 100);
  const QString hint = QString("Do this first. ").repeated(20);
  table.show({gate("open", runbook::GateResult::Pass, "not shown"),
              gate("shut", runbook::GateResult::Fail, hint.toStdString())},
             true);
  table.QWidget::show();
  QCOMPARE(table.rowCount(), 3);
  QCOMPARE(table.item(2, 1)->text(), hint);
  QVERIFY(table.rowHeight(2) > 2 * table.fontMetrics().lineSpacing());
  int width = 0;
  int height = table.horizontalHeader()->height();
  for (int column = 0; column < table.columnCount(); ++column) width += table.columnWidth(column);
  for (int row = 0; row < table.rowCount(); ++row) height += table.rowHeight(row);
  QVERIFY(width <= table.viewport()->width());
  QVERIFY(height <= table.height());
  QVERIFY(table.reveal("shut"));
  QCOMPARE(table.currentRow(), 1);
  QVERIFY(!table.reveal("unknown"));
}

void DialogsTest::staleGateLooksStale() {
  GateTable table;
  auto old = gate("old", runbook::GateResult::Pass, {});
  old.validForSeconds = 60;
  table.show({old}, true);
  QCOMPARE(table.item(0, 0)->text(), lookOf(runbook::GateResult::Stale, table.palette()).word);
}

void DialogsTest::obstacleLeadsToItsGate() {
  ObstacleList list;
  list.show({{"Answer <this> & that", {}, "reason", {}}, {"Gate shut", "sink.key", {}, {}}});
  std::string led;
  connect(&list, &ObstacleList::chosen, &list, [&](const runbook::Obstacle& obstacle) { led = obstacle.gate; });
  auto* links = child<QLabel>(list, "obstaclesLabel");
  QVERIFY(links->text().contains("Answer &lt;this&gt; &amp; that"));
  emit links->linkActivated("1");
  QCOMPARE(led, std::string("sink.key"));
  QVERIFY(reasonLink({}).isEmpty());
}

void DialogsTest::everyStateHasItsOwnShapeAndWord() {
  const QPalette palette = paletteOf(Theme::Light, {});
  QSet<QString> words;
  std::vector<QImage> shapes;
  const auto grey = [](const QIcon& icon) { return icon.pixmap(48).toImage().convertToFormat(QImage::Format_Alpha8); };
  using runbook::GateResult;
  for (const auto result : {GateResult::Pass, GateResult::Warn, GateResult::Fail, GateResult::Unknown,
                            GateResult::Stale, GateResult::DoesNotApply}) {
    const StatusLook look = lookOf(result, palette);
    words << look.word;
    const QImage shape = grey(look.icon);
    for (const QImage& other : shapes) QVERIFY(shape != other);
    shapes.push_back(shape);
  }
  QCOMPARE(words.size(), 6);
}

void DialogsTest::tonesStandOutInLightAndDark() {
  constexpr double kReadable = 4.5;
  for (const auto theme : {Theme::Light, Theme::Dark}) {
    const QPalette palette = paletteOf(theme, {});
    for (const auto ground : {QPalette::Window, QPalette::Base, QPalette::AlternateBase}) {
      for (const auto tone : {Tone::Calm, Tone::Good, Tone::Warning, Tone::Bad}) {
        QVERIFY(contrast(toneColour(tone, palette), palette.color(ground)) >= kReadable);
      }
      QVERIFY(contrast(palette.color(QPalette::Link), palette.color(ground)) >= kReadable);
    }
    QVERIFY(contrast(palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight)) >= kReadable);
    QVERIFY(contrast(palette.color(QPalette::Disabled, QPalette::ButtonText), palette.color(QPalette::Button)) >= 3.0);
  }
}

void DialogsTest::durationsAreNeverAmbiguous() {
  QCOMPARE(durationText(42), QString("42 s"));
  QCOMPARE(durationText(62), QString("1 min 02 s"));
  QCOMPARE(durationText(3900), QString("1 h 05 min"));
}

QTEST_MAIN(DialogsTest)
#include "dialogs_test.moc"

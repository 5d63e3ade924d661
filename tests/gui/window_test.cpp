// How the window behaves around a run: servers that hang or fail, pausing, arming, undoing, keyboard and screen
// readers.
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>

#include "tests/gui/hooked_environment.h"
#include "tests/gui/window_walk.h"
#include "tests/support/temporary_folder.h"
#include "ui/status_look.h"

using namespace tidemark;
using namespace tidemark::test;

namespace {

constexpr int kAll = runbook::kSteps + 1;

/// An environment that neither hangs nor fails.
ui::RunController::EnvironmentFactory quickly() {
  return [] { return makeHookedEnvironment(std::make_shared<Hooks>()); };
}

QString label(GuiRun& gui, const QString& name) {
  auto* found = gui.find<QLabel>(name);
  return found == nullptr ? QString() : found->text();
}

void trigger(GuiRun& gui, const char* action) {
  auto* found = gui.window().findChild<QAction*>(action);
  if (found == nullptr || !found->isEnabled()) throw std::runtime_error(std::string(action) + " is missing or off");
  found->trigger();
}

/// Presses an action's button and, where a dialog comes first, the dialog's.
void perform(GuiRun& gui, const QString& action) {
  gui.press("perform_" + action);
  if (gui.openDialog() != nullptr) gui.press("acceptButton");
  gui.waitIdle();
}

bool interactive(QAccessible::Role role) {
  switch (role) {
    case QAccessible::PushButton:
    case QAccessible::CheckBox:
    case QAccessible::RadioButton:
    case QAccessible::ComboBox:
    case QAccessible::EditableText:
    case QAccessible::List:
    case QAccessible::Table:
    case QAccessible::Tree:
    case QAccessible::ProgressBar:
    case QAccessible::MenuItem:
      return true;
    default:
      return false;
  }
}

void collectNameless(QAccessibleInterface* node, QStringList& nameless) {
  if (node == nullptr || node->state().invisible) return;
  if (interactive(node->role()) && node->text(QAccessible::Name).isEmpty()) {
    // The scroll bars and corners of a view bear no object name and are not reached by keyboard.
    const auto* object = node->object();
    if (object != nullptr && !object->objectName().startsWith("qt_")) nameless << object->objectName();
  }
  for (int i = 0; i < node->childCount(); ++i) collectNameless(node->child(i), nameless);
}

QStringList nameless(QWidget& window) {
  QStringList result;
  collectNameless(QAccessible::queryAccessibleInterface(&window), result);
  return result;
}

/// Widgets that Tab must reach.
QSet<QWidget*> tabStops(QWidget& window) {
  QSet<QWidget*> stops;
  for (auto* each : window.findChildren<QWidget*>()) {
    const bool focusable = (each->focusPolicy() & Qt::TabFocus) != 0 && each->focusProxy() == nullptr;
    if (focusable && each->isVisible() && each->isEnabled() && each->window() == &window) stops << each;
  }
  return stops;
}

QStringList notReachedByTab(QWidget& window) {
  QSet<QWidget*> left = tabStops(window);
  if (left.isEmpty()) return {};
  (*left.begin())->setFocus(Qt::TabFocusReason);
  // A label with links keeps the focus for each of its links, so one stop may take several presses.
  const qsizetype presses = 10 * left.size();
  for (qsizetype i = 0; i < presses && window.focusWidget() != nullptr; ++i) {
    left.remove(window.focusWidget());
    QTest::keyClick(window.focusWidget(), Qt::Key_Tab);
  }
  QStringList names;
  for (const auto* each : left) names << each->metaObject()->className() + QString(" ") + each->objectName();
  return names;
}

QStringList doubledMnemonics(QMainWindow& window) {
  QMap<QString, QStringList> users;
  const auto add = [&](const QString& text) {
    const QString key = QKeySequence::mnemonic(text).toString();
    if (!key.isEmpty()) users[key] << text;
  };
  for (const auto* action : window.menuBar()->actions()) add(action->text());
  for (const auto* button : window.findChildren<QAbstractButton*>()) {
    if (button->isVisible()) add(button->text());
  }
  for (const auto* each : window.findChildren<QLabel*>()) {
    if (each->isVisible() && each->buddy() != nullptr) add(each->text());
  }
  QStringList doubled;
  for (const auto& texts : users) {
    if (texts.size() > 1) doubled << texts.join(" / ");
  }
  return doubled;
}

/// Words that have less room than they need.
QStringList clipped(QWidget& window) {
  QStringList names;
  for (const auto* each : window.findChildren<QLabel*>()) {
    if (!each->isVisible() || each->text().isEmpty()) continue;
    const int needed = each->wordWrap() ? each->heightForWidth(each->width()) : each->sizeHint().height();
    const bool narrow = !each->wordWrap() && each->width() < each->sizeHint().width();
    if (each->height() < needed || narrow) names << each->objectName() + ": " + each->text().left(40);
  }
  for (const auto* each : window.findChildren<QPushButton*>()) {
    const int words = each->fontMetrics().horizontalAdvance(QString(each->text()).remove('&'));
    if (each->isVisible() && (each->width() < words || each->height() < each->fontMetrics().height())) {
      names << each->objectName() + ": " + each->text();
    }
  }
  return names;
}

}  // namespace

class WindowTest : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void windowLivesWhileTheSourceHangs();
  void pagesCanBeReadWhileAStepHangs();
  void pauseResumeAndStopAnswerAtOnceDuringALoad();
  void armingLapsesWhenTheRunIsOpenedAgain();
  void dryRunCannotBeArmed();
  void escapeAndWrongTextWriteNothing();
  void failingActionStandsAtItsStep();
  void failureBeforeARunStandsOnTheStartPage();
  void heldRunIsNamedWithItsHolder();
  void sweepIsUndoneFromTheMenu();
  void finishedStepIsOpenedAgain();
  void runIsAbandonedFromTheMenu();
  void reportIsSavedThroughItsDialog();
  void keyboardDoesTheNextThing();
  void reasonLeadsToWhatItHangsOn();
  void helpFollowsTheStep();
  void everythingHasANameAndAPlaceInTheTabChain();
  void nothingIsCutOffInSmallWindowsAndLargeFonts();
};

void WindowTest::init() {
  QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support|QStandardPaths)"));
}

void WindowTest::windowLivesWhileTheSourceHangs() {
  const test::TemporaryFolder folder;
  const auto hooks = std::make_shared<Hooks>();
  GuiRun gui(folder.path(), [hooks] { return makeHookedEnvironment(hooks); });
  int beats = 0;
  QTimer heart;
  connect(&heart, &QTimer::timeout, &heart, [&] { ++beats; });
  hooks->hang();
  gui.press("demoButton");
  gui.waitFor([&] { return hooks->holding(); }, "the source is not opened");
  heart.start(1);
  gui.waitFor([&] { return beats >= 200; }, "the window stands still while the source hangs");
  QVERIFY(hooks->holding());
  QVERIFY(!gui.find("demoButton")->isEnabled());
  QVERIFY(!label(gui, "startReason").isEmpty() || gui.find("openRunButton") == nullptr);
  gui.press("stopButton");
  QVERIFY(label(gui, "workLabel").startsWith("Stopping"));
  QVERIFY(hooks->holding());
  hooks->release();
  gui.waitIdle();
  QCOMPARE(gui.view().state.currentStep(), 1);
}

void WindowTest::pagesCanBeReadWhileAStepHangs() {
  const test::TemporaryFolder folder;
  const auto hooks = std::make_shared<Hooks>();
  GuiRun gui(folder.path(), [hooks] { return makeHookedEnvironment(hooks); });
  QCOMPARE(problemOf([&] {
             gui.click("demoButton");
             WindowWalk(gui).until(3);
             gui.click("measureButton");
             hooks->hang();
             gui.press("perform_rehearse");
             if (gui.openDialog() != nullptr) gui.press("acceptButton");
             gui.waitFor([&] { return hooks->holding(); }, "the rehearsal does not begin");
             gui.find<QListWidget>("stepList")->setCurrentRow(0);
           }),
           QString());
  QVERIFY(label(gui, "stepTitle").contains("Reason and scope"));
  QVERIFY(hooks->holding());
  QVERIFY(!gui.find("armButton") || !gui.find("armButton")->isEnabled());
  hooks->release();
  gui.waitIdle();
  QVERIFY(label(gui, "stepTitle").contains("Reason and scope"));
}

void WindowTest::pauseResumeAndStopAnswerAtOnceDuringALoad() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  const auto words = [&] { return label(gui, "workLabel"); };
  QCOMPARE(problemOf([&] {
             gui.click("demoButton");
             WindowWalk(gui).until(8);
             gui.click("measureButton");
             gui.answer("batch_rows", "50");
             gui.answer("rows_per_second", "500");
             gui.answer("who_may_pause", "on call");
             gui.click("measureButton");
             gui.click("finishButton");
             gui.click("measureButton");
             gui.press("perform_load");
             gui.press("acceptButton");
             gui.waitFor([&] { return words().contains(" of "); }, "the load shows no progress");
             gui.press("pauseButton");
           }),
           QString());
  QVERIFY(words().startsWith("Pausing"));
  QVERIFY(!gui.find("pauseButton")->isEnabled());
  gui.waitFor([&] { return words().contains("Paused: by the operator"); }, "the load does not pause");
  const QPoint place = gui.find("stopButton")->mapTo(&gui.window(), QPoint());
  gui.press("resumeButton");
  gui.waitFor([&] { return words().contains(" of ") && !words().contains("Paused"); }, "the load does not go on");
  gui.press("stopButton");
  QVERIFY(words().startsWith("Stopping"));
  QVERIFY(words().contains("stays"));
  gui.waitIdle();
  QCOMPARE(gui.find("stopButton")->mapTo(&gui.window(), QPoint()), place);
  QCOMPARE(gui.view().state.currentStep(), 9);
  QVERIFY(gui.view().state.step(9).status != runbook::StepStatus::Done);
  QCOMPARE(problemOf([&] { WindowWalk(gui).until(10); }), QString());
  QCOMPARE(gui.view().state.currentStep(), 10);
}

void WindowTest::armingLapsesWhenTheRunIsOpenedAgain() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  QCOMPARE(problemOf([&] {
             gui.click("demoButton");
             gui.press("armButton");
             gui.click("acceptButton");
           }),
           QString());
  QVERIFY(gui.view().banner.armed);
  QVERIFY(label(gui, "bannerMode").contains("Armed"));
  gui.restart();
  gui.find<QTableWidget>("runList")->selectRow(0);
  gui.click("openRunButton");
  QVERIFY(!gui.view().banner.armed);
  QVERIFY(label(gui, "bannerMode").contains("writes nothing"));
}

void WindowTest::dryRunCannotBeArmed() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  gui.press("dryRunBox");
  gui.click("demoButton");
  QVERIFY(label(gui, "bannerMode").contains("cannot be armed"));
  QVERIFY(gui.find("armButton") == nullptr);
  QCOMPARE(problemOf([&] { WindowWalk(gui).until(2); }), QString());
  gui.click("measureButton");
  QVERIFY(!gui.find("perform_certify")->isEnabled());
  QVERIFY(label(gui, "why_certify").contains("dry run"));
}

void WindowTest::escapeAndWrongTextWriteNothing() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  QCOMPARE(problemOf([&] {
             gui.click("demoButton");
             WindowWalk(gui).until(11);
             gui.click("measureButton");
             perform(gui, "preview");
             gui.press("perform_sweep");
           }),
           QString());
  QVERIFY(gui.openDialog() != nullptr);
  const auto entries = gui.view().state.lastEffect;
  gui.type("confirmTargetLineEdit", "Orders");
  QVERIFY(!gui.find("acceptButton")->isEnabled());
  QTest::keyClick(gui.openDialog(), Qt::Key_Escape);
  QVERIFY(gui.openDialog() == nullptr);
  gui.waitIdle();
  QCOMPARE(gui.view().state.lastEffect, entries);
}

void WindowTest::failingActionStandsAtItsStep() {
  const test::TemporaryFolder folder;
  const auto hooks = std::make_shared<Hooks>();
  GuiRun gui(folder.path(), [hooks] { return makeHookedEnvironment(hooks); });
  QCOMPARE(problemOf([&] {
             gui.click("demoButton");
             WindowWalk(gui).until(3);
             hooks->failRehearsal("The staging server does not answer.");
             gui.click("measureButton");
             perform(gui, "rehearse");
           }),
           QString());
  QCOMPARE(label(gui, "failureMessage"), QString("The staging server does not answer."));
  QVERIFY(label(gui, "failureMeaning").contains("What it means"));
  QVERIFY(label(gui, "failureHint").contains("Start the staging server."));
  gui.press("failureDetailsButton");
  QVERIFY(gui.find<QPlainTextEdit>("failureDetails")->toPlainText().contains("08006"));
  QCOMPARE(gui.view().state.currentStep(), 3);
  hooks->failRehearsal({});
  QCOMPARE(problemOf([&] { WindowWalk(gui).until(4); }), QString());
}

void WindowTest::failureBeforeARunStandsOnTheStartPage() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  gui.window().beginRun(folder / "no such profile.json");
  gui.waitIdle();
  QVERIFY(label(gui, "failureMessage").contains("no such profile.json"));
  QVERIFY(label(gui, "failureHint").contains("What to do"));
  QVERIFY(gui.find("demoButton")->isEnabled());
}

void WindowTest::heldRunIsNamedWithItsHolder() {
  const test::TemporaryFolder folder;
  GuiRun holder(folder.path(), quickly());
  holder.click("demoButton");
  const std::string run = holder.view().state.runId;
  GuiRun other(folder.path(), quickly());
  other.window().openRun(run);
  other.waitIdle();
  QVERIFY(other.failures() > 0);
  QVERIFY(label(other, "failureMessage").contains(QString::number(QCoreApplication::applicationPid())));
}

void WindowTest::sweepIsUndoneFromTheMenu() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  QCOMPARE(problemOf([&] {
             gui.click("demoButton");
             WindowWalk(gui).until(kAll);
             trigger(gui, "undoAction");
           }),
           QString());
  QVERIFY(label(gui, "whyLabel").contains("not armed"));
  gui.press("cancelButton");
  QCOMPARE(problemOf([&] {
             gui.press("armButton");
             gui.click("acceptButton");
             trigger(gui, "undoAction");
             gui.type("confirmTargetLineEdit", "orders");
             if (!gui.find<QPushButton>("acceptButton")->text().contains("8 rows")) {
               throw std::runtime_error("the button does not say how many rows");
             }
             gui.click("acceptButton");
           }),
           QString());
  QCOMPARE(gui.failures(), std::size_t{0});
  QVERIFY(gui.view().state.step(11).fact("undone").find("\"restored\":8") != std::string::npos ||
          gui.view().state.step(11).fact("undone").find("\"restored\": 8") != std::string::npos);
}

void WindowTest::finishedStepIsOpenedAgain() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  QCOMPARE(problemOf([&] {
             gui.click("demoButton");
             WindowWalk(gui).until(3);
             gui.find<QListWidget>("stepList")->setCurrentRow(1);
             gui.waitIdle();
             gui.press("reopenButton");
             gui.type("reasonLineEdit", "an index was added");
             gui.click("acceptButton");
           }),
           QString());
  QCOMPARE(gui.view().state.currentStep(), 2);
  QVERIFY(label(gui, "stepTitle").contains("Check the sink"));
}

void WindowTest::runIsAbandonedFromTheMenu() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  QCOMPARE(problemOf([&] {
             gui.click("demoButton");
             trigger(gui, "abandonAction");
             gui.type("reasonLineEdit", "wrong table");
             gui.type("confirmTargetLineEdit", "orders");
             gui.click("acceptButton");
           }),
           QString());
  QCOMPARE(gui.view().state.phase, runbook::RunPhase::Abandoned);
  QCOMPARE(label(gui, "noticeHeading"), QString("The run was abandoned"));
  QCOMPARE(problemOf([&] {
             trigger(gui, "closeRunAction");
             gui.waitIdle();
           }),
           QString());
  QCOMPARE(gui.window().windowTitle(), QString("Tidemark"));
  QVERIFY(gui.find<QTableWidget>("runList")->item(0, 4)->text().contains("abandoned"));
}

void WindowTest::reportIsSavedThroughItsDialog() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  gui.click("demoButton");
  const QString file = QString::fromStdString((folder / "report.json").string());
  QCOMPARE(problemOf([&] { trigger(gui, "reportAction"); }), QString());
  auto* dialog = qobject_cast<QFileDialog*>(gui.openDialog());
  QVERIFY(dialog != nullptr);
  dialog->selectFile(file);
  QMetaObject::invokeMethod(dialog, "accept");
  gui.waitIdle();
  QFile written(file);
  QVERIFY(written.open(QIODevice::ReadOnly));
  QVERIFY(written.readAll().contains(gui.view().state.runId.c_str()));
}

void WindowTest::keyboardDoesTheNextThing() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  gui.click("demoButton");
  QCOMPARE(problemOf([&] {
             trigger(gui, "primaryAction");
             gui.waitIdle();
           }),
           QString());
  QVERIFY(!gui.view().state.step(1).gates.empty());
  gui.answer("reason", "events_lost");
  QCOMPARE(problemOf([&] {
             trigger(gui, "primaryAction");
             gui.waitIdle();
           }),
           QString());
  QCOMPARE(gui.view().state.currentStep(), 2);
  QCOMPARE(gui.window().findChild<QAction*>("primaryAction")->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_Return));
  trigger(gui, "shortcutsAction");
  QVERIFY(gui.find<QTableWidget>("shortcutsTable")->rowCount() > 12);
}

void WindowTest::reasonLeadsToWhatItHangsOn() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  gui.click("demoButton");
  gui.click("measureButton");
  auto* reason = gui.find<QLabel>("reasonLabel");
  QVERIFY(reason->text().contains("Why is history put in again?"));
  QVERIFY(!gui.find("finishButton")->isEnabled());
  emit reason->linkActivated("0");
  QCOMPARE(gui.window().focusWidget(), gui.find("answer_reason"));
}

void WindowTest::helpFollowsTheStep() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  gui.click("demoButton");
  QCOMPARE(problemOf([&] { trigger(gui, "helpAction"); }), QString());
  QVERIFY(gui.find<QTextBrowser>("helpText")->toPlainText().contains("Reason and scope"));
  gui.find<QListWidget>("stepList")->setCurrentRow(10);
  gui.waitIdle();
  QVERIFY(gui.find<QTextBrowser>("helpText")->toPlainText().contains("Sweep"));
}

void WindowTest::everythingHasANameAndAPlaceInTheTabChain() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path(), quickly());
  const auto check = [&](const char* where) {
    const QStringList problems =
        nameless(gui.window()) + notReachedByTab(gui.window()) + doubledMnemonics(gui.window());
    QVERIFY2(problems.isEmpty(), qPrintable(QString(where) + ": " + problems.join("; ")));
  };
  check("start page");
  gui.click("demoButton");
  gui.click("measureButton");
  check("step 1");
  QCOMPARE(problemOf([&] { WindowWalk(gui).until(5); }), QString());
  gui.click("measureButton");
  check("step 5");
}

void WindowTest::nothingIsCutOffInSmallWindowsAndLargeFonts() {
  const test::TemporaryFolder folder;
  const QFont font = QApplication::font();
  GuiRun gui(folder.path(), quickly());
  gui.click("demoButton");
  gui.click("measureButton");
  // Layouts settle from the event loop.
  const auto settled = [&] {
    (void)QTest::qWaitFor([&] { return clipped(gui.window()).isEmpty(); }, 5000);
    return clipped(gui.window()).join("; ");
  };
  // 1280 x 720 at 125 %.
  gui.window().resize(1024, 576);
  QCOMPARE(settled(), QString());
  QCOMPARE(gui.window().size(), QSize(1024, 576));
  QFont large = font;
  large.setPointSize(20);
  QApplication::setFont(large);
  gui.window().resize(1280, 720);
  const QString cut = settled();
  const QSize size = gui.window().size();
  QApplication::setFont(font);
  QCOMPARE(cut, QString());
  QCOMPARE(size, QSize(1280, 720));
}

int main(int argc, char** argv) {
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  QApplication application(argc, argv);
  WindowTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "window_test.moc"

// A whole run in the real window, and runs that the window and tidemarkctl take from each other.
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTest>

#include "engine/core/error.h"
#include "tests/gui/window_walk.h"
#include "tests/support/temporary_folder.h"
#include "ui/status_look.h"

using namespace tidemark;
using namespace tidemark::test;

namespace {

constexpr int kPatience = 120000;
constexpr int kAll = runbook::kSteps + 1;

/// What an operator says to the demo, keyed as tidemarkctl reads it; steps after `last` are left out.
QString answersFile(const std::filesystem::path& folder, int last) {
  const QJsonObject all{
      {"1", QJsonObject{{"reason", "events_lost"}}},      {"3", QJsonObject{{"accepted_by", "A. Operator"}}},
      {"5", QJsonObject{{"way", "sql_reload"}}},          {"6", QJsonObject{{"method", "wait"}}},
      {"7", QJsonObject{{"accepted_by", "A. Operator"}}}, {"8", QJsonObject{{"who_may_pause", "on call"}}},
      {"11", QJsonObject{{"sweep", "orders"}}},           {"14", QJsonObject{{"accepted_by", "A. Operator"}}},
      {"15", QJsonObject{{"signed_by", "A. Operator"}}}};
  QJsonObject answers{{"arm", true}};
  for (auto each = all.begin(); each != all.end(); ++each) {
    if (each.key().toInt() <= last) answers[each.key()] = each.value();
  }
  const QString file = QString::fromStdString((folder / "answers.json").string());
  QFile output(file);
  if (!output.open(QIODevice::WriteOnly)) throw std::runtime_error("the answers file cannot be written");
  output.write(QJsonDocument(answers).toJson());
  return file;
}

QString profileFile(const GuiRun& gui, const std::filesystem::path& folder) {
  const QString file = QString::fromStdString((folder / "profile.json").string());
  QFile output(file);
  if (!output.open(QIODevice::WriteOnly)) throw std::runtime_error("the profile cannot be written");
  output.write(QByteArray::fromStdString(runbook::writeProfile(gui.demoProfile())));
  return file;
}

/// Starts tidemarkctl and waits for its end; its exit code.
int control(const QStringList& arguments) {
  QProcess child;
  child.setProcessChannelMode(QProcess::MergedChannels);
  child.start(QStringLiteral(TIDEMARKCTL), arguments);
  if (!child.waitForFinished(kPatience)) throw std::runtime_error("tidemarkctl does not end");
  const int code = child.exitStatus() == QProcess::NormalExit ? child.exitCode() : -1;
  if (code != 0) qInfo("tidemarkctl: %s", child.readAll().constData());
  return code;
}

/// Makes the demo's databases small before tidemarkctl finds them.
void makeSmallWorld(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "demo");
  DemoWorld::open(folder / "demo", smallDemo()).reset();
}

QString differences(const runbook::RunState& state, int step, const char* name) {
  return QString::fromStdString(state.step(step).fact(name)).remove(QRegularExpression("\\s"));
}

constexpr auto kNone = "{\"ghost\":0,\"missing\":0,\"stale\":0}";

}  // namespace

class WalkTest : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void windowWalksAllStepsToZeroDifferences();
  void commandGoesOnWithARunOfTheWindow();
  void windowGoesOnWithARunOfTheCommand();
  void windowGoesOnAfterTheCommandWasKilled();
};

void WalkTest::init() {
  QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support|QStandardPaths)"));
}

void WalkTest::windowWalksAllStepsToZeroDifferences() {
  const test::TemporaryFolder folder;
  GuiRun gui(folder.path());
  QStringList silent;
  QCOMPARE(problemOf([&] {
             gui.click("demoButton");
             WindowWalk walk(gui);
             walk.onStage = [&](int step, const QString&) {
               // A button that is off has a reason, in words, beside it.
               auto* reason = gui.find<QLabel>("reasonLabel");
               auto* finish = gui.find("finishButton");
               if (finish != nullptr && !finish->isEnabled() && reason->text().isEmpty())
                 silent << QString::number(step);
               for (auto* each : gui.window().findChildren<QPushButton*>()) {
                 const bool action = each->objectName().startsWith("perform_") && each->isVisible();
                 if (action && !each->isEnabled() && each->accessibleDescription().isEmpty())
                   silent << each->objectName();
               }
             };
             walk.until(kAll);
           }),
           QString());
  QCOMPARE(silent, QStringList());
  const auto& state = gui.view().state;
  QCOMPARE(state.phase, runbook::RunPhase::Finished);
  for (const auto& step : state.steps) {
    QVERIFY(step.status == runbook::StepStatus::Done || step.status == runbook::StepStatus::Skipped);
  }
  QCOMPARE(differences(state, 5, "differences_before"), QString("{\"ghost\":8,\"missing\":12,\"stale\":15}"));
  QCOMPARE(differences(state, 12, "differences_after"), QString(kNone));
  QCOMPARE(gui.failures(), std::size_t{0});
  QVERIFY(gui.find<QLabel>("noticeLabel")->text().contains("0 missing, 0 stale, 0 ghosts"));

  const QString page = QString::fromStdString((folder / "report.html").string());
  gui.controller().writeReport(page.toStdString());
  gui.waitIdle();
  QVERIFY(QFile::exists(page));
  QVERIFY(gui.find<QLabel>("workLabel")->text().contains(page));
}

void WalkTest::commandGoesOnWithARunOfTheWindow() {
  const test::TemporaryFolder folder;
  std::string run;
  {
    GuiRun gui(folder.path());
    QCOMPARE(problemOf([&] {
               gui.click("demoButton");
               WindowWalk(gui).until(7);
             }),
             QString());
    run = gui.view().state.runId;
  }
  const QString runs = QString::fromStdString((folder / "runs").string());
  QCOMPARE(control({"resume", ui::text(run), "--runs", runs, "--answers", answersFile(folder.path(), kAll)}), 0);
  const auto state = runbook::readRun(folder / "runs", run);
  QCOMPARE(state.phase, runbook::RunPhase::Finished);
  QCOMPARE(differences(state, 12, "differences_after"), QString(kNone));
}

void WalkTest::windowGoesOnWithARunOfTheCommand() {
  const test::TemporaryFolder folder;
  makeSmallWorld(folder.path());
  GuiRun gui(folder.path());
  const QString runs = QString::fromStdString(gui.runFolder().string());
  constexpr int kGateShut = 3;
  // Step 7 finds no answer: the command ends there and leaves the run.
  const int code = control({"run", "--profile", profileFile(gui, folder.path()), "--runs", runs, "--answers",
                            answersFile(folder.path(), 6)});
  QCOMPARE(code, kGateShut);
  gui.restart();
  QCOMPARE(problemOf([&] {
             auto* list = gui.find<QTableWidget>("runList");
             if (list == nullptr) throw std::runtime_error("the run is not listed");
             list->selectRow(0);
             gui.click("openRunButton");
           }),
           QString());
  QCOMPARE(gui.view().state.currentStep(), 7);
  QVERIFY(!gui.view().state.armed);
  QCOMPARE(problemOf([&] { WindowWalk(gui).until(kAll); }), QString());
  QCOMPARE(gui.view().state.phase, runbook::RunPhase::Finished);
  QCOMPARE(differences(gui.view().state, 12, "differences_after"), QString(kNone));
}

void WalkTest::windowGoesOnAfterTheCommandWasKilled() {
  const test::TemporaryFolder folder;
  makeSmallWorld(folder.path());
  GuiRun gui(folder.path());
  const QString runs = QString::fromStdString(gui.runFolder().string());
  QProcess child;
  child.setProcessChannelMode(QProcess::MergedChannels);
  child.start(QStringLiteral(TIDEMARKCTL), {"run", "--profile", profileFile(gui, folder.path()), "--runs", runs,
                                            "--answers", answersFile(folder.path(), kAll)});
  QVERIFY(child.waitForStarted(kPatience));
  QByteArray said;
  // Dies while the guard is being proven, with its scratch copy standing.
  while (!said.contains("certify: ") && child.waitForReadyRead(kPatience)) said += child.readAll();
  child.kill();
  QVERIFY(child.waitForFinished(kPatience));
  gui.restart();
  QCOMPARE(problemOf([&] {
             gui.find<QTableWidget>("runList")->selectRow(0);
             gui.click("openRunButton");
           }),
           QString());
  QVERIFY(gui.view().state.interrupted.has_value());
  QVERIFY(gui.find<QLabel>("noticeHeading")->text().contains("step 2 was interrupted"));
  QVERIFY(gui.find<QLabel>("noticeLabel")->text().contains("What was found"));
  QVERIFY(!gui.find("finishButton")->isEnabled());
  QCOMPARE(problemOf([&] { WindowWalk(gui).until(kAll); }), QString());
  QCOMPARE(gui.view().state.phase, runbook::RunPhase::Finished);
  QCOMPARE(differences(gui.view().state, 12, "differences_after"), QString(kNone));
}

QTEST_MAIN(WalkTest)
#include "walk_test.moc"

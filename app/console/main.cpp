// tidemark: the console. Wires adapters to the window; decides nothing.
#include <QApplication>
#include <QCommandLineParser>

#include "app/wiring/adapter_environment.h"
#include "ui/main_window.h"
#include "ui/run_controller.h"

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  QApplication::setApplicationName("tidemark");
  QApplication::setApplicationVersion(TIDEMARK_VERSION);

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QApplication::translate("main", "Puts history into a table that is receiving live changes, and proves it."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption demo("demo", QApplication::translate("main", "Begin a run on the embedded demo."));
  const QCommandLineOption profile("profile", QApplication::translate("main", "Begin a run with this profile."),
                                   "file");
  const QCommandLineOption run("run", QApplication::translate("main", "Go on with this run."), "id");
  const QCommandLineOption runs("runs", QApplication::translate("main", "Folder of the runs."), "folder");
  const QCommandLineOption demoFolder("demo-folder", QApplication::translate("main", "Folder of the demo's databases."),
                                      "folder");
  parser.addOptions({demo, profile, run, runs, demoFolder});
  parser.process(application);

  const auto folderOf = [&](const QCommandLineOption& option, const std::filesystem::path& otherwise) {
    return parser.isSet(option) ? std::filesystem::path(parser.value(option).toStdString()) : otherwise;
  };
  tidemark::ui::WindowSetup setup;
  setup.runFolder = folderOf(runs, tidemark::app::defaultRunFolder());
  setup.demo = tidemark::app::demoProfile(folderOf(demoFolder, tidemark::app::defaultDemoFolder()));

  tidemark::ui::RunController controller([] { return std::make_unique<tidemark::app::AdapterEnvironment>(); });
  tidemark::ui::MainWindow window(controller, setup);
  window.show();
  if (parser.isSet(demo)) window.beginDemo();
  if (parser.isSet(profile)) window.beginRun(parser.value(profile).toStdString());
  if (parser.isSet(run)) window.openRun(parser.value(run).toStdString());
  return QApplication::exec();
}

// tidemark_picture FOLDER [WIDTH HEIGHT [light|dark [POINTS]]]: walks the demo in the real window and renders it: each
// step as PNG into FOLDER, and the sweep as FOLDER/console.svg, which is the README's picture.
#include <cstdio>

#include <QAction>
#include <QApplication>
#include <QBuffer>
#include <QDir>
#include <QMenuBar>
#include <QPainter>
#include <QProxyStyle>
#include <QScrollArea>
#include <QSvgGenerator>

#include "app/wiring/adapter_environment.h"
#include "tests/gui/window_walk.h"
#include "tests/support/temporary_folder.h"

namespace {

using tidemark::ui::Theme;

constexpr int kSweepStep = 11;

/// Underlined letters would be texts of their own in the picture.
class PictureStyle final : public QProxyStyle {
 public:
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* answer) const override {
    return hint == SH_UnderlineShortcut ? 0 : QProxyStyle::styleHint(hint, option, widget, answer);
  }
};

/// Makes the window so high that the whole page is seen: a picture cannot be scrolled, and its format does not clip.
void fitToPage(tidemark::ui::MainWindow& window) {
  auto* journal = window.findChild<QAction*>("journalAction");
  journal->setChecked(false);
  // Its words do not reach the picture.
  window.menuBar()->hide();
  QApplication::processEvents();
  const auto* page = window.findChild<QScrollArea*>("stepArea");
  window.resize(window.width(), window.height() + page->widget()->height() - page->viewport()->height());
  QApplication::processEvents();
}

void renderSvg(tidemark::ui::MainWindow& window, const QString& file) {
  const QSize before = window.size();
  fitToPage(window);
  QByteArray drawn;
  QBuffer buffer(&drawn);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(window.size());
  generator.setViewBox(window.rect());
  generator.setTitle("Tidemark");
  generator.setDescription("The console at the sweep of the demo");
  QPainter painter(&generator);
  window.render(&painter);
  painter.end();
  // Verdana has the same widths, for readers without the font.
  const QByteArray family = QApplication::font().family().toUtf8();
  drawn.replace("font-family=\"" + family + "\"", "font-family=\"" + family + ", Verdana, sans-serif\"");
  QFile output(file);
  if (output.open(QIODevice::WriteOnly)) output.write(drawn);
  window.findChild<QAction*>("journalAction")->setChecked(true);
  window.menuBar()->show();
  window.resize(before);
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QApplication::setStyle(new PictureStyle);
  const QStringList arguments = QApplication::arguments();
  if (arguments.size() < 2) {
    std::fprintf(stderr, "usage: tidemark_picture FOLDER [WIDTH HEIGHT [light|dark [POINTS]]]\n");
    return 2;
  }
  const QDir folder(QDir(arguments.at(1)).absolutePath());
  folder.mkpath(".");
  const QSize size = arguments.size() > 3 ? QSize(arguments.at(2).toInt(), arguments.at(3).toInt()) : QSize(1280, 800);
  if (arguments.size() > 5) {
    QFont font = QApplication::font();
    font.setPointSize(arguments.at(5).toInt());
    QApplication::setFont(font);
  }
  const tidemark::test::TemporaryFolder temporary;
  // Relative paths, so that the picture names no folder of this machine.
  QDir::setCurrent(QString::fromStdString(temporary.path().string()));
  tidemark::test::GuiRun gui({}, [] { return std::make_unique<tidemark::app::AdapterEnvironment>(); });
  gui.window().setTheme(arguments.value(4) == "dark" ? Theme::Dark : Theme::Light);
  gui.window().resize(size);
  const auto shoot = [&](QWidget& widget, const QString& name) {
    QApplication::processEvents();
    widget.grab().save(folder.filePath(name + ".png"));
  };
  shoot(gui.window(), "start");
  const QString problem = tidemark::test::problemOf([&] {
    gui.click("demoButton");
    shoot(gui.window(), "begun");
    tidemark::test::WindowWalk walk(gui);
    walk.onStage = [&](int step, const QString& stage) {
      const QString name = QString("step%1_%2").arg(step, 2, 10, QChar('0')).arg(stage);
      QWidget* dialog = gui.openDialog();
      shoot(dialog == nullptr ? static_cast<QWidget&>(gui.window()) : *dialog, name);
      if (step == kSweepStep && stage == "ready") renderSvg(gui.window(), folder.filePath("console.svg"));
    };
    walk.until(tidemark::runbook::kSteps + 1);
    shoot(gui.window(), "finished");
  });
  if (problem.isEmpty()) return 0;
  shoot(gui.window(), "problem");
  std::fprintf(stderr, "%s\n", qPrintable(problem));
  return 1;
}

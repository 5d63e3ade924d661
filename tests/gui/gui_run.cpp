#include "tests/gui/gui_run.h"

#include <stdexcept>

#include <QAbstractButton>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QTest>

#include "app/wiring/adapter_environment.h"

namespace tidemark::test {

namespace {

constexpr int kLongestWait = 120000;  // Milliseconds; only ends a test that hangs.

[[noreturn]] void give(const QString& problem) {
  throw std::runtime_error(problem.toStdString());
}

}  // namespace

DemoOptions smallDemo() {
  DemoOptions options;
  options.rows = 3000;
  options.differences = {12, 15, 8};
  options.olderTransactionAge = std::chrono::milliseconds(50);
  return options;
}

GuiRun::GuiRun(std::filesystem::path folder, ui::RunController::EnvironmentFactory factory)
    : m_folder(std::move(folder)), m_factory(std::move(factory)) {
  if (!m_factory) m_factory = [] { return std::make_unique<app::AdapterEnvironment>(smallDemo()); };
  open();
}

GuiRun::~GuiRun() = default;

runbook::Profile GuiRun::demoProfile() const {
  return app::demoProfile(m_folder / "demo");
}

void GuiRun::open() {
  m_controller = std::make_unique<ui::RunController>(m_factory);
  m_window = std::make_unique<ui::MainWindow>(*m_controller, ui::WindowSetup{runFolder(), demoProfile()});
  QObject::connect(m_controller.get(), &ui::RunController::viewChanged, m_window.get(),
                   [this](const ui::RunView& view) { m_view = view; });
  QObject::connect(m_controller.get(), &ui::RunController::failed, m_window.get(), [this](const ui::Failure& failure) {
    ++m_failures;
    m_lastFailure = failure;
  });
  m_window->show();
  waitFor([this] { return m_window->isVisible(); }, "the window does not show");
  waitIdle();
}

void GuiRun::restart() {
  m_window.reset();
  m_controller.reset();
  m_view = {};
  open();
}

void GuiRun::waitFor(const std::function<bool()>& condition, const QString& what) {
  if (!QTest::qWaitFor(condition, kLongestWait)) give(what);
}

void GuiRun::waitIdle() {
  waitFor([this] { return !m_controller->busy(); }, "the run thread does not come to an end");
  // Widgets that were made for the new view show themselves from the event loop.
  QCoreApplication::processEvents();
}

template <class Widget>
Widget& GuiRun::need(const QString& name) {
  auto* found = find<Widget>(name);
  if (found == nullptr) give("nothing to see is named " + name);
  if (!found->isEnabled()) give(name + " is off: " + found->accessibleDescription());
  return *found;
}

void GuiRun::press(const QString& name) {
  auto& button = need<QAbstractButton>(name);
  if (qobject_cast<QCheckBox*>(&button) != nullptr) {
    // The middle of a stretched box is beside its words.
    button.setFocus();
    QTest::keyClick(&button, Qt::Key_Space);
    return;
  }
  QTest::mouseClick(&button, Qt::LeftButton);
}

void GuiRun::click(const QString& name) {
  press(name);
  waitIdle();
}

void GuiRun::type(const QString& field, const QString& words) {
  auto& line = need<QLineEdit>(field);
  line.setFocus();
  line.selectAll();
  if (words.isEmpty()) {
    QTest::keyClick(&line, Qt::Key_Delete);
  } else {
    QTest::keyClicks(&line, words);
  }
}

void GuiRun::answer(const QString& question, const QString& value) {
  auto* editor = find("answer_" + question);
  if (editor == nullptr) give("no field for the question " + question);
  if (auto* combo = qobject_cast<QComboBox*>(editor)) {
    const int index = combo->findData(value);
    if (index < 0) give(question + " does not offer " + value);
    combo->setFocus();
    QTest::keyClick(combo, Qt::Key_Home);
    for (int step = 0; step < combo->count() && combo->currentIndex() != index; ++step) {
      QTest::keyClick(combo, Qt::Key_Down);
    }
    if (combo->currentIndex() != index) give(value + " cannot be chosen for " + question);
  } else {
    type("answer_" + question, value);
  }
  auto* apply = find<QAbstractButton>("apply_" + question);
  if (apply != nullptr && apply->isEnabled()) click("apply_" + question);
}

QDialog* GuiRun::openDialog() const {
  for (auto* dialog : m_window->findChildren<QDialog*>()) {
    if (dialog->isVisible()) return dialog;
  }
  return nullptr;
}

QString problemOf(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const std::exception& problem) {
    return QString::fromUtf8(problem.what());
  }
}

}  // namespace tidemark::test

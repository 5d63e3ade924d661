#include "ui/action_list.h"

#include <QFrame>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

constexpr int kStatementLines = 8;

QString titleOf(const runbook::Action& action) {
  if (!action.rows) return text(action.title);
  const QString rows = grouped(*action.rows);
  return text(action.title) +
         (action.rowsExact ? ActionList::tr(" (exactly %1 rows)") : ActionList::tr(" (about %1 rows)")).arg(rows);
}

QString reverseText(const runbook::Action& action) {
  if (action.reversible) {
    return action.reverse.empty() ? QString() : ActionList::tr("Can be undone: %1").arg(text(action.reverse));
  }
  return ActionList::tr("Cannot be undone. %1").arg(text(action.reverse));
}

bool opensDialog(const runbook::Action& action) {
  return action.writes || !action.confirmation.empty();
}

QPlainTextEdit* statementView(const runbook::Action& action, QWidget* parent) {
  auto* view = new QPlainTextEdit(text(action.statement), parent);
  view->setReadOnly(true);
  view->setFont(statementFont(parent));
  view->setAccessibleName(ActionList::tr("Exact statement of: %1").arg(text(action.title)));
  view->setTabChangesFocus(true);
  // A long line wraps: count what it needs at a narrow page, up to the limit.
  constexpr qsizetype kNarrow = 64;
  qsizetype lines = 0;
  for (const QString& each : text(action.statement).split('\n')) lines += 1 + each.size() / kNarrow;
  lines = std::min<qsizetype>(kStatementLines, lines);
  view->setFixedHeight(static_cast<int>(lines) * view->fontMetrics().lineSpacing() + 2 * kGap);
  return view;
}

/// Everything that a drawn action depends on, so that an unchanged list keeps its widgets and the focus.
QString fingerprint(const runbook::Action& action, const QString& reason) {
  return QStringList{
      text(action.id), titleOf(action),           text(action.statement),       reverseText(action),
      reason,          text(action.confirmation), QString::number(action.done), QString::number(action.writes)}
      .join(QChar(0x1f));
}

}  // namespace

ActionList::ActionList(QWidget* parent) : QWidget(parent), m_layout(new QVBoxLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(kGap);
}

void ActionList::show(const RunView& view, const QString& shutBecause) {
  std::vector<QString> reasons;
  QStringList prints;
  for (const auto& action : view.actions) {
    QString reason = shutBecause;
    if (reason.isEmpty()) reason = text(action.blockedBecause);
    if (reason.isEmpty() && action.writes && view.banner.dryRun) reason = tr("This is a dry run: it writes nothing.");
    if (reason.isEmpty() && action.writes && !view.state.armed) {
      reason = tr("The run is not armed, so it writes nothing yet. Arm it in the banner above.");
    }
    reasons.push_back(reason);
    prints << fingerprint(action, reason);
  }
  setVisible(!view.actions.empty());
  const QString shown = QString::number(view.shownStep) + prints.join(QChar(0x1e));
  if (shown == m_shown) return;
  m_shown = shown;
  const auto* focused = focusWidget();
  const QString focus = focused != nullptr && focused->hasFocus() ? focused->objectName() : QString();
  m_tabStops.clear();
  clearLayout(m_layout);
  if (view.actions.empty()) return;
  m_layout->addWidget(heading(tr("Actions"), this));
  for (std::size_t i = 0; i < view.actions.size(); ++i) addAction(view.actions[i], reasons[i]);
  for (auto* stop : m_tabStops) {
    if (!focus.isEmpty() && stop->objectName() == focus) stop->setFocus();
  }
}

void ActionList::addAction(const runbook::Action& action, const QString& reason) {
  auto* box = new QFrame(this);
  box->setFrameShape(QFrame::StyledPanel);
  auto* layout = new QVBoxLayout(box);
  layout->setContentsMargins(kPanelMargin, kPanelMargin, kPanelMargin, kPanelMargin);
  layout->setSpacing(kGap);
  layout->addWidget(heading(titleOf(action), box));
  if (!action.statement.empty()) {
    auto* statement = statementView(action, box);
    statement->setObjectName("statement_" + text(action.id));
    layout->addWidget(statement);
    m_tabStops.push_back(statement);
  }
  if (const QString reverse = reverseText(action); !reverse.isEmpty()) layout->addWidget(wrapped(reverse, box));
  auto* why = wrapped(QString(), box);
  why->setObjectName("why_" + text(action.id));
  if (action.done && reason.isEmpty()) {
    why->setText(tr("Done. It may be done again."));
  } else {
    why->setText(action.done ? tr("Done. %1").arg(reason) : reason);
  }
  // The dots say that a dialog comes before anything happens.
  auto* button = new QPushButton(opensDialog(action) ? tr("%1…").arg(text(action.title)) : text(action.title), box);
  button->setObjectName("perform_" + text(action.id));
  button->setProperty("open", reason.isEmpty());
  button->setEnabled(reason.isEmpty() && !m_busy);
  button->setAccessibleDescription(why->text());
  button->setProperty("done", action.done);
  why->setVisible(!why->text().isEmpty());
  layout->addWidget(why);
  layout->addWidget(button, 0, Qt::AlignLeft);
  connect(button, &QPushButton::clicked, this, [this, action] { emit performWanted(action); });
  m_tabStops.push_back(button);
  m_layout->addWidget(box);
}

void ActionList::setBusy(bool busy) {
  m_busy = busy;
  for (auto* stop : m_tabStops) {
    if (auto* button = qobject_cast<QPushButton*>(stop)) button->setEnabled(button->property("open").toBool() && !busy);
  }
}

QPushButton* ActionList::firstOpen() const {
  for (auto* stop : m_tabStops) {
    auto* button = qobject_cast<QPushButton*>(stop);
    if (button != nullptr && button->isEnabled() && !button->property("done").toBool()) return button;
  }
  return nullptr;
}

bool ActionList::reveal(const std::string& action) {
  for (auto* stop : m_tabStops) {
    if (stop->objectName() == "perform_" + text(action) && stop->isEnabled()) {
      stop->setFocus(Qt::OtherFocusReason);
      return true;
    }
  }
  for (auto* stop : m_tabStops) {
    if (stop->objectName() != "statement_" + text(action)) continue;
    stop->setFocus(Qt::OtherFocusReason);
    return true;
  }
  return false;
}

}  // namespace tidemark::ui

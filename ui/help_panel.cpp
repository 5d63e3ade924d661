#include "ui/help_panel.h"

#include <QTextBrowser>

#include "runbook/step.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

QString paragraph(const QString& words) {
  return "<p>" + words.toHtmlEscaped() + "</p>";
}

QString title(const QString& words) {
  return "<h3>" + words.toHtmlEscaped() + "</h3>";
}

}  // namespace

HelpPanel::HelpPanel(QWidget* parent) : QDockWidget(tr("Help"), parent), m_text(new QTextBrowser(this)) {
  setObjectName("helpPanel");
  setAllowedAreas(Qt::RightDockWidgetArea | Qt::LeftDockWidgetArea);
  m_text->setObjectName("helpText");
  m_text->setAccessibleName(tr("Help for the step"));
  setWidget(m_text);
  showStep(0);
}

void HelpPanel::showStep(int step) {
  QString html;
  if (step > 0) {
    const auto& info = runbook::stepInfos().at(static_cast<std::size_t>(step - 1));
    html += title(tr("Step %1: %2").arg(step).arg(text(info.title))) + paragraph(text(info.purpose));
  } else {
    html +=
        title(tr("A run")) +
        paragraph(tr("A run goes through fifteen steps. Each measures its gates itself, shows every write before it "
                     "happens, and writes all of it to a journal that cannot be altered unseen."));
  }
  html +=
      title(tr("How a step goes")) +
      paragraph(tr("Answer its questions, measure its gates, perform its actions, then finish it. A button that is off "
                   "says why beside it; the reason leads to what it hangs on.")) +
      title(tr("Gates")) +
      paragraph(
          tr("Pass: as it must be. Warning: look at it; some warnings ask for a waiver by two people. Shut: has to "
             "be mended first. Unknown and stale never open a gate: measure again. Does not apply: was not "
             "checked, for the reason given.")) +
      title(tr("Writing")) +
      paragraph(
          tr("Nothing is written until the run is armed. Arming is written to the journal and lapses when the run "
             "is opened again. No write replaces a row that is newer."));
  m_text->setHtml(html);
}

}  // namespace tidemark::ui

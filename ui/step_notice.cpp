#include "ui/step_notice.h"

#include <QEvent>
#include <QGridLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPushButton>
#include <QStyle>

#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

constexpr int kVerifyStep = 12;

QString differencesText(const runbook::RunState& state) {
  const std::string fact = state.step(kVerifyStep).fact("differences_after");
  const QJsonObject found = QJsonDocument::fromJson(QByteArray::fromStdString(fact)).object();
  if (found.isEmpty()) return {};
  return StepNotice::tr("Differences found by the last verification: %1 missing, %2 stale, %3 ghosts.")
      .arg(found["missing"].toInteger())
      .arg(found["stale"].toInteger())
      .arg(found["ghost"].toInteger());
}

}  // namespace

StepNotice::StepNotice(QWidget* parent)
    : QFrame(parent),
      m_mark(new QLabel(this)),
      m_heading(heading(QString(), this)),
      m_words(wrapped(QString(), this)),
      m_goOn(new QPushButton(tr("&Go on from what was found"), this)),
      m_save(new QPushButton(tr("&Save the report…"), this)) {
  setObjectName("stepNotice");
  setFrameShape(QFrame::StyledPanel);
  m_heading->setObjectName("noticeHeading");
  m_words->setObjectName("noticeLabel");
  m_goOn->setObjectName("acceptInterruptedButton");
  m_save->setObjectName("noticeSaveButton");
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(kPanelMargin, kPanelMargin, kPanelMargin, kPanelMargin);
  layout->setSpacing(kGap);
  layout->setColumnStretch(1, 1);
  layout->addWidget(m_mark, 0, 0, Qt::AlignTop);
  layout->addWidget(m_heading, 0, 1);
  layout->addWidget(m_words, 1, 1);
  layout->addWidget(m_goOn, 2, 1, Qt::AlignLeft);
  layout->addWidget(m_save, 3, 1, Qt::AlignLeft);
  connect(m_goOn, &QPushButton::clicked, this, &StepNotice::resumeWanted);
  connect(m_save, &QPushButton::clicked, this, &StepNotice::reportWanted);
  hide();
}

void StepNotice::show(const runbook::RunState& state) {
  const bool ended = state.phase != runbook::RunPhase::Open;
  if (state.interrupted) showInterrupted(*state.interrupted);
  if (!state.interrupted && ended) showEnd(state);
  m_goOn->setVisible(state.interrupted.has_value());
  m_save->setVisible(ended);
  setAccessibleName(m_heading->text());
  setAccessibleDescription(m_words->text());
  drawMark();
  setVisible(state.interrupted || ended);
}

void StepNotice::setBusy(bool busy) {
  m_goOn->setEnabled(!busy);
  m_save->setEnabled(!busy);
}

std::vector<QWidget*> StepNotice::tabStops() const {
  return {m_goOn, m_save};
}

void StepNotice::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawMark();
}

void StepNotice::showInterrupted(const runbook::InterruptedEffect& effect) {
  m_good = false;
  m_heading->setText(tr("What happened: step %1 was interrupted").arg(effect.step));
  QStringList lines{tr("Announced at %1, and its end was never written down:").arg(utcText(effect.announcedAt)),
                    text(effect.statement)};
  lines << (effect.outcome.empty() ? tr("What it did has not been measured yet; it is measured before going on.")
                                   : tr("What was found: %1").arg(text(effect.outcome)));
  lines << tr("Nothing is sent again without your word.");
  m_words->setText(lines.join('\n'));
}

void StepNotice::showEnd(const runbook::RunState& state) {
  m_good = state.phase == runbook::RunPhase::Finished;
  m_heading->setText(m_good ? tr("The run is finished") : tr("The run was abandoned"));
  QStringList lines;
  if (!state.finishedAt.empty()) lines << tr("Ended %1.").arg(utcText(state.finishedAt));
  if (!state.signedOffBy.empty()) lines << tr("Signed off by %1.").arg(text(state.signedOffBy));
  if (const QString found = differencesText(state); !found.isEmpty()) lines << found;
  const auto waivers = state.waivedGates();
  lines << (waivers.empty() ? tr("No gate was waived.")
                            : tr("%n gate(s) were waived; each stands at its step and in the report.", nullptr,
                                 static_cast<int>(waivers.size())));
  m_words->setText(lines.join('\n'));
}

void StepNotice::drawMark() {
  const int size = style()->pixelMetric(QStyle::PM_SmallIconSize);
  const QIcon icon =
      m_good ? markIcon(Mark::Tick, Tone::Good, palette()) : markIcon(Mark::Triangle, Tone::Warning, palette());
  m_mark->setPixmap(icon.pixmap(size));
}

}  // namespace tidemark::ui

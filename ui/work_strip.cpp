#include "ui/work_strip.h"

#include <algorithm>

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

constexpr int kBarWidth = 160;
constexpr int kLines = 2;

QString blockerText(const Blocker& blocker) {
  QString one = blocker.preparedName.empty() ? WorkStrip::tr("process %1").arg(blocker.pid)
                                             : WorkStrip::tr("prepared transaction %1").arg(text(blocker.preparedName));
  QStringList who;
  if (!blocker.user.empty()) who << text(blocker.user);
  if (!blocker.application.empty()) who << text(blocker.application);
  if (!who.isEmpty()) one += " (" + who.join(", ") + ")";
  one += WorkStrip::tr(", open for %1").arg(durationText(blocker.age.count()));
  if (!blocker.waitEvent.empty()) one += WorkStrip::tr(", waits on %1").arg(text(blocker.waitEvent));
  return one;
}

QString progressText(const Progress& progress) {
  QString words =
      progress.total
          ? WorkStrip::tr("%1: %2 of %3").arg(text(progress.activity), grouped(progress.done), grouped(*progress.total))
          : WorkStrip::tr("%1: %2").arg(text(progress.activity), grouped(progress.done));
  if (progress.rate >= 1) {
    words += WorkStrip::tr(", %1 a second").arg(grouped(static_cast<std::uint64_t>(progress.rate)));
  }
  if (!progress.pausedBecause.empty()) {
    return words + WorkStrip::tr(". Paused: %1. Resume goes on.").arg(text(progress.pausedBecause));
  }
  if (progress.remaining) {
    words += WorkStrip::tr(", about %1 left").arg(durationText(progress.remaining->count()));
  } else if (progress.total && progress.done < *progress.total) {
    words += WorkStrip::tr(", estimating…");
  }
  return words;
}

}  // namespace

WorkStrip::WorkStrip(QWidget* parent)
    : QFrame(parent),
      m_words(wrapped(tr("Nothing is running"), this)),
      m_bar(new QProgressBar(this)),
      m_pause(new QPushButton(tr("&Pause"), this)),
      m_resume(new QPushButton(tr("&Resume"), this)),
      m_stop(new QPushButton(tr("St&op"), this)) {
  setObjectName("workStrip");
  setFrameShape(QFrame::StyledPanel);
  m_words->setObjectName("workLabel");
  m_bar->setObjectName("workBar");
  m_bar->setAccessibleName(tr("Progress of the running work"));
  m_bar->setFixedWidth(kBarWidth);
  m_pause->setObjectName("pauseButton");
  m_resume->setObjectName("resumeButton");
  m_stop->setObjectName("stopButton");
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(kPanelMargin, kGap, kPanelMargin, kGap);
  layout->setSpacing(kGap);
  layout->addWidget(m_words, 1);
  layout->addWidget(m_bar);
  for (auto* button : {m_pause, m_resume, m_stop}) layout->addWidget(button);
  connect(m_pause, &QPushButton::clicked, this, &WorkStrip::pause);
  connect(m_resume, &QPushButton::clicked, this, &WorkStrip::resume);
  connect(m_stop, &QPushButton::clicked, this, &WorkStrip::stop);
  fixHeight();
  setBusy(false);
}

void WorkStrip::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::FontChange) fixHeight();
}

void WorkStrip::fixHeight() {
  // The buttons never move, however many words stand beside them; what does not fit is told on hovering.
  const int words = kLines * m_words->fontMetrics().lineSpacing();
  setFixedHeight(std::max(words, m_stop->sizeHint().height()) + 2 * kGap + 2 * frameWidth());
}

void WorkStrip::pause() {
  if (!m_busy || m_paused || m_stopping) return;
  m_paused = true;
  say(tr("Pausing after the batch that is being committed…"));
  refreshButtons();
  emit pauseWanted();
}

void WorkStrip::resume() {
  if (!m_busy || !m_paused || m_stopping) return;
  m_paused = false;
  say(tr("Going on…"));
  refreshButtons();
  emit resumeWanted();
}

void WorkStrip::stop() {
  if (!m_busy || m_stopping) return;
  m_stopping = true;
  say(tr(
      "Stopping after the batch that is being committed. What is committed stays, and the step can be gone on with."));
  refreshButtons();
  emit stopWanted();
}

void WorkStrip::setBusy(bool busy) {
  m_busy = busy;
  m_paused = false;
  m_stopping = false;
  m_bar->setRange(0, busy ? 0 : 100);
  m_bar->setValue(0);
  // A bar that runs while nothing does would be a false sign of life.
  m_bar->setVisible(busy);
  if (busy) m_announced.clear();
  setWords(busy ? tr("Working…") : m_announced.isEmpty() ? tr("Nothing is running") : m_announced);
  refreshButtons();
}

void WorkStrip::begin(const QString& work) {
  if (!m_stopping && !m_paused) setWords(tr("%1…").arg(work));
}

void WorkStrip::announce(const QString& words) {
  m_announced = words;
  if (!m_busy) say(words);
}

void WorkStrip::show(const Progress& progress) {
  // The acknowledgement stays until the work has ended.
  if (m_stopping) return;
  if (m_paused && progress.pausedBecause.empty()) return;
  setWords(progressText(progress));
  if (!progress.total || *progress.total == 0) {
    m_bar->setRange(0, 0);
    return;
  }
  m_bar->setRange(0, 100);
  m_bar->setValue(static_cast<int>(std::min<std::uint64_t>(100, progress.done * 100 / *progress.total)));
}

void WorkStrip::show(const Waiting& waiting) {
  if (m_stopping) return;
  QStringList who;
  for (const auto& blocker : waiting.blockers) who << blockerText(blocker);
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(waiting.waited).count();
  setWords(tr("Waiting for older transactions to end, for %1 now. Held back by: %2. Stop gives up.")
               .arg(durationText(waited), who.isEmpty() ? tr("not known") : who.join("; ")));
  m_bar->setRange(0, 0);
}

void WorkStrip::setWords(const QString& words) {
  m_words->setText(words);
  m_words->setToolTip(words);
}

void WorkStrip::say(const QString& words) {
  setWords(words);
  QAccessibleEvent event(m_words, QAccessible::NameChanged);
  QAccessible::updateAccessibility(&event);
}

void WorkStrip::refreshButtons() {
  m_pause->setEnabled(m_busy && !m_paused && !m_stopping);
  m_resume->setEnabled(m_busy && m_paused && !m_stopping);
  m_stop->setEnabled(m_busy && !m_stopping);
}

}  // namespace tidemark::ui

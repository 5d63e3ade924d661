#include "ui/work_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "ui/status_look.h"

namespace tidemark::ui {

WorkStrip::WorkStrip(QWidget* parent)
    : QFrame(parent),
      m_words(new QLabel(tr("Nothing is running"), this)),
      m_bar(new QProgressBar(this)),
      m_pause(new QPushButton(tr("Pa&use"), this)),
      m_resume(new QPushButton(tr("&Resume"), this)),
      m_stop(new QPushButton(tr("&Stop"), this)) {
  setObjectName("workStrip");
  setFrameShape(QFrame::StyledPanel);
  m_words->setObjectName("workLabel");
  m_words->setWordWrap(true);
  m_bar->setAccessibleName(tr("Progress of the running work"));
  m_bar->setFixedWidth(220);
  m_bar->setRange(0, 100);
  m_bar->setValue(0);
  m_pause->setObjectName("pauseButton");
  m_resume->setObjectName("resumeButton");
  m_stop->setObjectName("stopButton");
  auto* layout = new QHBoxLayout(this);
  layout->addWidget(m_words, 1);
  layout->addWidget(m_bar);
  for (auto* button : {m_pause, m_resume, m_stop}) layout->addWidget(button);
  connect(m_pause, &QPushButton::clicked, this, [this] {
    m_words->setText(tr("Pausing after the batch that is being committed…"));
    emit pauseWanted();
  });
  connect(m_resume, &QPushButton::clicked, this, &WorkStrip::resumeWanted);
  connect(m_stop, &QPushButton::clicked, this, [this] {
    m_words->setText(
        tr("Stopping after the batch that is being committed. What is committed stays and the step can be "
           "gone on with."));
    emit stopWanted();
  });
  setBusy(false);
}

void WorkStrip::setBusy(bool busy) {
  for (auto* button : {m_pause, m_resume, m_stop}) button->setEnabled(busy);
  if (busy) {
    m_words->setText(tr("Working…"));
    return;
  }
  m_words->setText(tr("Nothing is running"));
  m_bar->setRange(0, 100);
  m_bar->setValue(0);
}

void WorkStrip::show(const Progress& progress) {
  QString words = tr("%1: %2").arg(text(progress.activity), grouped(progress.done));
  if (progress.total)
    words = tr("%1: %2 of %3").arg(text(progress.activity), grouped(progress.done), grouped(*progress.total));
  if (progress.rate >= 1) words += tr(", %1 a second").arg(grouped(static_cast<std::uint64_t>(progress.rate)));
  if (!progress.pausedBecause.empty()) {
    words += tr(" — paused: %1").arg(text(progress.pausedBecause));
  } else if (progress.remaining) {
    words += tr(", about %1 left").arg(durationText(progress.remaining->count()));
  }
  m_words->setText(words);
  if (!progress.total || *progress.total == 0) {
    m_bar->setRange(0, 0);
    return;
  }
  m_bar->setRange(0, 100);
  m_bar->setValue(static_cast<int>(std::min<std::uint64_t>(100, progress.done * 100 / *progress.total)));
}

void WorkStrip::show(const Waiting& waiting) {
  QStringList who;
  for (const auto& blocker : waiting.blockers) {
    QString one = blocker.preparedName.empty() ? tr("pid %1").arg(blocker.pid)
                                               : tr("prepared transaction %1").arg(text(blocker.preparedName));
    if (!blocker.application.empty()) one += " (" + text(blocker.application) + ")";
    one += tr(", open for %1").arg(durationText(blocker.age.count()));
    if (!blocker.waitEvent.empty()) one += tr(", waits on %1").arg(text(blocker.waitEvent));
    who << one;
  }
  m_words->setText(tr("Waiting for older transactions to end: %1").arg(who.join("; ")));
  m_bar->setRange(0, 0);
}

}  // namespace tidemark::ui

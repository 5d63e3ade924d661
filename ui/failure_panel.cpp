#include "ui/failure_panel.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStyle>

#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

constexpr int kDetailLines = 4;

QString meaningOf(const Failure& failure) {
  switch (failure.reach) {
    case FailureReach::NothingDone:
      return FailurePanel::tr("Nothing was written; the data is as it was.");
    case FailureReach::Interrupted:
      return FailurePanel::tr(
          "What was committed before stays, and is guarded: no newer row was overwritten. The rest can be done again.");
    case FailureReach::InDoubt:
      return FailurePanel::tr(
          "Whether the last commit took place is not known. It is measured before anything is done again.");
  }
  return {};
}

bool same(const Failure& one, const Failure& other) {
  return one.step == other.step && one.code == other.code && one.message == other.message &&
         one.technical == other.technical;
}

}  // namespace

FailurePanel::FailurePanel(QWidget* parent)
    : QFrame(parent),
      m_mark(new QLabel(this)),
      m_message(heading(QString(), this)),
      m_meaning(wrapped(QString(), this)),
      m_hint(wrapped(QString(), this)),
      m_showDetails(new QPushButton(tr("Show d&etails"), this)),
      m_copy(new QPushButton(tr("&Copy"), this)),
      m_details(new QPlainTextEdit(this)) {
  setObjectName("failurePanel");
  setFrameShape(QFrame::StyledPanel);
  m_message->setObjectName("failureMessage");
  m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_meaning->setObjectName("failureMeaning");
  m_hint->setObjectName("failureHint");
  m_showDetails->setObjectName("failureDetailsButton");
  m_showDetails->setCheckable(true);
  m_copy->setObjectName("failureCopyButton");
  m_copy->setAccessibleName(tr("Copy the failure with its details"));
  m_details->setObjectName("failureDetails");
  m_details->setReadOnly(true);
  m_details->setTabChangesFocus(true);
  m_details->setAccessibleName(tr("Details of the failure"));
  m_details->setFixedHeight(m_details->fontMetrics().lineSpacing() * kDetailLines + 2 * kGap);

  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_showDetails);
  buttons->addWidget(m_copy);
  buttons->addStretch(1);
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(kPanelMargin, kPanelMargin, kPanelMargin, kPanelMargin);
  layout->setSpacing(kGap);
  layout->setColumnStretch(1, 1);
  layout->addWidget(m_mark, 0, 0, Qt::AlignTop);
  layout->addWidget(m_message, 0, 1);
  layout->addWidget(m_meaning, 1, 1);
  layout->addWidget(m_hint, 2, 1);
  layout->addLayout(buttons, 3, 1);
  layout->addWidget(m_details, 4, 1);

  connect(m_showDetails, &QPushButton::toggled, this, [this](bool shown) {
    m_details->setVisible(shown);
    m_showDetails->setText(shown ? tr("Hide d&etails") : tr("Show d&etails"));
  });
  connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(wholeText()); });
  clear();
}

void FailurePanel::show(const Failure& failure) {
  m_times = m_times > 0 && same(failure, m_failure) ? m_times + 1 : 1;
  m_failure = failure;
  QString message = text(failure.message);
  if (failure.reach == FailureReach::InDoubt) message = tr("In doubt: %1").arg(message);
  if (m_times > 1) message += " " + tr("(%1 times)").arg(m_times);
  m_message->setText(message);
  m_meaning->setText(tr("What it means: %1").arg(meaningOf(failure)));
  m_hint->setText(tr("What to do: %1").arg(text(failure.hint)));
  m_hint->setVisible(!failure.hint.empty());
  QString details = tr("Code: %1").arg(text(failure.code));
  if (!failure.technical.empty()) details += "\n" + text(failure.technical);
  m_details->setPlainText(details);
  setAccessibleName(tr("Failure: %1").arg(message));
  drawMark();
  setVisible(true);
  QAccessibleEvent event(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&event);
}

void FailurePanel::clear() {
  m_times = 0;
  m_showDetails->setChecked(false);
  m_details->hide();
  hide();
}

void FailurePanel::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawMark();
}

void FailurePanel::drawMark() {
  const int size = style()->pixelMetric(QStyle::PM_SmallIconSize);
  m_mark->setPixmap(markIcon(Mark::Cross, Tone::Bad, palette()).pixmap(size));
}

QString FailurePanel::wholeText() const {
  QStringList lines{m_message->text(), m_meaning->text()};
  if (!m_failure.hint.empty()) lines << m_hint->text();
  lines << m_details->toPlainText();
  return lines.join('\n');
}

}  // namespace tidemark::ui

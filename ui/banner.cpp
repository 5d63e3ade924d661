#include "ui/banner.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

QString tablesText(const runbook::Banner& banner) {
  if (banner.sinkTable.empty()) return Banner::tr("No run is open.");
  const auto end = [](const std::string& table, const std::string& where) {
    return where.empty() ? text(table) : Banner::tr("%1 on %2").arg(text(table), text(where));
  };
  return Banner::tr("From %1\nInto %2").arg(end(banner.sourceTable, banner.source), end(banner.sinkTable, banner.sink));
}

QString modeText(const runbook::Banner& banner) {
  if (banner.sinkTable.empty()) return Banner::tr("Nothing can be written");
  if (banner.armed) return Banner::tr("Armed: may write");
  if (banner.dryRun) return Banner::tr("Dry run: cannot be armed");
  return Banner::tr("Dry: writes nothing until armed");
}

void colour(QLabel* label, Tone tone) {
  QPalette colours = label->parentWidget()->palette();
  colours.setColor(QPalette::WindowText, toneColour(tone, colours));
  label->setPalette(colours);
}

}  // namespace

Banner::Banner(QWidget* parent)
    : QFrame(parent),
      m_environmentMark(new QLabel(this)),
      m_environment(heading(QString(), this)),
      m_tables(wrapped(QString(), this)),
      m_modeMark(new QLabel(this)),
      m_mode(heading(QString(), this)),
      m_arm(new QPushButton(this)) {
  setObjectName("banner");
  setFrameShape(QFrame::StyledPanel);
  m_environment->setObjectName("bannerEnvironment");
  m_tables->setObjectName("bannerTables");
  m_mode->setObjectName("bannerMode");
  m_arm->setObjectName("armButton");
  m_environment->setWordWrap(false);
  m_mode->setWordWrap(false);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(kPanelMargin, kGap, kPanelMargin, kGap);
  layout->setSpacing(kGap);
  layout->addWidget(m_environmentMark);
  layout->addWidget(m_environment);
  layout->addSpacing(kGap);
  layout->addWidget(m_tables, 1);
  layout->addSpacing(kGap);
  layout->addWidget(m_modeMark);
  layout->addWidget(m_mode);
  layout->addWidget(m_arm);
  connect(m_arm, &QPushButton::clicked, this, [this] {
    if (m_shown.armed) {
      emit disarmWanted();
    } else {
      emit armWanted();
    }
  });
  draw();
}

void Banner::show(const runbook::Banner& banner) {
  m_shown = banner;
  draw();
}

void Banner::setBusy(bool busy) {
  m_busy = busy;
  refreshArm();
}

void Banner::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) draw();
}

void Banner::draw() {
  const QString environment = text(m_shown.environment);
  m_environment->setText(m_shown.production ? tr("PRODUCTION") : environment);
  m_environment->setAccessibleName(tr("Environment: %1").arg(environment));
  m_environment->setVisible(!environment.isEmpty());
  m_environmentMark->setVisible(m_shown.production);
  drawMark(m_environmentMark, markIcon(Mark::Triangle, Tone::Bad, palette()));
  colour(m_environment, m_shown.production ? Tone::Bad : Tone::Calm);
  m_tables->setText(tablesText(m_shown));
  m_mode->setText(modeText(m_shown));
  m_mode->setAccessibleName(tr("Mode: %1").arg(m_mode->text()));
  drawMark(m_modeMark, m_shown.armed ? markIcon(Mark::Dot, Tone::Warning, palette())
                                     : markIcon(Mark::Circle, Tone::Calm, palette()));
  colour(m_mode, m_shown.armed ? Tone::Warning : Tone::Calm);
  refreshArm();
}

void Banner::refreshArm() {
  m_arm->setText(m_shown.armed ? tr("Dis&arm") : tr("&Arm…"));
  // A dry run has no arming to offer; the words beside say so.
  m_arm->setVisible(!m_shown.sinkTable.empty() && !m_shown.dryRun);
  m_arm->setEnabled(!m_busy);
  m_arm->setAccessibleDescription(m_busy ? tr("Work is running") : QString());
}

void Banner::drawMark(QLabel* label, const QIcon& icon) {
  label->setPixmap(icon.pixmap(style()->pixelMetric(QStyle::PM_SmallIconSize)));
}

}  // namespace tidemark::ui

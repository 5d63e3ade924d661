#include "ui/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/status_look.h"

namespace tidemark::ui {

Banner::Banner(QWidget* parent)
    : QFrame(parent),
      m_environment(new QLabel(this)),
      m_tables(new QLabel(this)),
      m_mode(new QLabel(this)),
      m_arm(new QPushButton(this)) {
  setObjectName("banner");
  setFrameShape(QFrame::StyledPanel);
  m_environment->setObjectName("bannerEnvironment");
  m_tables->setObjectName("bannerTables");
  m_mode->setObjectName("bannerMode");
  m_arm->setObjectName("armButton");
  QFont bold = font();
  bold.setBold(true);
  m_environment->setFont(bold);
  m_mode->setFont(bold);
  m_tables->setTextFormat(Qt::PlainText);
  m_tables->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_tables->setWordWrap(true);
  auto* layout = new QHBoxLayout(this);
  layout->addWidget(m_environment);
  layout->addWidget(m_tables, 1);
  layout->addWidget(m_mode);
  layout->addWidget(m_arm);
  connect(m_arm, &QPushButton::clicked, this, [this] {
    if (m_armed) {
      emit disarmWanted();
    } else {
      emit armWanted();
    }
  });
  show(runbook::Banner{});
}

void Banner::show(const runbook::Banner& banner) {
  m_armed = banner.armed;
  const QString environment = text(banner.environment);
  m_environment->setText(banner.production ? tr("⚠ PRODUCTION") : environment);
  QPalette colours = palette();
  if (banner.production) {
    colours.setColor(QPalette::WindowText,
                     palette().color(QPalette::Window).lightness() < 128 ? QColor("#ff8a80") : QColor("#b3261e"));
  }
  m_environment->setPalette(colours);
  m_environment->setAccessibleName(tr("Environment: %1").arg(environment));
  m_tables->setText(banner.sinkTable.empty() ? tr("No run is open")
                                             : tr("From %1 on %2\nInto %3 on %4")
                                                   .arg(text(banner.sourceTable), text(banner.source),
                                                        text(banner.sinkTable), text(banner.sink)));
  m_mode->setText(banner.armed    ? tr("ARMED: may write")
                  : banner.dryRun ? tr("Dry run: writes nothing, for good")
                                  : tr("Dry run: writes nothing"));
  m_mode->setAccessibleName(m_mode->text());
  m_arm->setText(banner.armed ? tr("&Disarm") : tr("&Arm…"));
  m_arm->setEnabled(!banner.sinkTable.empty() && !banner.dryRun);
  m_arm->setToolTip(banner.dryRun ? tr("This run was begun as a dry run; begin another one to write.") : QString());
}

}  // namespace tidemark::ui

#include "ui/obstacle_list.h"

#include <QVBoxLayout>

#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

bool leadsSomewhere(const runbook::Obstacle& obstacle) {
  return !obstacle.gate.empty() || !obstacle.question.empty() || !obstacle.action.empty();
}

QString line(const runbook::Obstacle& obstacle, std::size_t number) {
  const QString words = text(obstacle.text).toHtmlEscaped();
  return leadsSomewhere(obstacle) ? QString("<a href=\"%1\">%2</a>").arg(number).arg(words) : words;
}

}  // namespace

ObstacleList::ObstacleList(QWidget* parent) : QWidget(parent), m_links(new QLabel(this)) {
  m_links->setObjectName("obstaclesLabel");
  m_links->setTextFormat(Qt::RichText);
  m_links->setWordWrap(true);
  m_links->setTextInteractionFlags(Qt::LinksAccessibleByKeyboard | Qt::LinksAccessibleByMouse);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGap / 2);
  layout->addWidget(heading(tr("Left to do in this step"), this));
  layout->addWidget(m_links);
  connect(m_links, &QLabel::linkActivated, this, [this](const QString& link) {
    const auto index = static_cast<std::size_t>(link.toULongLong());
    if (index < m_obstacles.size()) emit chosen(m_obstacles[index]);
  });
}

void ObstacleList::show(const std::vector<runbook::Obstacle>& obstacles) {
  m_obstacles = obstacles;
  QStringList lines;
  QStringList words;
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    lines << "<li>" + line(obstacles[i], i) + "</li>";
    words << text(obstacles[i].text);
  }
  m_links->setText("<ul style=\"margin-left: 18px; -qt-list-indent: 0;\">" + lines.join(QString()) + "</ul>");
  m_links->setAccessibleName(tr("Left to do in this step: %1").arg(words.join("; ")));
  setVisible(!obstacles.empty());
}

QString reasonLink(const std::vector<runbook::Obstacle>& obstacles) {
  if (obstacles.empty()) return {};
  QString words = line(obstacles.front(), 0);
  if (obstacles.size() > 1) {
    words += " " + ObstacleList::tr("and %n more", nullptr, static_cast<int>(obstacles.size() - 1));
  }
  return words;
}

}  // namespace tidemark::ui

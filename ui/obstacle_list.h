#pragma once

#include <vector>

#include <QWidget>

#include "runbook/run_state.h"

class QLabel;

namespace tidemark::ui {

/// What is left before the step can be finished; each line links to the gate, question or action that it hangs on.
class ObstacleList : public QWidget {
  Q_OBJECT

 public:
  explicit ObstacleList(QWidget* parent = nullptr);
  void show(const std::vector<runbook::Obstacle>& obstacles);

 signals:
  void chosen(const tidemark::runbook::Obstacle& obstacle);

 private:
  std::vector<runbook::Obstacle> m_obstacles;
  QLabel* m_links;
};

/// Says in one line why the step cannot be finished, with a link to the first obstacle; empty when nothing is left.
QString reasonLink(const std::vector<runbook::Obstacle>& obstacles);

}  // namespace tidemark::ui

#pragma once

#include <map>
#include <vector>

#include <QWidget>

#include "runbook/run_state.h"

class QFormLayout;

namespace tidemark::ui {

/// The questions of a step, each with its field, help and Apply button. A field that the operator is typing in is left
/// alone when the view is read again.
class QuestionForm : public QWidget {
  Q_OBJECT

 public:
  explicit QuestionForm(QWidget* parent = nullptr);
  void show(int step, const std::vector<runbook::Question>& questions,
            const std::map<std::string, runbook::Answer>& given, bool editable);
  void reveal(const std::string& question);

 signals:
  void answered(const QString& question, const QString& value);

 private:
  struct Field {
    runbook::Question question;
    QWidget* editor = nullptr;
    QString lastShown;
  };
  void rebuild(const std::vector<runbook::Question>& questions);
  void addField(const runbook::Question& question);
  void setValue(Field& field, const QString& value);

  QFormLayout* m_layout;
  int m_step = 0;
  std::map<std::string, Field> m_fields;
  std::vector<std::string> m_order;
};

}  // namespace tidemark::ui

#pragma once

#include <map>
#include <vector>

#include <QWidget>

#include "runbook/run_state.h"

class QGridLayout;
class QPushButton;

namespace tidemark::ui {

/// The questions of a step, each with its field, help and a button that journals the answer. A field that the operator
/// is typing in is left alone when the view is read again.
class QuestionForm : public QWidget {
  Q_OBJECT

 public:
  explicit QuestionForm(QWidget* parent = nullptr);
  void show(int step, const std::vector<runbook::Question>& questions,
            const std::map<std::string, runbook::Answer>& given, bool editable);
  bool reveal(const std::string& question);
  /// In reading order, for the tab chain.
  std::vector<QWidget*> tabStops() const { return m_tabStops; }

 signals:
  void answered(const QString& question, const QString& value);

 private:
  struct Field {
    runbook::Question question;
    QWidget* editor = nullptr;
    QPushButton* apply = nullptr;
    QString lastShown;
    bool given = false;
    QString givenValue;
  };
  void rebuild(const std::vector<runbook::Question>& questions);
  void addField(const runbook::Question& question);
  void setValue(Field& field, const QString& value);
  void refreshApply(const std::string& question);

  QGridLayout* m_layout;
  int m_step = 0;
  bool m_editable = false;
  std::map<std::string, Field> m_fields;
  std::vector<std::string> m_order;
  std::vector<QWidget*> m_tabStops;
};

}  // namespace tidemark::ui

#include "ui/question_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardItemModel>

#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

QString valueOf(const QWidget* editor) {
  if (const auto* combo = qobject_cast<const QComboBox*>(editor)) return combo->currentData().toString();
  return qobject_cast<const QLineEdit*>(editor)->text();
}

QComboBox* choiceEditor(const runbook::Question& question, QWidget* parent) {
  auto* combo = new QComboBox(parent);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setMinimumContentsLength(40);
  combo->addItem(QuestionForm::tr("Choose…"), QString());
  for (const auto& choice : question.choices) {
    QString label = text(choice.label);
    if (!choice.notBecause.empty()) label += QuestionForm::tr(" (not now: %1)").arg(text(choice.notBecause));
    combo->addItem(label, text(choice.value));
    if (choice.notBecause.empty()) continue;
    auto* model = qobject_cast<QStandardItemModel*>(combo->model());
    model->item(combo->count() - 1)->setEnabled(false);
  }
  return combo;
}

}  // namespace

QuestionForm::QuestionForm(QWidget* parent) : QWidget(parent), m_layout(new QFormLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setRowWrapPolicy(QFormLayout::WrapLongRows);
  m_layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
}

void QuestionForm::show(int step, const std::vector<runbook::Question>& questions,
                        const std::map<std::string, runbook::Answer>& given, bool editable) {
  std::vector<std::string> order;
  bool same = step == m_step && questions.size() == m_order.size();
  for (const auto& question : questions) {
    const auto known = m_fields.find(question.id);
    same = same && known != m_fields.end() && known->second.question.choices.size() == question.choices.size() &&
           known->second.question.expected == question.expected;
    order.push_back(question.id);
  }
  m_step = step;
  if (!same || order != m_order) {
    m_order = std::move(order);
    rebuild(questions);
  }
  for (auto& [id, field] : m_fields) {
    const auto answer = given.find(id);
    const QString value = answer != given.end() ? text(answer->second.value) : text(field.question.defaultValue);
    // What the operator has typed since wins over what was read.
    if (value != field.lastShown || valueOf(field.editor).isEmpty()) setValue(field, value);
    field.lastShown = value;
    field.editor->parentWidget()->setEnabled(editable);
  }
}

void QuestionForm::reveal(const std::string& question) {
  const auto found = m_fields.find(question);
  if (found != m_fields.end()) found->second.editor->setFocus();
}

void QuestionForm::rebuild(const std::vector<runbook::Question>& questions) {
  while (m_layout->rowCount() > 0) m_layout->removeRow(0);
  m_fields.clear();
  for (const auto& question : questions) addField(question);
}

void QuestionForm::addField(const runbook::Question& question) {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  QWidget* editor = nullptr;
  if (!question.choices.empty()) {
    editor = choiceEditor(question, row);
  } else {
    auto* line = new QLineEdit(row);
    if (!question.expected.empty()) line->setPlaceholderText(tr("Type %1").arg(text(question.expected)));
    editor = line;
  }
  editor->setObjectName("answer_" + text(question.id));
  editor->setAccessibleName(text(question.prompt));
  auto* apply = new QPushButton(tr("Answer"), row);
  apply->setObjectName("apply_" + text(question.id));
  apply->setAccessibleName(tr("Answer: %1").arg(text(question.prompt)));
  layout->addWidget(editor, 1);
  layout->addWidget(apply);
  const auto send = [this, id = text(question.id), editor] { emit answered(id, valueOf(editor)); };
  connect(apply, &QPushButton::clicked, this, send);
  if (auto* line = qobject_cast<QLineEdit*>(editor)) connect(line, &QLineEdit::returnPressed, this, send);
  auto* label = new QLabel(text(question.prompt) + (question.required ? QString() : tr(" (may stay empty)")), this);
  label->setBuddy(editor);
  label->setWordWrap(true);
  m_layout->addRow(label, row);
  if (!question.help.empty()) {
    auto* help = new QLabel(text(question.help), this);
    help->setWordWrap(true);
    QFont small = help->font();
    small.setPointSizeF(small.pointSizeF() * 0.92);
    help->setFont(small);
    m_layout->addRow(QString(), help);
  }
  m_fields[question.id] = {question, editor, {}};
}

void QuestionForm::setValue(Field& field, const QString& value) {
  if (auto* combo = qobject_cast<QComboBox*>(field.editor)) {
    combo->setCurrentIndex(std::max(0, combo->findData(value)));
    return;
  }
  qobject_cast<QLineEdit*>(field.editor)->setText(value);
}

}  // namespace tidemark::ui

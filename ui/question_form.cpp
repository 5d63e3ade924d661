#include "ui/question_form.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardItemModel>

#include "ui/page_parts.h"
#include "ui/status_look.h"

namespace tidemark::ui {

namespace {

QString valueOf(const QWidget* editor) {
  if (const auto* combo = qobject_cast<const QComboBox*>(editor)) return combo->currentData().toString();
  return qobject_cast<const QLineEdit*>(editor)->text();
}

bool sameChoices(const runbook::Question& one, const runbook::Question& other) {
  return std::equal(one.choices.begin(), one.choices.end(), other.choices.begin(), other.choices.end(),
                    [](const runbook::Choice& left, const runbook::Choice& right) {
                      return left.value == right.value && left.label == right.label &&
                             left.notBecause == right.notBecause;
                    });
}

QComboBox* choiceEditor(const runbook::Question& question, QWidget* parent) {
  auto* combo = new QComboBox(parent);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setMinimumContentsLength(24);
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

QuestionForm::QuestionForm(QWidget* parent) : QWidget(parent), m_layout(new QGridLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setColumnStretch(0, 3);
  m_layout->setColumnStretch(1, 5);
  m_layout->setHorizontalSpacing(kPanelMargin);
  m_layout->setVerticalSpacing(kGap);
}

void QuestionForm::show(int step, const std::vector<runbook::Question>& questions,
                        const std::map<std::string, runbook::Answer>& given, bool editable) {
  std::vector<std::string> order;
  bool same = step == m_step && questions.size() == m_order.size();
  for (const auto& question : questions) {
    const auto known = m_fields.find(question.id);
    same = same && known != m_fields.end() && sameChoices(known->second.question, question) &&
           known->second.question.expected == question.expected && known->second.question.prompt == question.prompt;
    order.push_back(question.id);
  }
  m_step = step;
  m_editable = editable;
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
    field.given = answer != given.end();
    field.givenValue = field.given ? value : QString();
    field.editor->setEnabled(editable);
    field.apply->setToolTip(field.given
                                ? tr("Answered by %1, %2").arg(text(answer->second.user), utcText(answer->second.time))
                                : QString());
    refreshApply(id);
  }
}

bool QuestionForm::reveal(const std::string& question) {
  const auto found = m_fields.find(question);
  if (found == m_fields.end()) return false;
  found->second.editor->setFocus(Qt::OtherFocusReason);
  return true;
}

void QuestionForm::rebuild(const std::vector<runbook::Question>& questions) {
  clearLayout(m_layout);
  m_fields.clear();
  m_tabStops.clear();
  for (const auto& question : questions) addField(question);
}

void QuestionForm::addField(const runbook::Question& question) {
  QWidget* editor = nullptr;
  if (!question.choices.empty()) {
    editor = choiceEditor(question, this);
  } else {
    auto* line = new QLineEdit(this);
    if (!question.expected.empty()) line->setPlaceholderText(tr("Type %1").arg(text(question.expected)));
    editor = line;
  }
  editor->setObjectName("answer_" + text(question.id));
  editor->setAccessibleName(text(question.prompt));
  auto* apply = new QPushButton(tr("Answer"), this);
  apply->setObjectName("apply_" + text(question.id));
  const auto send = [this, id = text(question.id), editor] { emit answered(id, valueOf(editor)); };
  const auto changed = [this, id = question.id] { refreshApply(id); };
  connect(apply, &QPushButton::clicked, this, send);
  if (auto* line = qobject_cast<QLineEdit*>(editor)) {
    connect(line, &QLineEdit::returnPressed, this, send);
    connect(line, &QLineEdit::textChanged, this, changed);
  } else {
    connect(qobject_cast<QComboBox*>(editor), &QComboBox::currentIndexChanged, this, changed);
  }
  auto* label = new QLabel(
      question.required ? text(question.prompt) : tr("%1 (may stay empty)").arg(text(question.prompt)), this);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setBuddy(editor);
  const int row = m_layout->rowCount();
  m_layout->addWidget(label, row, 0);
  m_layout->addWidget(editor, row, 1);
  m_layout->addWidget(apply, row, 2);
  if (!question.help.empty()) {
    m_layout->addWidget(smallPrint(text(question.help), this), row + 1, 1, 1, 2);
    editor->setAccessibleDescription(text(question.help));
  }
  m_fields[question.id] = {question, editor, apply, {}, false, {}};
  m_tabStops.push_back(editor);
  m_tabStops.push_back(apply);
}

void QuestionForm::refreshApply(const std::string& question) {
  const auto found = m_fields.find(question);
  if (found == m_fields.end()) return;
  const Field& field = found->second;
  const QString value = valueOf(field.editor);
  const bool standing = field.given && value.trimmed() == field.givenValue;
  const bool empty = value.trimmed().isEmpty() && field.question.required;
  field.apply->setText(standing ? tr("Answered") : tr("Answer"));
  field.apply->setAccessibleName(tr("%1: %2").arg(field.apply->text(), text(field.question.prompt)));
  field.apply->setEnabled(m_editable && !standing && !empty);
}

void QuestionForm::setValue(Field& field, const QString& value) {
  if (auto* combo = qobject_cast<QComboBox*>(field.editor)) {
    combo->setCurrentIndex(std::max(0, combo->findData(value)));
    return;
  }
  qobject_cast<QLineEdit*>(field.editor)->setText(value);
}

}  // namespace tidemark::ui

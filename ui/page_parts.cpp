#include "ui/page_parts.h"

#include <QFontDatabase>
#include <QLayout>

namespace tidemark::ui {

namespace {

constexpr double kSmallPrint = 0.92;

QFont scaled(QFont font, double scale) {
  if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * scale);
  return font;
}

}  // namespace

QLabel* heading(const QString& words, QWidget* parent, double scale) {
  auto* label = new QLabel(words, parent);
  QFont font = scaled(label->font(), scale);
  font.setBold(true);
  label->setFont(font);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

QLabel* wrapped(const QString& words, QWidget* parent) {
  auto* label = new QLabel(words, parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

QLabel* smallPrint(const QString& words, QWidget* parent) {
  auto* label = wrapped(words, parent);
  label->setFont(scaled(label->font(), kSmallPrint));
  return label;
}

QFont statementFont(const QWidget* widget) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  if (widget->font().pointSizeF() > 0) font.setPointSizeF(widget->font().pointSizeF());
  return font;
}

void clearLayout(QLayout* layout) {
  while (auto* item = layout->takeAt(0)) {
    if (auto* widget = item->widget()) {
      widget->hide();
      widget->deleteLater();
    }
    delete item;
  }
}

}  // namespace tidemark::ui

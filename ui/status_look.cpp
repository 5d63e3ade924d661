#include "ui/status_look.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

namespace tidemark::ui {

namespace {

enum class Shape { Circle, Dot, Tick, Cross, Triangle, Question, Bar, Clock };

QString translate(const char* word) {
  return QCoreApplication::translate("StatusLook", word);
}

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < 128;
}

/// Shapes differ so that no state hangs on its colour alone.
QIcon draw(Shape shape, const QColor& colour) {
  constexpr int kSize = 32;
  QPixmap pixmap(kSize, kSize);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 3.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QRectF box(5, 5, kSize - 10, kSize - 10);
  switch (shape) {
    case Shape::Circle:
      painter.drawEllipse(box);
      break;
    case Shape::Dot:
      painter.drawEllipse(box);
      painter.setBrush(colour);
      painter.drawEllipse(box.adjusted(7, 7, -7, -7));
      break;
    case Shape::Tick:
      painter.drawPolyline(QPolygonF({{6, 17}, {13, 24}, {26, 8}}));
      break;
    case Shape::Cross:
      painter.drawLine(8, 8, 24, 24);
      painter.drawLine(24, 8, 8, 24);
      break;
    case Shape::Triangle:
      painter.drawPolygon(QPolygonF({{16, 5}, {28, 27}, {4, 27}}));
      painter.drawLine(QPointF(16, 13), QPointF(16, 19));
      painter.drawPoint(QPointF(16, 23.5));
      break;
    case Shape::Question: {
      QFont font = painter.font();
      font.setPixelSize(26);
      font.setBold(true);
      painter.setFont(font);
      painter.drawText(QRectF(0, 0, kSize, kSize), Qt::AlignCenter, "?");
      break;
    }
    case Shape::Bar:
      painter.drawLine(7, 16, 25, 16);
      break;
    case Shape::Clock:
      painter.drawEllipse(box);
      painter.drawPolyline(QPolygonF({{16, 10}, {16, 16}, {21, 19}}));
      break;
  }
  return QIcon(pixmap);
}

struct Colours {
  QColor good, bad, warn, calm;
};

Colours coloursFor(const QPalette& palette) {
  if (isDark(palette)) return {QColor("#6fce8a"), QColor("#ff8a80"), QColor("#ffcc66"), palette.color(QPalette::Text)};
  return {QColor("#1b6e35"), QColor("#b3261e"), QColor("#8a5a00"), palette.color(QPalette::Text)};
}

}  // namespace

StatusLook lookOf(runbook::StepStatus status, const QPalette& palette) {
  const Colours colours = coloursFor(palette);
  switch (status) {
    case runbook::StepStatus::Pending:
      return {translate("pending"), draw(Shape::Circle, colours.calm)};
    case runbook::StepStatus::Running:
      return {translate("running"), draw(Shape::Dot, colours.calm)};
    case runbook::StepStatus::Done:
      return {translate("done"), draw(Shape::Tick, colours.good)};
    case runbook::StepStatus::Skipped:
      return {translate("does not apply"), draw(Shape::Bar, colours.calm)};
    case runbook::StepStatus::Failed:
      return {translate("failed"), draw(Shape::Cross, colours.bad)};
  }
  return {};
}

StatusLook lookOf(runbook::GateResult result, const QPalette& palette) {
  const Colours colours = coloursFor(palette);
  switch (result) {
    case runbook::GateResult::Pass:
      return {translate("pass"), draw(Shape::Tick, colours.good)};
    case runbook::GateResult::Warn:
      return {translate("warning"), draw(Shape::Triangle, colours.warn)};
    case runbook::GateResult::Fail:
      return {translate("shut"), draw(Shape::Cross, colours.bad)};
    case runbook::GateResult::Unknown:
      return {translate("unknown"), draw(Shape::Question, colours.calm)};
    case runbook::GateResult::Stale:
      return {translate("stale"), draw(Shape::Clock, colours.warn)};
    case runbook::GateResult::DoesNotApply:
      return {translate("does not apply"), draw(Shape::Bar, colours.calm)};
  }
  return {};
}

QString durationText(qint64 seconds) {
  const auto two = [](qint64 value) { return QString("%1").arg(value, 2, 10, QChar('0')); };
  if (seconds < 60) return QCoreApplication::translate("StatusLook", "%1 s").arg(seconds);
  if (seconds < 3600) {
    return QCoreApplication::translate("StatusLook", "%1 min %2 s").arg(seconds / 60).arg(two(seconds % 60));
  }
  return QCoreApplication::translate("StatusLook", "%1 h %2 min").arg(seconds / 3600).arg(two(seconds % 3600 / 60));
}

QString grouped(std::uint64_t number) {
  return QLocale().toString(static_cast<qulonglong>(number));
}

}  // namespace tidemark::ui

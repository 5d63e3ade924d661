#include "ui/status_look.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

namespace tidemark::ui {

namespace {

QString translate(const char* word) {
  return QCoreApplication::translate("StatusLook", word);
}

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < 128;
}

QPixmap draw(Mark shape, const QColor& colour) {
  constexpr int kSize = 32;
  // Drawn at three times its size: icons are shown at 16 pixels, and stay sharp on dense screens.
  constexpr int kDensity = 3;
  QPixmap pixmap(kSize * kDensity, kSize * kDensity);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.scale(kDensity, kDensity);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 3.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QRectF box(5, 5, kSize - 10, kSize - 10);
  switch (shape) {
    case Mark::Circle:
      painter.drawEllipse(box);
      break;
    case Mark::Dot:
      painter.drawEllipse(box);
      painter.setBrush(colour);
      painter.drawEllipse(box.adjusted(7, 7, -7, -7));
      break;
    case Mark::Tick:
      painter.drawPolyline(QPolygonF({{6, 17}, {13, 24}, {26, 8}}));
      break;
    case Mark::Cross:
      painter.drawLine(8, 8, 24, 24);
      painter.drawLine(24, 8, 8, 24);
      break;
    case Mark::Triangle:
      painter.drawPolygon(QPolygonF({{16, 5}, {28, 27}, {4, 27}}));
      painter.drawLine(QPointF(16, 13), QPointF(16, 19));
      painter.drawPoint(QPointF(16, 23.5));
      break;
    case Mark::Question: {
      QFont font = painter.font();
      font.setPixelSize(26);
      font.setBold(true);
      painter.setFont(font);
      painter.drawText(QRectF(0, 0, kSize, kSize), Qt::AlignCenter, "?");
      break;
    }
    case Mark::Bar:
      painter.drawLine(7, 16, 25, 16);
      break;
    case Mark::Clock:
      painter.drawEllipse(box);
      painter.drawPolyline(QPolygonF({{16, 10}, {16, 16}, {21, 19}}));
      break;
  }
  return pixmap;
}

}  // namespace

QColor toneColour(Tone tone, const QPalette& palette) {
  const bool dark = isDark(palette);
  switch (tone) {
    case Tone::Good:
      return dark ? QColor("#6fce8a") : QColor("#1b6e35");
    case Tone::Warning:
      return dark ? QColor("#ffcc66") : QColor("#8a5a00");
    case Tone::Bad:
      return dark ? QColor("#ff8a80") : QColor("#b3261e");
    case Tone::Calm:
      break;
  }
  return palette.color(QPalette::Text);
}

QIcon markIcon(Mark mark, Tone tone, const QPalette& palette) {
  QIcon icon(draw(mark, toneColour(tone, palette)));
  // On a chosen row the tone would not stand out; the shape and the word say the same.
  icon.addPixmap(draw(mark, palette.color(QPalette::HighlightedText)), QIcon::Selected);
  return icon;
}

StatusLook lookOf(runbook::StepStatus status, const QPalette& palette) {
  switch (status) {
    case runbook::StepStatus::Pending:
      return {translate("pending"), markIcon(Mark::Circle, Tone::Calm, palette)};
    case runbook::StepStatus::Running:
      return {translate("running"), markIcon(Mark::Dot, Tone::Calm, palette)};
    case runbook::StepStatus::Done:
      return {translate("done"), markIcon(Mark::Tick, Tone::Good, palette)};
    case runbook::StepStatus::Skipped:
      return {translate("does not apply"), markIcon(Mark::Bar, Tone::Calm, palette)};
    case runbook::StepStatus::Failed:
      return {translate("failed"), markIcon(Mark::Cross, Tone::Bad, palette)};
  }
  return {};
}

StatusLook lookOf(runbook::GateResult result, const QPalette& palette) {
  switch (result) {
    case runbook::GateResult::Pass:
      return {translate("pass"), markIcon(Mark::Tick, Tone::Good, palette)};
    case runbook::GateResult::Warn:
      return {translate("warning"), markIcon(Mark::Triangle, Tone::Warning, palette)};
    case runbook::GateResult::Fail:
      return {translate("shut"), markIcon(Mark::Cross, Tone::Bad, palette)};
    case runbook::GateResult::Unknown:
      return {translate("unknown"), markIcon(Mark::Question, Tone::Calm, palette)};
    case runbook::GateResult::Stale:
      return {translate("stale"), markIcon(Mark::Clock, Tone::Warning, palette)};
    case runbook::GateResult::DoesNotApply:
      return {translate("does not apply"), markIcon(Mark::Bar, Tone::Calm, palette)};
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

QString utcText(const std::string& time) {
  const QDateTime moment = QDateTime::fromString(text(time), Qt::ISODateWithMs);
  return moment.isValid() ? moment.toUTC().toString("yyyy-MM-dd HH:mm:ss") + " UTC" : text(time);
}

QString localText(const std::string& time) {
  const QDateTime moment = QDateTime::fromString(text(time), Qt::ISODateWithMs).toLocalTime();
  return moment.isValid() ? moment.toString("yyyy-MM-dd HH:mm:ss ") + moment.timeZoneAbbreviation() : text(time);
}

QString grouped(std::uint64_t number) {
  return QLocale().toString(static_cast<qulonglong>(number));
}

}  // namespace tidemark::ui

#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QString>

#include "runbook/run_state.h"

namespace tidemark::ui {

/// The shapes differ, so that no state hangs on its colour alone.
enum class Mark { Circle, Dot, Tick, Cross, Triangle, Question, Bar, Clock };
/// What a colour of this program says; each comes with a mark and a word.
enum class Tone { Calm, Good, Warning, Bad };

/// The four tones for a light or dark palette, each with a contrast of at least 4.5 to the window and to the base.
QColor toneColour(Tone tone, const QPalette& palette);
QIcon markIcon(Mark mark, Tone tone, const QPalette& palette);

/// Word and icon of a state: every state is told by both, and by colour only in addition.
struct StatusLook {
  QString word;
  QIcon icon;
};

StatusLook lookOf(runbook::StepStatus status, const QPalette& palette);
StatusLook lookOf(runbook::GateResult result, const QPalette& palette);

/// "1 h 05 min", "42 s": never ambiguous.
QString durationText(qint64 seconds);
/// "2026-03-01 09:15:00 UTC" of a time in the journal's form.
QString utcText(const std::string& time);
/// The same moment in the operator's own zone, for hovering over.
QString localText(const std::string& time);
/// Text of an engine or runbook value.
inline QString text(const std::string& value) {
  return QString::fromStdString(value);
}
/// 1,234,567 in the program's locale.
QString grouped(std::uint64_t number);

}  // namespace tidemark::ui

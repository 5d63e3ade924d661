#pragma once

#include <QIcon>
#include <QPalette>
#include <QString>

#include "runbook/run_state.h"

namespace tidemark::ui {

/// Word and icon of a state: every state is told by both, and by colour only in addition.
struct StatusLook {
  QString word;
  QIcon icon;
};

StatusLook lookOf(runbook::StepStatus status, const QPalette& palette);
StatusLook lookOf(runbook::GateResult result, const QPalette& palette);

/// "1 h 05 min", "42 s": never ambiguous.
QString durationText(qint64 seconds);
/// Text of an engine or runbook value.
inline QString text(const std::string& value) {
  return QString::fromStdString(value);
}
/// 1,234,567 in the program's locale.
QString grouped(std::uint64_t number);

}  // namespace tidemark::ui

#pragma once

#include <QPalette>

namespace tidemark::ui {

enum class Theme { System, Light, Dark };

/// The palette of a theme; `system` is what the desktop gave when the program began.
QPalette paletteOf(Theme theme, const QPalette& system);

}  // namespace tidemark::ui

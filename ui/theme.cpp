#include "ui/theme.h"

namespace tidemark::ui {

namespace {

struct Shades {
  QColor window, base, alternate, button, text, faint, highlight, highlighted, link;
};

QPalette made(const Shades& shades) {
  QPalette palette(shades.button, shades.window);
  palette.setColor(QPalette::Window, shades.window);
  palette.setColor(QPalette::Base, shades.base);
  palette.setColor(QPalette::AlternateBase, shades.alternate);
  palette.setColor(QPalette::Button, shades.button);
  palette.setColor(QPalette::ToolTipBase, shades.alternate);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
    palette.setColor(role, shades.text);
    palette.setColor(QPalette::Disabled, role, shades.faint);
  }
  palette.setColor(QPalette::PlaceholderText, shades.faint);
  palette.setColor(QPalette::Highlight, shades.highlight);
  palette.setColor(QPalette::HighlightedText, shades.highlighted);
  palette.setColor(QPalette::Link, shades.link);
  palette.setColor(QPalette::LinkVisited, shades.link);
  return palette;
}

}  // namespace

QPalette paletteOf(Theme theme, const QPalette& system) {
  switch (theme) {
    case Theme::Light:
      return made({"#f4f5f6", "#ffffff", "#eceef0", "#e9ebed", "#1b1f23", "#6a737d", "#24588f", "#ffffff", "#1f5a99"});
    case Theme::Dark:
      return made({"#2d3136", "#1a1d20", "#363b41", "#3e444b", "#e8eaec", "#a0a8b0", "#35699f", "#ffffff", "#8fc1f5"});
    case Theme::System:
      break;
  }
  return system;
}

}  // namespace tidemark::ui

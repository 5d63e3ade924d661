#pragma once

#include <QLabel>

class QBoxLayout;
class QLayout;

namespace tidemark::ui {

// Distances that every page and dialog shares, in device-independent pixels.
inline constexpr int kPageMargin = 16;
inline constexpr int kPanelMargin = 12;
inline constexpr int kGap = 8;
inline constexpr int kSectionGap = 16;

/// A bold line above a section; `scale` makes it larger than the font of `parent`.
QLabel* heading(const QString& words, QWidget* parent, double scale = 1.0);
/// Plain text that wraps and can be selected.
QLabel* wrapped(const QString& words, QWidget* parent);
/// Plain text that wraps, one size smaller: help below a field.
QLabel* smallPrint(const QString& words, QWidget* parent);
/// The system's fixed font in the size of `widget`, for statements.
QFont statementFont(const QWidget* widget);
/// Takes everything out of a layout and deletes it once control has returned to the event loop.
void clearLayout(QLayout* layout);

}  // namespace tidemark::ui

// Debian publishes the parent include folder of every Qt module, so a stray Widgets include would compile here.
// These definitions are set by CMake when a target links Qt Gui or Widgets: the runbook must never do so.
#if defined(QT_WIDGETS_LIB) || defined(QT_GUI_LIB)
#error "runbook must not link Qt Gui or Qt Widgets"
#endif

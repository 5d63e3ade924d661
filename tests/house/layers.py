#!/usr/bin/env python3
"""Reads every include of the tree and fails on one that goes against app -> ui -> runbook -> engine, or past an adapter.

Linking alone does not keep the layers: Debian publishes the include folder of every Qt module to whoever links Core.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
GUI_HEADER = re.compile(r"^(QtWidgets/|QtGui/|QtCharts/|Q(Widget|Dialog|MainWindow|Application|GuiApplication|Label|"
                        r"PushButton|Painter|Icon|Pixmap|Font|Color|Palette|Layout|VBoxLayout|HBoxLayout|Action|Menu|"
                        r"TreeView|TableView|ListView|TextEdit|PlainTextEdit|LineEdit|ComboBox|ProgressBar|Chart)\b)")
QT_HEADER = re.compile(r"^(Q[A-Z]\w*|Qt[A-Z]\w*/.*)$")

# layer -> project folders that it must not see
FORBIDDEN = {
    "engine": ("runbook/", "ui/", "app/"),
    "runbook": ("ui/", "app/", "engine/postgres/", "engine/sqlite/", "engine/simulator/", "engine/kafka/",
                "engine/connect/"),
    "ui": ("app/", "engine/postgres/", "engine/sqlite/", "engine/simulator/", "engine/kafka/", "engine/connect/"),
}
# a library -> the only folders that may include it
ADAPTER_ONLY = {
    re.compile(r"^(pqxx/|pqxx$|libpq-fe\.h$|libpq/)"): ("engine/postgres/",),
    re.compile(r"^(librdkafka/|rdkafka)"): ("engine/kafka/",),
    re.compile(r"^QSql\w+$|^QtSql/"): ("engine/sqlite/", "engine/simulator/", "runbook/"),
}


def problems():
    seen = 0
    for layer in ("engine", "runbook", "ui", "app"):
        for path in sorted((ROOT / layer).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            name = path.relative_to(ROOT).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                seen += 1
                target = match.group(1)
                for folder in FORBIDDEN.get(layer, ()):
                    if target.startswith(folder):
                        yield f"{name}:{number}: {layer} must not include {target}"
                if layer in ("engine", "runbook") and GUI_HEADER.match(target):
                    yield f"{name}:{number}: no screen below ui: {target}"
                if layer == "engine" and path.suffix == ".h" and QT_HEADER.match(target):
                    yield f"{name}:{number}: engine headers use standard types: {target}"
                if name.startswith("app/ctl/") and GUI_HEADER.match(target):
                    yield f"{name}:{number}: tidemarkctl has no screen: {target}"
                if layer != "app":
                    for library, folders in ADAPTER_ONLY.items():
                        if library.match(target) and not name.startswith(folders):
                            yield f"{name}:{number}: only {' and '.join(folders)} may include {target}"
    if seen < 20:
        yield f"only {seen} includes were read: the test looked in the wrong place"


found = list(problems())
print("\n".join(found) if found else "layers hold")
sys.exit(1 if found else 0)

#!/usr/bin/env python3
"""Fails on a function past 60 lines that tests/house/long_files does not list as FILE:FUNCTION with a reason."""
import pathlib
import subprocess
import sys

LIMIT = 60
ROOT = pathlib.Path(sys.argv[2])
files = [path.relative_to(ROOT).as_posix() for layer in ("engine", "runbook", "ui", "app")
         for path in sorted((ROOT / layer).rglob("*")) if path.suffix in (".h", ".cpp")]
tags = subprocess.run([sys.argv[1], "--fields=+ne", "--languages=C++", "--kinds-C++=f", "-f", "-", *files], cwd=ROOT,
                      check=True, capture_output=True, text=True).stdout
lengths = {}
for tag in tags.splitlines():
    name, file, *rest = tag.split("\t")
    fields = dict(field.split(":", 1) for field in rest if field.startswith(("line:", "end:")))
    if "end" in fields:
        place = f"{file}:{name}"
        lengths[place] = max(lengths.get(place, 0), int(fields["end"]) - int(fields["line"]) + 1)
listed = {line.split(" ")[0] for line in (ROOT / "tests/house/long_files").read_text().splitlines()
          if ":" in line.split(" ")[0] and not line.startswith("#")}
found = [f"{place}: {length} lines, no reason in tests/house/long_files"
         for place, length in sorted(lengths.items()) if length > LIMIT and place not in listed]
if len(lengths) < 1000:
    found.append(f"only {len(lengths)} functions were read: the test looked in the wrong place")
print("\n".join(found) if found else f"{len(lengths)} functions, none longer than it should be")
sys.exit(1 if found else 0)

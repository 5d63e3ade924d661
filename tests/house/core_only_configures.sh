#!/bin/sh
# The preset for machines without a screen configures, and never looks for the libraries of one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake -S "$1" --preset core-only -B "$folder" -DCMAKE_DISABLE_FIND_PACKAGE_Qt6Widgets=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_Qt6Gui=ON >"$folder/configure.out" 2>&1 || { cat "$folder/configure.out"; exit 1; }
grep -q '^TIDEMARK_CORE_ONLY:BOOL=ON' "$folder/CMakeCache.txt" || { echo "the preset did not apply"; exit 1; }
if grep -E 'Qt6(Widgets|Gui|Charts|Svg|PrintSupport)_DIR' "$folder/CMakeCache.txt"; then
  echo "looked for a library of the screen"
  exit 1
fi

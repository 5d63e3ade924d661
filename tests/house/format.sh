#!/bin/sh
# Every source file is formatted as .clang-format says.
set -eu
cd "$1"
find app ui runbook engine tests -name '*.h' -o -name '*.cpp' | sort | xargs clang-format --dry-run -Werror

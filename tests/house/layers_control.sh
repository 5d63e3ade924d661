#!/bin/sh
# The layer test must be able to fail: each line below is a forbidden include that it has to find.
set -u
script=$1
source=$2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failed=0
check() { # folder/file include
  rm -rf "${copy:?}"/*
  cp -r "$source/engine" "$source/runbook" "$source/ui" "$source/app" "$copy/"
  mkdir -p "$(dirname "$copy/$1")"
  echo "#include $2" >"$copy/$1"
  if python3 "$script" "$copy" >/dev/null; then
    echo "not found: $1 including $2"
    failed=1
  fi
}
check engine/apply/seeded.cpp '"runbook/run_state.h"'
check engine/apply/seeded.h '<QString>'
check engine/apply/seeded.cpp '<pqxx/pqxx>'
check runbook/seeded.cpp '<QtWidgets/QLabel>'
check runbook/seeded.cpp '"engine/postgres/connection.h"'
check runbook/steps/seeded.cpp '"ui/main_window.h"'
check ui/seeded.cpp '<QSqlDatabase>'
check ui/seeded.cpp '"app/console/main.h"'
exit $failed

#!/bin/sh
# tidemarkctl must not need a GUI library: it runs over SSH on machines that have none.
set -eu
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -n "$needed" ] || { echo "no NEEDED entries read from $1"; exit 1; }
echo "$needed"
! echo "$needed" | grep -E 'Qt6(Gui|Widgets|Charts|Svg)|libX11|libGL'

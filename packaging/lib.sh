# Shared by run and test: finds the checkout, installs what is missing, configures and builds. Sourced, not run.
# shellcheck shell=sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    echo "Needs root to install packages: run it once as root, or install these yourself:$missing" >&2
    exit 2
  fi
}

# install_missing PACKAGE…: installs those that dpkg does not know as installed.
install_missing() {
  missing=
  for package in "$@"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  echo "Installing:$missing" >&2
  # Another apt may hold the lock while the machine starts up.
  as_root sh -c "apt-get -o DPkg::Lock::Timeout=300 update -qq && DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $missing >/dev/null"
}

packages_to_run() { grep -E '^[a-z]' "$root/packaging/packages"; }
packages_to_test() { sed -n 's/^+ *//p' "$root/packaging/packages"; }

# build PRESET [TARGET…]
build() {
  preset=$1
  shift
  cd "$root"
  cmake --preset "$preset" >/dev/null
  if [ $# -gt 0 ]; then
    cmake --build --preset "$preset" --target "$@" >&2
  else
    cmake --build --preset "$preset" >&2
  fi
}

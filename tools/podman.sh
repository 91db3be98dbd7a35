#!/usr/bin/env bash
# podman.sh up|down: a Podman service of its own for the tests, in .cache/podman: its
# own storage, its own socket, nothing of the machine's Podman or Docker is touched.
#
# up prints the address of the socket. As root on Debian and Ubuntu it installs podman
# where it is missing, unless ENGINE=never is set. It takes runc, because the crun of
# Debian 12 does not run on machines with both versions of control groups, and sets
# limits of its own, because Podman's defaults need a capability that not every root has.
set -eu
cd "$(dirname "$0")/.."
dir=$PWD/.cache/podman
# The path of a socket is short by nature.
link=${TMPDIR:-/tmp}/gate-podman-$(id -u)
socket=$link/podman.sock

alive() { [ -S "$socket" ] && curl -sf --max-time 5 --unix-socket "$socket" http://podman/_ping >/dev/null; }

up() {
  mkdir -p "$dir"
  [ -e "$link" ] || mkdir -m 700 "$link"
  [ -O "$link" ] || { echo "podman.sh: $link belongs to somebody else" >&2; exit 1; }
  if ! command -v podman >/dev/null || ! command -v runc >/dev/null; then
    if [ "$(id -u)" != 0 ] || [ "${ENGINE:-}" = never ] || ! command -v apt-get >/dev/null; then
      echo "podman.sh: podman and runc are missing; install them: apt-get install -y podman runc curl" >&2
      exit 1
    fi
    echo "podman.sh: installing podman and runc" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends podman runc curl >"$dir/install.log" 2>&1
  fi
  if ! alive; then
    cat >"$dir/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=16384:16384"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
    # In its own folder: what watches containers leaves a file where it stands.
    cd "$dir"
    CONTAINERS_CONF=$dir/containers.conf setsid podman --root "$dir/root" --runroot "$link/run" \
      system service --time 0 "unix://$socket" >"$dir/log" 2>&1 </dev/null &
    echo $! >"$dir/pid"
    for _ in $(seq 100); do
      alive && break
      sleep 0.2
    done
    alive || { echo "podman.sh: the service did not come up:" >&2; tail -n 20 "$dir/log" >&2; exit 1; }
  fi
  # An image to try runtimes with: the one that the Docker engine has.
  if ! curl -sf --unix-socket "$socket" http://podman/v1.41/images/debian:bookworm-slim/json >/dev/null; then
    docker save debian:bookworm-slim |
      curl -sf --unix-socket "$socket" -X POST -H 'Content-Type: application/x-tar' --data-binary @- http://podman/v1.41/images/load >/dev/null
  fi
  echo "unix://$socket"
}

down() {
  if [ -f "$dir/pid" ]; then
    kill "$(cat "$dir/pid")" 2>/dev/null || true
    rm -f "$dir/pid" "$socket"
  fi
}

case "${1:-}" in
up) up ;;
down) down ;;
*)
  echo "usage: tools/podman.sh up|down" >&2
  exit 2
  ;;
esac

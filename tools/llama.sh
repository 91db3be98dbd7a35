#!/usr/bin/env bash
# llama.sh up|down: a server of llama.cpp with the tiny model, for the tests, in .cache/llama.
#
# up prints its base URL. llama.cpp comes from Debian's packages of the release in testing, because
# Debian 12 and 13 have none. They are unpacked into a folder, and the server runs in it as its
# root. That needs root, and mmdebstrap, which is installed on Debian and Ubuntu.
set -eu
cd "$(dirname "$0")/.."
dir=$PWD/.cache/llama
root=$dir/root
mirror=${LLAMA_MIRROR:-http://deb.debian.org/debian}
suite=forky

unpack() {
  [ -x "$root/usr/bin/llama-server" ] && return
  if [ "$(id -u)" != 0 ]; then
    echo "llama.sh: a server of llama.cpp is unpacked and started as root" >&2
    exit 1
  fi
  if ! command -v mmdebstrap >/dev/null; then
    echo "llama.sh: installing mmdebstrap" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends mmdebstrap >"$dir/install.log" 2>&1
  fi
  echo "llama.sh: unpacking llama.cpp" >&2
  rm -rf "$root"
  # A mirror that is a copy of some day has lists that are too old by their own word.
  mmdebstrap --mode=root --variant=extract --include=llama.cpp-tools \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Languages "none"' \
    "$suite" "$root" "$mirror" >"$dir/unpack.log" 2>&1 ||
    { echo "llama.sh: llama.cpp cannot be unpacked:" >&2; tail -n 20 "$dir/unpack.log" >&2; exit 1; }
  for d in bin sbin lib lib64; do [ -e "$root/$d" ] || ln -s "usr/$d" "$root/$d"; done
}

alive() { [ -s "$dir/port" ] && curl -sf --max-time 5 "http://127.0.0.1:$(cat "$dir/port")/health" >/dev/null; }

up() {
  mkdir -p "$dir"
  unpack
  if ! alive; then
    go run ./tools/ollama model -o "$root/judge.gguf"
    port=$((20000 + RANDOM % 10000))
    setsid chroot "$root" /usr/bin/llama-server -m /judge.gguf -a gate-tiny-judge -c 16384 -np 1 -t 1 --chat-template chatml \
      --host 127.0.0.1 --port "$port" >"$dir/log" 2>&1 </dev/null &
    echo $! >"$dir/pid"
    echo "$port" >"$dir/port"
    for _ in $(seq 100); do
      alive && break
      sleep 0.2
    done
    alive || { echo "llama.sh: the server did not come up:" >&2; tail -n 20 "$dir/log" >&2; exit 1; }
  fi
  echo "http://127.0.0.1:$(cat "$dir/port")/v1"
}

down() {
  if [ -f "$dir/pid" ]; then
    kill "$(cat "$dir/pid")" 2>/dev/null || true
    rm -f "$dir/pid" "$dir/port"
  fi
}

case ${1:-} in
up | down) "$1" ;;
*) echo "usage: tools/llama.sh up|down" >&2; exit 2 ;;
esac

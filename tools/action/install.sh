#!/usr/bin/env bash
# Puts a gate binary in place for the action, in this order: the one that the
# workflow names, the checksummed release, a build of the action's own source.
# Everything comes in through the environment, so that no input is ever parsed
# as shell. The path of the binary is the output "path" of the step.
set -euo pipefail

# fail MESSAGE: the runner takes lines for commands, so a message is one line.
fail() {
  local message=${1//%/%25}
  message=${message//$'\r'/%0D}
  printf '::error title=gate::%s\n' "${message//$'\n'/%0A}"
  exit 2
}

# resolve PATH: without links. The realpath of macOS knows no -m.
resolve() { realpath -m -- "$1" 2>/dev/null || realpath -- "$1"; }

# sum256 FILE: compare with the checksums in FILE, with what Linux or macOS has.
sum256() {
  if command -v sha256sum >/dev/null; then
    sha256sum --check --strict --status "$1"
  else
    shasum --algorithm 256 --check --strict --status "$1"
  fi
}

# inside WORKSPACE PATH: a pull request controls what lies in the workspace, so
# nothing from there may decide about it.
inside() {
  local root path
  { root=$(resolve "$1") && path=$(resolve "$2"); } || fail "cannot tell whether $2 lies in the workspace $1"
  [[ "$path/" == "$root"/* ]]
}

use() {
  printf 'path=%s\n' "$1" >>"$GITHUB_OUTPUT"
  "$1" --version
  exit 0
}

# Only these events have a workspace that no pull request has filled.
guarded=true
case "${GITHUB_EVENT_NAME:-}" in
push | workflow_dispatch) guarded=false ;;
esac

if [[ -n "${GATE_BINARY:-}" ]]; then
  [[ -f "$GATE_BINARY" && -x "$GATE_BINARY" ]] || fail "binary: there is no program at $GATE_BINARY"
  if $guarded && inside "$GITHUB_WORKSPACE" "$GATE_BINARY"; then
    fail "binary: $GATE_BINARY lies in the workspace, which the pull request controls; install gate outside of it"
  fi
  use "$GATE_BINARY"
fi

bin=$(mktemp -d "${RUNNER_TEMP:-/tmp}/gate.XXXXXX")

if [[ -n "${GATE_VERSION:-}" ]]; then
  [[ "$GATE_VERSION" =~ ^v[0-9]+\.[0-9]+\.[0-9]+([-+.][0-9A-Za-z.-]+)?$ ]] || fail "version: \"$GATE_VERSION\" is not a release such as v1.2.3"
  exe=
  case "$(uname -s)" in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  MINGW* | MSYS*) os=windows exe=.exe ;;
  *) fail "there is no release for $(uname -s); leave version: empty to build from source" ;;
  esac
  case "$(uname -m)" in
  x86_64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "there is no release for $(uname -m); leave version: empty to build from source" ;;
  esac
  name="gate_${GATE_VERSION#v}_${os}_${arch}$exe"
  from="${GITHUB_SERVER_URL:-https://github.com}/${GITHUB_ACTION_REPOSITORY:-aigate/gate}/releases/download/$GATE_VERSION"
  for file in "$name" SHA256SUMS; do
    curl --fail --silent --show-error --location --retry 3 --max-time 120 --output "$bin/$file" "$from/$file" ||
      fail "could not download $file of release $GATE_VERSION from $from"
  done
  # Exactly one line for the name, so that an empty match is no success.
  (cd "$bin" && awk -v n="$name" '$2 == n || $2 == "*" n' SHA256SUMS >sum && [[ $(wc -l <sum) -eq 1 ]] && sum256 sum) ||
    fail "the checksum of $name does not match the release's SHA256SUMS"
  mv "$bin/$name" "$bin/gate$exe"
  chmod 755 "$bin/gate$exe"
  use "$bin/gate$exe"
fi

if $guarded && inside "$GITHUB_WORKSPACE" "$GITHUB_ACTION_PATH"; then
  fail "the action's source lies in the workspace, which the pull request controls; use a released action (uses: aigate/gate@<commit>) or binary:"
fi
command -v go >/dev/null || fail "building gate from source needs Go; name a release with version:, or install gate and name it with binary:"
(cd "$GITHUB_ACTION_PATH" && CGO_ENABLED=0 go build -trimpath -o "$bin/gate" ./cmd/gate) || fail "building gate from source failed"
use "$bin/gate"

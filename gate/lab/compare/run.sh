#!/usr/bin/env bash
# Measures gate and other tools on the same files and writes docs/detection.md
# again. Called by `make detection`, which has built gate, gosec and gitleaks.
# The argument is a folder of malicious programs: a corpus, or NAME.LANGUAGE.jsonl
# files. What the other tools said about the same files in the same version is
# kept in .cache/detection/answers. On Debian, as root, what is missing is installed.
set -euo pipefail
cd "$(dirname "$0")/../../.."

for program in bandit shellcheck; do
  command -v "$program" >/dev/null && continue
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "detection: $program is missing; on Debian: apt-get install $program" >&2
    exit 1
  fi
  echo "detection: installing $program" >&2
  apt-get install -y -q "$program" >/dev/null
done

work=.cache/detection
mkdir -p "$work"
rm -rf "$work/risky" "$work/benign"
go build -o "$work/compare" ./gate/lab/compare
corpora=(fixtures/corpus)
if [ -n "${1:-}" ]; then
  if [ -f "$1/corpus.yaml" ]; then
    corpora+=("$1")
  else
    "$work/compare" convert -from "$1" -to "$work/risky" -about "${ABOUT:-One file each.}"
    corpora+=("$work/risky")
  fi
fi
"$work/compare" benign -to "$work/benign" -n "${FILES:-1000}"
corpora+=("$work/benign")
"$work/compare" table -gate bin/gate -bin bin/tools -keep "$work/answers" -o docs/detection.md "${corpora[@]}"

#!/usr/bin/env bash
# Shows a newcomer what gate does: scans fixtures/demo with the static rules, which
# need nothing else; brings up an engine and the sandbox images; then scans it through
# all layers. Called by `make demo`, which has built bin/gate.
#
# Without an engine it scans with the layers that are left, and says so; it ends
# with success only when that was asked for (ENGINE=never) or everything ran.
set -euo pipefail
cd "$(dirname "$0")/.."

echo '$ gate scan --layers static fixtures/demo' >&2
code=0
bin/gate scan --layers static fixtures/demo || code=$?
if [ "$code" != 1 ]; then
  echo "demo: the static rules alone ended with exit code $code, and 1 was expected: blocked." >&2
  exit 1
fi
echo >&2
echo "demo: that was the static layer alone. Next come an engine and the sandbox images, which take some minutes the first time." >&2

partial=0
if go run ./tools/engine up && go run ./sandbox/images/build -network host >/dev/null; then
  :
else
  partial=1
  echo "demo: without an engine the sandbox layer is skipped" >&2
fi

echo >&2
echo '$ gate scan fixtures/demo' >&2
code=0
bin/gate scan fixtures/demo || code=$?

echo >&2
case $code in
  1) echo "demo: gate ended with exit code 1: blocked, as it should be for code like this." >&2 ;;
  0) echo "demo: gate let fixtures/demo pass, which it must not; see 'bin/gate doctor'." >&2; exit 1 ;;
  *) echo "demo: gate ended with exit code $code; see 'bin/gate doctor' for what is missing." >&2; exit "$code" ;;
esac
if [ "$partial" = 1 ] && [ "${ENGINE:-}" != never ]; then
  exit 1
fi

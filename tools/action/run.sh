#!/usr/bin/env bash
# Runs gate for the action. Everything comes in through the environment, so that
# no input is ever parsed as shell; gate itself checks the values.
set -euo pipefail

case "$GATE_COMMAND" in
pr)
  exec "$GATE" pr --layers "$INPUT_LAYERS" --require "$INPUT_REQUIRE" --runtime "$INPUT_RUNTIME" \
    --ollama "$INPUT_OLLAMA" --model "$INPUT_MODEL" --save "$INPUT_RESULT_FILE" --sarif "$INPUT_SARIF_FILE" \
    --publish="$INPUT_PUBLISH" --shard "$INPUT_SHARD"
  ;;
merge)
  exec "$GATE" merge --require "$INPUT_REQUIRE" --save "$INPUT_RESULT_FILE" --sarif "$INPUT_SARIF_FILE" \
    --publish="$INPUT_PUBLISH" -- "$INPUT_RESULTS"
  ;;
publish) exec "$GATE" publish ;;
*)
  printf '::error title=gate::command: must be pr, merge or publish\n'
  exit 2
  ;;
esac

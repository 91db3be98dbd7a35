#!/usr/bin/env bash
# Brings the sandbox images that the runner has not got, in this order: the signed ones
# of a registry, the signed ones of a file that a job of the default branch has left in
# the cache, a build. gate itself says what is missing and what it has to be built from.
# Everything comes in through the environment, so that no input is ever parsed as shell.
#
# What is not signed as it should be is never used: the log says why, and the next way is
# tried. A gate without an image says so in its result, so the job goes on; only with the
# command images, which does nothing else, is it a failure.
set -euo pipefail

# one MESSAGE: the runner takes lines for commands, so a message is one line.
one() {
  local message=${1//%/%25}
  message=${message//$'\r'/ }
  printf '%s' "${message//$'\n'/ }"
}
say() { printf 'gate: %s\n' "$(one "$1")"; }
fail() {
  printf '::error title=gate::%s\n' "$(one "$1")"
  exit 2
}
# without MESSAGE: gate will miss the images, and say so.
without() {
  [[ "$GATE_COMMAND" != images ]] || fail "$1"
  printf '::warning title=gate::%s\n' "$(one "$1")"
  exit 0
}

# bounded SECONDS COMMAND...: macOS knows no timeout.
bounded() {
  if command -v timeout >/dev/null; then timeout --kill-after=10 "$@"; else "${@:2}"; fi
}

# last TEXT: the last line of what a program said, as a reason.
last() { tail -n 1 <<<"$1" | cut -c 1-300; }

# signed WHAT REPOSITORY WORKFLOW REF...: is WHAT attested by that workflow, as one of the
# refs had it, on a runner of GitHub's? Otherwise says why not.
signed() {
  local what=$1 repository=$2 workflow=$3 ref said
  shift 3
  if ! command -v gh >/dev/null; then
    say "$what is not used: gh, which checks signatures, is not on this runner"
    return 1
  fi
  for ref; do
    said=$(bounded 120 gh attestation verify "$what" --repo "$repository" --signer-workflow "$repository/.github/workflows/$workflow" \
      --source-ref "$ref" --deny-self-hosted-runners 2>&1) && return
  done
  say "$what is not used: gh finds no signature of $repository/.github/workflows/$workflow: $(last "$said")"
  return 1
}

# pull REF PUBLISHED INPUTS: the image from the registry, checked, as REF.
pull() {
  local name="$registry/${2%%:*}" said digest id inputs
  if ! said=$(bounded 600 docker pull "$registry/$2" 2>&1); then
    say "$registry/$2 could not be pulled: $(last "$said")"
    return 1
  fi
  # What is checked and what is used is the digest: a tag may be another image by then.
  digest=$(sed -n 's/^Digest: \(sha256:[0-9a-f]\{64\}\)$/\1/p' <<<"$said")
  if [[ ! "$digest" =~ ^sha256:[0-9a-f]{64}$ ]] || ! id=$(docker image inspect --format '{{.Id}}' "$name@$digest"); then
    say "$registry/$2 is not used: the engine does not say its digest"
    return 1
  fi
  signed "oci://$name@$digest" "$publisher" images.yml "${refs[@]}" || return 1
  inputs=$(docker image inspect --format '{{index .Config.Labels "aigate.inputs"}}' "$id") || return 1
  if [[ "$inputs" != "$3" ]]; then
    say "$name@$digest is not used: it is built from $inputs, and this gate wants $3"
    return 1
  fi
  docker tag "$id" "$1" && say "$1 is $name@$digest, signed by $publisher"
}

# look: sets list to a line for each image that is not there or not current.
look() { list=$(bounded 60 "$GATE" doctor --outdated) || without "gate could not ask the container engine for its images (gate doctor says why)"; }

# Away from the workspace, which the pull request controls.
cd "${RUNNER_TEMP:-/tmp}"
images=${INPUT_IMAGES:-}
file=${INPUT_IMAGES_FILE:-}
if [[ "$images" == none ]]; then
  say "the images are left as they are (images: none)"
  exit 0
fi
if [[ "$GATE_COMMAND" != images && ",$INPUT_REQUIRE,$INPUT_LAYERS," != *,sandbox,* ]]; then
  say "no images are brought: neither require nor layers asks for the sandbox"
  exit 0
fi
registry=
if [[ "$images" != cached && -n "$images" ]]; then
  [[ "$images" =~ ^[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._-]+)*$ ]] || fail "images: \"$images\" is neither a registry such as ghcr.io/aigate, nor cached or none"
  registry=$images
fi

command -v docker >/dev/null || without "there is no docker on this runner, so there are no sandbox images"
look
if [[ -z "$list" ]]; then
  say "all sandbox images are current"
  exit 0
fi

if [[ -n "$registry" ]]; then
  publisher=${GITHUB_ACTION_REPOSITORY:-aigate/gate}
  refs=(refs/heads/main)
  for version in "${GATE_VERSION:-}" "${GITHUB_ACTION_REF:-}"; do
    if [[ "$version" =~ ^v[0-9]+\.[0-9]+\.[0-9]+([-+.][0-9A-Za-z.-]+)?$ ]]; then refs+=("refs/tags/$version"); fi
  done
  while read -r _ ref published inputs; do
    pull "$ref" "$published" "$inputs" </dev/null || true
  done <<<"$list"
  look
fi

if [[ -n "$list" && -n "$file" ]]; then
  branch=${DEFAULT_BRANCH:-}
  if [[ ! -f "$file" ]]; then
    say "there is no file $file: the cache has none yet (the workflow gate-images.yml saves it)"
  elif [[ ! "$branch" =~ ^[A-Za-z0-9._/-]+$ ]]; then
    say "$file is not used: the default branch is not known"
  elif signed "$file" "${GITHUB_REPOSITORY:-}" gate-images.yml "refs/heads/$branch"; then
    if said=$(bounded 600 docker load --input "$file" 2>&1); then
      say "loaded $file, signed by gate-images.yml of $branch"
    else
      say "$file could not be loaded: $(last "$said")"
    fi
    look
  fi
fi

if [[ -n "$list" ]]; then
  failed=
  for language in $(cut -d ' ' -f 1 <<<"$list"); do
    say "building the image for $language, which takes up to some minutes"
    # Its exit code is about everything that a policy asks for; what counts is what is missing.
    said=$(bounded 900 "$GATE" doctor --build "$language" 2>&1 </dev/null) || failed=$(last "$said")
  done
  look
  [[ -z "$list" ]] || without "the sandbox images for $(cut -d ' ' -f 1 <<<"$list" | paste -s -d , -) are not there: $failed. Build them where there is a network (gate doctor --build), name a registry that mirrors them (images:), or ask for less (require: static)"
fi
say "all sandbox images are current"

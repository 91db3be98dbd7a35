#!/usr/bin/env bash
# Builds the files of a release: one static program for each platform and their
# checksums, under the names that tools/action/install.sh asks for.
#
#   tools/release.sh v1.2.3 [FOLDER] [OS/ARCH...]
#
# The same commit and the same version of Go give the same bytes, wherever the
# checkout lies and whoever builds: no paths, no time, no state of the checkout
# goes in. So everybody can check a release by building it again.
set -euo pipefail

fail() {
  printf 'release.sh: %s\n' "$1" >&2
  exit 2
}

version=${1:-}
folder=${2:-dist}
shift $(($# < 2 ? $# : 2))
platforms=("$@")
if [[ ${#platforms[@]} -eq 0 ]]; then
  platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64)
fi

# Exactly what install.sh takes for a release.
[[ "$version" =~ ^v[0-9]+\.[0-9]+\.[0-9]+([-+.][0-9A-Za-z.-]+)?$ ]] || fail "\"$version\" is not a version such as v1.2.3"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# An old file would get a checksum as if it belonged to this release.
[[ -z "$(ls -A "$folder")" ]] || fail "$folder is not empty: remove it, or name another folder"

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# What somebody has set for their own builds must not change these.
export CGO_ENABLED=0 GOFLAGS=-mod=readonly GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT='' GOFIPS140=off GOWORK=off

# The commit of the release, which "gate init" pins: not read from git, so that a copy without
# a history gives the same bytes.
commit=${RELEASE_COMMIT:-}
[[ -z "$commit" || "$commit" =~ ^[0-9a-f]{40}$ ]] || fail "RELEASE_COMMIT is \"$commit\", not a commit of 40 hexadecimal digits"
names=()
for platform in "${platforms[@]}"; do
  [[ "$platform" =~ ^(linux|darwin|windows)/(amd64|arm64)$ ]] || fail "there is no platform \"$platform\""
  export GOOS=${platform%/*} GOARCH=${platform#*/}
  name="gate_${version#v}_${GOOS}_${GOARCH}"
  if [[ "$GOOS" == windows ]]; then
    name+=.exe
  fi
  go build -buildvcs=false -trimpath -ldflags "-s -w -buildid= -X github.com/aigate/gate/gate/buildinfo.version=$version -X github.com/aigate/gate/gate/buildinfo.commit=$commit" -o "$folder/$name" ./cmd/gate
  names+=("$name")
done
cd "$folder"
sha256sum -- "${names[@]}" >SHA256SUMS
cat SHA256SUMS

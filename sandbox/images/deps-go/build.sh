#!/bin/sh
# Fills a module cache with what the go.mod and go.sum files of all modules name,
# and writes /deps/report. The go command executes nothing of a module.
set -eu
export GOMODCACHE=/deps/mod GOPATH=/tmp/go GOCACHE=/tmp/cache GOFLAGS=-modcacherw GOTOOLCHAIN=local GOENV=off GOTELEMETRY=off GIT_TERMINAL_PROMPT=0
: "${GOPROXY:=https://proxy.golang.org,direct}"
export GOPROXY
mkdir -p "$GOMODCACHE"
while IFS='	' read -r n _ dir; do
	cd "/in/tree/0/$dir"
	if go mod download 2>/tmp/err || GOWORK=off go mod download 2>/tmp/err; then
		printf '%s\tok\t\t\n' "$n"
	else
		cat /tmp/err >&2
		printf '%s\tfailed\t\t%s\n' "$n" "$(tail -n 1 /tmp/err | tr '\t' ' ' | cut -c 1-300)"
	fi >>/deps/report
done </in/plan
# The unpacked modules suffice.
find "$GOMODCACHE/cache" -name '*.zip' -delete
rm -rf "$GOMODCACHE/cache/vcs" "$GOMODCACHE/cache/lock"

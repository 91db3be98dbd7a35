#!/bin/sh
# Compiles what the base's packages and their tests import, and those packages themselves,
# into /deps/gocache, in the image that code under test runs in and with its environment, so
# that a run finds them. The go command executes nothing of a package for that: it starts
# compilers and assemblers of Go only, and neither C compilers nor generators. It writes
# /deps/report: how many packages were compiled, of how many, and why not all.
set -u
export HOME=/tmp GOMODCACHE=/opt/aigate/deps/mod GOCACHE=/deps/gocache GOTMPDIR=/tmp GOPROXY=off
end=$(($(date +%s) + $(cat /in/seconds)))
most=$(cat /in/kilobytes)
of=0 done=0 why=
mkdir -p "$GOCACHE"
# What an image with nearly the same modules has compiled is found by what it was compiled of.
[ ! -d /opt/aigate/deps/gocache ] || cp -R /opt/aigate/deps/gocache/. "$GOCACHE"
while IFS='	' read -r _ _ dir; do
	cd "/workspace/$dir" 2>/dev/null && [ -f go.mod ] || continue
	left=$((end - $(date +%s)))
	[ $left -gt 0 ] || { why='its time was over'; break; }
	# Variants for tests are compiled with counters by each run.
	timeout $left go list -e -deps -test -f '{{if and (not .Standard) (not .ForTest)}}{{.ImportPath}}{{end}}' ./... 2>>/tmp/errors |
		grep -v '\.test$' | awk '!seen[$0]++' >/tmp/packages
	of=$((of + $(wc -l </tmp/packages)))
	rm -f /tmp/part.*
	split -l 200 /tmp/packages /tmp/part.
	for part in /tmp/part.*; do
		[ -s "$part" ] || continue
		left=$((end - $(date +%s)))
		[ $left -gt 0 ] || { why='its time was over'; break; }
		[ "$(du -sk "$GOCACHE" | cut -f 1)" -lt "$most" ] || { why="they reached $((most / 1024)) MB"; break; }
		xargs timeout $left go list -e -export -f '{{if .Export}}{{.ImportPath}}{{end}}' <"$part" >/tmp/compiled 2>>/tmp/errors
		done=$((done + $(wc -l </tmp/compiled)))
	done
	[ -z "$why" ] || break
done </in/plan
# Only entries of the cache itself: a run has its own word about when to clean up.
find "$GOCACHE" -mindepth 1 -maxdepth 1 ! -name '[0-9a-f][0-9a-f]' -exec rm -rf {} +
find "$GOCACHE" -type f ! -name '*-[ad]' -delete
[ -n "$why" ] || [ $done -eq $of ] || why="$(tail -n 1 /tmp/errors | tr '\t' ' ' | cut -c 1-300)"
printf '%s\t%s\t%s\n' "$done" "$of" "$why" >/deps/report

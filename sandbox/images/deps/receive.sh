#!/bin/sh
# receive.sh BYTES: what a container does that installs dependencies. Standard
# input brings the lock files and the secrets, which lie in memory (/in) and in
# the environment of the installers, so that no layer, no history and no
# description of the container has them. It ends when standard input does, so
# that nothing is left of a gate that was killed.
set -eu
exec 3<&0
head -c "$1" <&3 | tar -xf - -C /in --no-same-owner
key=$(cat /in/key)
. /in/env.sh
export HOME=/in/home
if [ -s /in/ca.pem ]; then
	cat /etc/ssl/certs/ca-certificates.crt /in/ca.pem >/in/ca-all.pem 2>/dev/null || cp /in/ca.pem /in/ca-all.pem
	export SSL_CERT_FILE=/in/ca-all.pem PIP_CERT=/in/ca-all.pem GIT_SSL_CAINFO=/in/ca-all.pem NODE_EXTRA_CA_CERTS=/in/ca.pem YARN_HTTPS_CA_FILE_PATH=/in/ca-all.pem
fi
(cat <&3 >/dev/null && kill -KILL -1) &
watcher=$!
code=0
/usr/local/lib/aigate/build </dev/null 3<&- 2>&1 || code=$?
printf '\n%s %s\n' "$key" "$code"
wait "$watcher" || true

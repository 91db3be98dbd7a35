#!/bin/sh
# install.sh PACKAGE...: the first step of every sandbox image. Nothing of the
# build stage outlives a failed build, so dpkg need not wait for the disk.
set -eu
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/unsafe-io
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"

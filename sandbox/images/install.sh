#!/bin/sh
# install.sh PACKAGE...: the first step of every sandbox image. Nothing of the
# build stage outlives a failed build, so dpkg need not wait for the disk.
set -eu
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/unsafe-io
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"

# Tests make repositories. Git comes without the packages it depends on (Perl, curl,
# Kerberos, LDAP): they are for its servers and mail, which no run reaches, and ten
# times its size. finish.sh removes the programs that would need them.
cd /tmp
apt-get download -q git
dpkg --force-depends --install git_*.deb

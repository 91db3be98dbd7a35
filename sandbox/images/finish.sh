#!/bin/sh
# finish.sh [perl]: the last step of every sandbox image. It turns / of the build
# stage into what code under test may see, without Perl unless it is asked for.
# Only what is left here is copied into the final image, so what is removed is
# in no layer of it.
set -eu

# Nothing in the image installs or builds software that is not there. dpkg's
# list stays, without the program: image scanners read the versions from it.
rm -rf /usr/bin/apt* /usr/bin/dpkg* /usr/sbin/dpkg* /usr/bin/deb* /usr/lib/apt /usr/libexec/dpkg /usr/lib/dpkg \
	/usr/sbin/update-* /usr/bin/update-alternatives /usr/share/dpkg /usr/share/debconf /etc/apt /etc/dpkg /etc/cron* \
	/var/lib/apt /var/cache /var/log
find /var/lib/dpkg -mindepth 1 ! -name status -delete
rm -rf /usr/include /usr/lib/gcc /usr/share/perl /usr/lib/*/perl
find /usr/lib -name '*.a' -delete
[ "${1-}" = perl ] || rm -rf /usr/lib/*/perl-base /usr/bin/perl*

# Git for local repositories: no servers, no mail, nothing that is written in Perl.
cd /usr/lib/git-core
rm -rf git-add--interactive git-credential-* git-cvs* git-daemon git-filter-branch git-http-* git-imap-send git-instaweb \
	git-mergetool* mergetools git-remote-* git-send-email git-shell git-subtree git-svn git-web--browse scalar ../../bin/scalar
cd /

# Neither does it carry what only people read.
rm -rf /usr/share/doc /usr/share/doc-base /usr/share/man /usr/share/info /usr/share/locale /usr/share/lintian \
	/usr/share/bug /usr/share/menu /usr/share/pixmaps /usr/share/common-licenses /root/.[!.]* /tmp/* /var/tmp/*
mkdir -p /var/cache /var/log

# No way to another user: no set-user-ID program, no password, one account.
find / -xdev -type f -perm /6000 -exec chmod ug-s {} +
rm -f /usr/bin/su /usr/bin/passwd /usr/bin/mount /usr/bin/umount /usr/bin/newgrp /usr/bin/chsh /usr/bin/chfn /usr/bin/gpasswd
printf '%s\n' 'root:x:0:0:root:/root:/usr/sbin/nologin' 'gate:x:1000:1000::/tmp:/bin/sh' >/etc/passwd
printf '%s\n' 'root:x:0:' 'gate:x:1000:' >/etc/group
printf '%s\n' 'root:*:19000:0:99999:7:::' 'gate:!:19000:0:99999:7:::' >/etc/shadow
chmod 600 /etc/shadow
rm -f /etc/passwd- /etc/group- /etc/shadow- /etc/gshadow /etc/gshadow- /etc/subuid* /etc/subgid*
mkdir -p /workspace

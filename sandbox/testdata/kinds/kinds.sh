# One thing of every kind that Bash and the usual tools can do and a recorder has to
# see. Most of it fails, which is the point of the sandbox.
exec 2>/dev/null
mkdir /tmp/k
for i in 1 2 3; do : </etc/shadow; done
for name in new old gone; do : >"/tmp/k/$name"; done
echo /tmp/k/*
chmod 4755 /tmp/k/new
chown 0:0 /tmp/k/new
mv /tmp/k/old /tmp/k/moved
rm /tmp/k/gone
ln /tmp/k/new /tmp/k/hard
ln -s /etc/passwd /tmp/k/soft
: </tmp/k/soft
mkfifo /tmp/k/pipe
for i in 1 2; do /bin/echo one 'two three'; done
: </dev/tcp/203.0.113.77/8081
: </dev/tcp/kinds.example.com/8082
nc -U /var/run/docker.sock </dev/null
timeout 1 nc -l 127.0.0.1 4444
kill -9 1
setpriv --reuid 0 true
unshare -m true
/usr/sbin/chroot /tmp/k /true

# One thing of every kind that Python can do and a recorder has to see. Most of it
# fails, which is the point of the sandbox.
import ctypes, os, socket, subprocess


def attempt(f, *args):
    try:
        f(*args)
    except OSError:
        pass


def kernel(*call):
    ctypes.CDLL(None).syscall(*[ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in call])


os.mkdir("/tmp/k")
for _ in range(3):
    attempt(open, "/etc/shadow")
for name in ("new", "old", "gone"):
    open("/tmp/k/" + name, "w").close()
os.listdir("/tmp/k")
os.chmod("/tmp/k/new", 0o4755)
attempt(os.chown, "/tmp/k/new", 0, 0)
os.rename("/tmp/k/old", "/tmp/k/moved")
os.remove("/tmp/k/gone")
os.link("/tmp/k/new", "/tmp/k/hard")
os.symlink("/etc/passwd", "/tmp/k/soft")
open("/tmp/k/soft").close()
os.mkfifo("/tmp/k/pipe")
for _ in range(2):
    subprocess.run(["/bin/echo", "one", "two three"])

attempt(socket.create_connection, ("203.0.113.77", 8081), 5)
local = socket.socket(socket.AF_UNIX)
attempt(local.connect, "/var/run/docker.sock")
attempt(socket.gethostbyname, "kinds.example.com")
datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(2):
    attempt(datagram.sendto, b"beacon", ("198.51.100.9", 9999))
server = socket.socket()
server.bind(("127.0.0.1", 4444))

os.memfd_create("payload")
attempt(os.kill, 1, 9)
attempt(os.setuid, 0)
kernel(101, 16, 1, 0, 0)  # ptrace: attach to process 1
kernel(272, 0x20000)  # unshare: mounts
kernel(165, b"none", b"/tmp/k", b"tmpfs", 0, 0)  # mount
kernel(313, -1, b"", 0)  # finit_module
kernel(157, 4, 0, 0, 0, 0)  # prctl: not dumpable
open("/tmp/k/after-hiding", "w").close()

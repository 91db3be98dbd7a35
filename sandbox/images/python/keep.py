"""Keeps code that Python compiles from text. Every interpreter of the image loads it, whatever its
options and its environment say: encodings imports it, without which none begins."""


def _keep():
    import posix, sys

    seen, busy = set(), []
    most, size, held = 1 << 20, 0, 0  # bytes that one process adds to its last file, and that are remembered
    frame, write, make, close, pid, opened = sys._getframe, posix.write, posix.mkdir, posix.close, posix.getpid, posix.open
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_CLOEXEC

    def hook(event, args):
        nonlocal size, held
        if event == "gate.keeps":  # who would do it otherwise asks
            args[0].append(True)
            return
        if event != "compile" or busy or size > most or args[0] is None:
            return
        busy.append(1)
        try:
            # Who imports a file is of the interpreter; who is a library makes helpers of its own.
            if frame(1).f_code.co_filename.startswith(("<frozen ", "/usr/lib/python")):
                return
            text = args[0].encode("utf-8", "surrogateescape") if isinstance(args[0], str) else bytes(args[0])
            if text in seen or not text.strip():
                return
            if held + len(text) <= 4 * most:
                held += len(text)
                seen.add(text)
            # The first ones each in its file, the others in one. What is above its bound makes it too long to be read to its end.
            number = min(len(seen), 40) if text in seen else 40
            if number == 40:
                size += len(text)
            try:
                make("/tmp/.gate-code", 0o755)
            except FileExistsError:
                pass
            to = opened("/tmp/.gate-code/%d-i%d.py" % (pid(), number), flags, 0o644)
            try:
                rest = text[: most + 1] + b"\n" * (number == 40)
                while rest:
                    rest = rest[write(to, rest) :]
            finally:
                close(to)
        except Exception:
            pass  # the program is not to notice
        finally:
            busy.pop()

    there = []
    sys.audit("gate.keeps", there)
    if not there:
        sys.addaudithook(hook)


_keep()

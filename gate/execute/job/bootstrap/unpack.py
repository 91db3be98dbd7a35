def keep_code():
    """Keeps code that is compiled from text. An audit hook cannot be taken away again."""
    there = []
    sys.audit("gate.keeps", there)
    if there:
        return  # the image does so in every interpreter
    seen, busy, ours = set(), [], run.__code__
    most, size = 1 << 20, 0

    def hook(event, args):
        nonlocal size
        if event != "compile" or busy or size > most or args[0] is None:
            return
        busy.append(1)
        try:
            # Who imports a file is of the interpreter; who is a library makes helpers of its own.
            who = sys._getframe(1).f_code
            if who.co_filename.startswith(("<frozen ", "/usr/lib/python")) or who is ours:
                return
            text = args[0].encode("utf-8", "surrogateescape") if isinstance(args[0], str) else bytes(args[0])
            digest = hashlib.sha256(text).digest()
            if digest in seen or not text.strip():
                return
            seen.add(digest)
            os.makedirs("/tmp/.gate-code", exist_ok=True)
            # The first ones each in its file, the others in one. What is above its bound makes it too long to be read to its end.
            number = min(len(seen), 40)
            if number == 40:
                size += len(text)
            with open(f"/tmp/.gate-code/{os.getpid()}-{number}.py", "ab") as f:
                f.write(text[: most + 1] + b"\n" * (number == 40))
        except Exception:
            pass  # the program is not to notice
        finally:
            busy.pop()

    sys.addaudithook(hook)



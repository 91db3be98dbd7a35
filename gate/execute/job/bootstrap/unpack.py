def keep_code():
    """Keeps code that is compiled from text. An audit hook cannot be taken away again."""
    seen, busy, ours = set(), [], run.__code__

    def hook(event, args):
        if event != "compile" or busy or len(seen) >= 40 or args[0] is None:
            return
        busy.append(1)
        try:
            # Who imports a file is of the interpreter; who is a library makes helpers of its own.
            who = sys._getframe(1).f_code
            if who.co_filename.startswith(("<frozen ", "/usr/lib/python")) or who is ours:
                return
            text = args[0].encode("utf-8", "surrogateescape") if isinstance(args[0], str) else bytes(args[0])
            digest = hashlib.sha256(text).digest()
            if digest in seen or len(text) > 1 << 20 or not text.strip():
                return
            seen.add(digest)
            os.makedirs("/tmp/.gate-code", exist_ok=True)
            with open(f"/tmp/.gate-code/{os.getpid()}-{len(seen)}.py", "xb") as f:
                f.write(text)
        except Exception:
            pass  # the program is not to notice
        finally:
            busy.pop()

    sys.addaudithook(hook)



# What only computes: allowed where the policy names nothing, and never a reason
# to let through what else happens behind it.
COMPUTES = """__future__ abc argparse array base64 binascii bisect calendar cmath collections colorsys contextlib copy csv
dataclasses datetime decimal difflib enum fractions functools graphlib hashlib heapq hmac html io ipaddress itertools json
keyword locale logging math numbers operator pathlib pprint queue random re secrets shlex statistics string struct sys textwrap
time types typing unicodedata uuid warnings weakref zlib zoneinfo""".split()


def restrict(allow, runner, roots, ours, workspace):
    """Refuses imports that are not allowed and calls that reach outside, before the program starts.

    Nothing of it is a boundary: it runs beside what it refuses. What is refused is
    told by opening a file that is not there, which the recorder sees and the program
    cannot take back."""
    import _posixsubprocess, _thread, builtins, fnmatch, os, re, sys, types

    def inner(code):
        yield code
        for c in code.co_consts:
            if isinstance(c, types.CodeType):
                yield from inner(c)

    # By identity: equal code can stand in any file.
    kept = [c for f in ours for c in inner(f.__code__)]
    ours = frozenset(map(id, kept))

    plain = frozenset(COMPUTES)
    helpers = frozenset(("_strptime", "_pydatetime", "encodings", "copyreg"))  # what C code of Python imports for a program
    explicit = frozenset(allow) - plain | frozenset(runner)
    names = explicit | helpers | (plain if not allow else frozenset(allow) & plain)
    globs = tuple(re.compile(fnmatch.translate(a)).match for a in allow if any(c in a for c in "*?["))
    standard = frozenset(sys.builtin_module_names) | frozenset(getattr(sys, "stdlib_module_names", ()))
    mine = set()
    for root in roots:
        mine.update(n.partition(".")[0] for n in os.listdir(root))
    mine = frozenset(mine - standard)
    # Where installed code lies; longer ones first.
    places = tuple(sorted({p.rstrip("/") + "/" for p in sys.path if p.startswith("/") and not (p + "/").startswith(workspace + "/")}, key=len, reverse=True))
    home = os.environ.get("HOME", "/nonexistent").rstrip("/") + "/"

    def permits(mine, names, globs):
        def permitted(full):
            """Whether a program may import a module by its whole name."""
            if type(full) is not str:
                return False
            top, head = full.partition(".")[0], full
            if top in mine:
                return True
            while head:
                if head in names:
                    return True
                head = head.rpartition(".")[0]
            for g in globs:
                if g(full):
                    return True
            return False
        return permitted

    def libraries(places):
        def library(name):
            """What installed code a file belongs to by its first name, "" for a program's own."""
            if name.startswith("<frozen "):
                return name[8:-1].partition(".")[0]
            for p in places:
                if name.startswith(p):
                    top = name[len(p):].partition("/")[0]
                    return top[:-3] if top.endswith(".py") else top
            return ""
        return library

    def importer(real, library, permitted, tell, facade, ours, getframe):
        def __import__(name, globals=None, locals=None, fromlist=(), level=0):
            full = name
            caller = getframe(0).f_back
            if caller is not None and not library(caller.f_code.co_filename) and id(caller.f_code) not in ours:
                package = globals.get("__package__") if type(globals) is dict else None
                if type(level) is int and level > 0 and type(package) is str and type(name) is str:
                    full = ".".join([package.rsplit(".", level - 1)[0]] + [name] * (name != ""))
                elif level != 0:
                    full = None
                if not permitted(full):
                    what = full if type(full) is str else "a name that is no text"
                    tell("import", caller, what)
                    raise ImportError("the restricted mode of gate's sandbox refuses to import " + what, name=what)
                if full == "sys" and facade is not None:
                    return facade
            return real(name, globals, locals, fromlist, level)
        return __import__

    def teller(open, most):
        seen = set()

        def tell(kind, frame, name):
            """Says what was refused and where."""
            line, file = (frame.f_lineno, frame.f_code.co_filename) if frame is not None else (0, "")
            text = "\n".join((kind, str(line or 0), file[-300:], name[:200]))
            if text in seen or len(seen) >= most:
                return
            seen.add(text)
            try:
                open("/.gate-refused/" + text.encode("utf-8", "backslashreplace").hex(), 0)
            except OSError:
                pass
        return tell

    def guard(library, permitted, tell, ours, kept, wrapper, plain, explicit, workspace, home, places, getframe, ident):
        always = frozenset(("builtins.id", "builtins.input", "builtins.input/result", "sys.excepthook", "sys.unraisablehook", "array.__new__",
                            "object.__delattr__", "time.sleep", "sys.monitoring.register_callback"))
        # Library modules that make code, and C code of Python that imports helpers.
        makers = frozenset(("collections", "dataclasses", "enum", "typing", "logging", "warnings", "encodings"))
        busy = set()
        paths = {"open": 0, "os.listdir": 0, "os.scandir": 0, "os.mkdir": 2}
        reads = places + (workspace + "/", "/input/", "/output/", "/tmp/", "/usr/share/", "/usr/lib/locale/", "/dev/null", "/dev/urandom", "/dev/random", "/dev/stdin", "/dev/stdout", "/dev/stderr")
        writes = (workspace + "/", "/output/", "/tmp/", "/dev/null", "/dev/stdout", "/dev/stderr")
        frames = frozenset(("tb_frame", "gi_frame", "cr_frame", "ag_frame"))

        def inside(event, args, how):
            """Whether a path is one that a program may open; how has bit 2 for writing."""
            path = args[0] if args else None
            if path is None or type(path) is int:
                return True  # its own folder, or what is open already
            if type(path) is bytes:
                path = path.decode("utf-8", "surrogateescape")
            elif type(path) is not str:
                return False  # Python has made text of whatever it was
            if event == "open":
                mode, flags = args[1], args[2]
                if type(mode) is str and ("w" in mode or "a" in mode or "x" in mode or "+" in mode) or type(flags) is int and flags & 0o1103:
                    how = 2
            if not path.startswith("/"):
                path = workspace + "/" + path
            parts = []
            for p in path.split("/"):
                if p == "..":
                    if parts:
                        parts.pop()
                elif p and p != ".":
                    parts.append(p)
            path = "/" + "/".join(parts)
            if path.endswith(".pyc") and not path.startswith(places):
                return False  # compiled code may claim to be of any file
            if path.startswith((home + ".", workspace + "/.")):
                return False  # credentials and settings
            return path.startswith(writes if how else reads) or path == workspace or path == "/tmp"

        def hook(event, args):
            if event in always or event.startswith("cpython."):
                return
            me = ident()
            if me in busy:
                if event == "sys._getframe":
                    return
            if event == "open" and args and type(args[0]) is str and args[0].startswith("/.gate-refused/"):
                return
            if event == "object.__getattr__" and args[1] not in frames or event == "object.__setattr__" and args[1] != "__code__":
                return
            busy.add(me)
            try:
                f = getframe(0).f_back
            finally:
                busy.discard(me)
            if f is None and event in ("import", "compile") or event == "sys._getframe" and f is not None and f.f_code is wrapper:
                return  # the interpreter itself, when it shows an error; ours
            direct, loading = "", False
            while f is not None:
                code = f.f_code
                if code is wrapper:
                    back = f.f_back
                    if back is not None and not library(back.f_code.co_filename) and id(back.f_code) not in ours:
                        if permitted(f.f_locals.get("full")):
                            return  # what a module that is allowed does while it is loaded
                        f = back
                        break
                    loading = True
                elif id(code) in ours:
                    return
                else:
                    top = library(code.co_filename)
                    if top == "":
                        break
                    direct = top
                f = f.f_back
            if loading and (direct in plain or direct in explicit or direct in makers):
                return  # what a library loads when it is used
            kind, what = "call", event
            if event in paths:
                if direct in explicit or inside(event, args, paths[event]):
                    return
                what = event + " of " + (args[0] if type(args[0]) is str else "a path")
            elif event == "import":
                if direct == "" and permitted(args[0]) or direct in plain or direct in explicit or direct in makers:
                    return
                kind, what = "import", args[0] if args and type(args[0]) is str else "?"
            elif event in ("compile", "exec", "sys._getframe", "sys._getframemodulename", "object.__getattr__", "object.__setattr__"):
                if direct in makers or direct in explicit:
                    return
                if event in ("compile", "exec"):
                    kind = "builtin"
                elif event.startswith("object."):
                    what = event + " of " + args[1]
            elif event == "builtins.breakpoint":
                kind = "builtin"
            elif direct in explicit or direct == "" and event.partition(".")[0] in explicit:
                return
            tell(kind, f, what)
            raise PermissionError("the restricted mode of gate's sandbox refuses " + what)
        return hook

    facade = None
    if "sys" not in allow:
        facade = types.ModuleType("sys")
        for n in """argv exit stdin stdout stderr version version_info platform maxsize byteorder hexversion float_info int_info hash_info
                    getsizeof getrecursionlimit setrecursionlimit intern exc_info executable flags getdefaultencoding getfilesystemencoding
                    maxunicode copyright implementation""".split():
            if hasattr(sys, n):
                setattr(facade, n, getattr(sys, n))
        facade.path = list(sys.path)

    def alone(f):
        """The same function with globals and built-ins of its own: the program finds nothing of ours by them, and what it
        puts in place of a built-in is not ours."""
        return types.FunctionType(f.__code__, {"__builtins__": dict(vars(builtins)), "__name__": "gate"}, f.__name__, f.__defaults__, f.__closure__)

    def parts():
        return alone(libraries)(places), alone(permits)(mine, names, globs), alone(teller)(os.open, 64)

    library, permitted, tell = parts()
    wrapper = alone(importer)(builtins.__import__, library, permitted, tell, facade, ours, sys._getframe)
    builtins.__import__ = wrapper
    if not explicit & {"subprocess", "multiprocessing", "os"}:
        def fork_exec(*_):
            raise PermissionError("the restricted mode of gate's sandbox refuses to start programs")
        _posixsubprocess.fork_exec = fork_exec  # C code without an event
        if "subprocess" in sys.modules:
            sys.modules["subprocess"]._fork_exec = fork_exec
    # The hook shares nothing with what the program can find.
    library, permitted, tell = parts()
    sys.addaudithook(alone(guard)(library, permitted, tell, ours, kept, wrapper.__code__, plain, explicit, workspace, home, places, sys._getframe, _thread.get_ident))



import sys

before = set(sys.modules)  # what an interpreter has loaded before it looks at any file of the program

import _signal, atexit, hashlib, importlib, importlib.util, io, json, os, posix, runpy, threading, types, warnings


def watch(targets, root, folder, edited):
    """Notes which lines of the files below root run, and writes it into folder at the end. Returns what notes why a program ended, and what
    ends it, what tells that tests end by themselves, and what counts lines."""
    most = 100_000  # lines of one function without a new one among them
    code_type, real_open, mkdir, getpid, norm, dumps = type(watch.__code__), open, os.makedirs, os.getpid, os.path.normpath, json.dumps
    files, codes, has, ran, full = {}, {}, {}, {}, []
    within = {}  # functions that share a line with other code, by file
    tests, leave, main, frame_of = {}, posix._exit, getpid(), sys._getframe

    def place(name):
        """The path in the tree of a file, None for one outside."""
        path = norm(name)
        rel = path[len(root) + 1:] if path.startswith(root + "/") else None
        if len(files) < 20_000:
            files[name] = rel
        return rel

    def numbers(code):
        return {n for _, _, n in code.co_lines() if n}

    def place_of(code):
        """Where a function stands, the same for each time that its file is compiled."""
        ends = [p[3] or 0 for p in code.co_positions() if p[0] == code.co_firstlineno] if hasattr(code, "co_positions") else []
        return (code.co_firstlineno, code.co_name, max(ends, default=0))

    def does(code):
        """Whether a function can do more than hand its arguments around."""
        return code.co_flags & 3 == 3 and (code.co_name == "<lambda>" or code.co_name[:1] != "<") and bool(code.co_names or code.co_freevars)

    def bodies(rel):
        """The lines with functions beside other code, each with whether they were called."""
        called = {place_of(c if isinstance(c, code_type) else c[0]) for c in codes.values() if (c if isinstance(c, code_type) else c[0]).co_filename in names(rel)}
        return sorted([n, int(at in called)] for n, at in within.get(rel, ()))

    def names(rel):
        return {name for name, to in files.items() if to == rel}

    def learn(code, rel):
        todo = [code]
        while todo:
            c = todo.pop()
            has.setdefault(rel, set()).update(numbers(c))
            if c.co_name.startswith("test") and c.co_flags & 1:
                tests.setdefault(rel, set()).add((c.co_firstlineno, max(numbers(c), default=0)))
            inner = [k for k in c.co_consts if isinstance(k, code_type)]
            for k in inner:
                own = numbers(k)
                if does(k) and len(within) < 20_000 and (own == {k.co_firstlineno} or k.co_name == "<lambda>"):
                    within.setdefault(rel, set()).update((n, place_of(k)) for n in own & numbers(c))
            todo += inner

    def seen(code, rel):
        """What is still to be seen of a function: its lines but that of the def, and how long none was new."""
        learn(code, rel)
        want = numbers(code)
        if code.co_name != "<module>":
            want.discard(code.co_firstlineno)
        hit, idle = ran.setdefault(rel, set()), 0

        def local(frame, event, arg):
            nonlocal idle
            if event == "line":
                n, idle = frame.f_lineno, idle + 1
                if n not in hit:
                    hit.add(n)
                    idle = 0
                want.discard(n)
                if idle > most and want:
                    full.append(rel)
                    want.clear()
                if not want:
                    frame.f_trace = None
                    frame.f_trace_lines = False
                    return None
            return local

        codes[id(code)] = (code, want, local)
        return codes[id(code)]

    def called(frame, event, arg):
        code = frame.f_code
        name = code.co_filename
        rel = files[name] if name in files else place(name)
        if rel is None:
            return None
        _, want, local = codes.get(id(code)) or seen(code, rel)
        return local if want else None

    def line(code, n):
        rel = files[code.co_filename] if code.co_filename in files else place(code.co_filename)
        if rel is not None:
            if id(code) not in codes:
                learn(code, rel)
                codes[id(code)] = code
            ran.setdefault(rel, set()).add(n)
        return sys.monitoring.DISABLE

    def top(rel):
        """The statements of the top level of a file, as lines from and to."""
        try:
            with real_open(root + "/" + rel, "rb") as f, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                body = compile(f.read(), rel, "exec", 0x400, dont_inherit=True).body  # the syntax tree
            body = [s for s in body if not (type(s).__name__ == "Expr" and type(s.value).__name__ == "Constant")]
            return [[min([s.lineno] + [d.lineno for d in getattr(s, "decorator_list", ())]), s.end_lineno] for s in body]
        except Exception:
            return []

    def tested(rel):
        """How many test functions a file has, and in how many a line ran. What is one line with its def tells nothing."""
        all, hit = [t for t in tests.get(rel, ()) if t[1] > t[0]], ran.get(rel, ())
        return [len(all), sum(any(first < n <= last for n in hit) for first, last in all)]

    def end():
        try:
            sys.settrace(None)
            for rel in targets:
                if rel not in has and rel.endswith(".py"):
                    try:
                        with real_open(root + "/" + rel, "rb") as f, warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            learn(compile(f.read(), rel, "exec", dont_inherit=True), rel)
                    except Exception:
                        pass
            mkdir(folder, exist_ok=True)
            with real_open("%s/python-%d.json" % (folder, getpid()), "w") as f:
                f.write(dumps({
                    "files": {rel: [sorted(has[rel]), sorted(ran.get(rel, ()))] for rel in has}, "full": bool(full),
                    "bodies": {rel: bodies(rel) for rel in targets if rel in within}, "top": {rel: top(rel) for rel in targets if rel in has}, "tests": {rel: tested(rel) for rel in targets if rel in has},
                }))
        except BaseException:
            pass

    def stopped(how, code, frames, more=None):
        """Notes why this process ends: a name, and the places in files of the program, the outermost first."""
        try:
            if getpid() != main:
                return
            places = []
            for f, n in frames:
                c = f.f_code
                rel = files[c.co_filename] if c.co_filename in files else place(c.co_filename)
                if rel is not None:
                    places.append([rel, n or 0, c.co_name == "<module>"])
            mkdir(folder, exist_ok=True)
            with real_open("%s/stopped-%d.json" % (folder, getpid()), "w") as f:
                f.write(dumps({"how": how, "code": code if type(code) is int else 0 if code is None else 1, "frames": places[:20] + places[20:][-20:], **(more or {})}))
        except BaseException:
            pass

    def callers():
        out, f = [], frame_of(2)
        while f is not None and len(out) < 1000:
            out.append((f, f.f_lineno))
            f = f.f_back
        return out[::-1]

    def _exit(status):
        """Ends the process without cleaning up."""
        stopped("_exit", status, callers())
        end()
        leave(status)

    def replaced(event, args):
        if event == "os.exec":
            stopped("exec", 0, callers())
            end()

    def raised(error):
        frames, tb, more = [], error.__traceback__, {}
        while tb is not None and len(frames) < 2000:
            frames.append((tb.tb_frame, tb.tb_lineno))
            tb = tb.tb_next
        if isinstance(error, ImportError):
            more["name"] = str(error.name or "")[:200]
        if isinstance(error, SyntaxError):
            name = str(error.filename or "")
            more["file"], more["line"] = place(name) or "", error.lineno if type(error.lineno) is int else 0
        stopped(type(error).__name__[:100], getattr(error, "code", None) if isinstance(error, SystemExit) else 1, frames, more)

    def running():
        """The files on the stacks of all threads; of test files, those whose edited functions are."""
        out = set()
        for f in sys._current_frames().values():
            while f is not None:
                name = f.f_code.co_filename
                rel = files[name] if name in files else place(name)
                if rel not in edited or touches(f.f_code, edited[rel]):
                    out.add(rel)
                f = f.f_back
        return out - {None}

    def tell(tests):
        """Says what the tests are doing whose time is over."""
        try:
            mkdir(folder, exist_ok=True)
            with real_open("%s/tests-running-%d" % (folder, getpid()), "w") as f:
                f.write(dumps({"running": sorted(running())[:1000], **tests}))
        except BaseException:
            pass

    def over(tests):
        """Ends tests whose time is over."""
        tell(tests())
        end()
        leave(1)

    def idle(tests):
        """Tells, unless a file of the change runs, that tests end here. It reports whether they do."""
        if getpid() != main or running() & {t for t in targets if t not in edited}:
            return False
        tell(tests)
        return True

    def hits(changed):
        """How many of some lines have run, and whether that is each that can: sets of them by file, None for all. Of a file that
        nothing has loaded it is not known which can."""
        of = [(ran.get(rel, set()), has.get(rel), lines) for rel, lines in changed.items()]
        n = sum(len(hit if lines is None else lines & hit) for hit, _, lines in of)
        return n, n > 0 and all(can is not None and (can if lines is None else lines & can) <= hit for hit, can, lines in of)

    def told(*_):
        """Tells and ends: the supervisor wants no more."""
        end()
        leave(0)

    posix._exit = os._exit = _exit
    try:
        _signal.signal(30, told)  # SIGPWR
    except (OSError, ValueError):
        pass
    sys.addaudithook(replaced)
    atexit.register(end)
    if hasattr(sys, "monitoring"):
        mon = sys.monitoring
        for tool in (mon.COVERAGE_ID, 3, 4):
            if mon.get_tool(tool) is None:
                mon.use_tool_id(tool, "gate")
                mon.register_callback(tool, mon.events.LINE, line)
                mon.set_events(tool, mon.events.LINE)
                break
    else:
        threading.settrace(called)
        sys.settrace(called)
    return raised, over, idle, hits



def shift(to):
    """Moves the clock of this process: its start is at the time to."""
    import datetime, time
    clock, clock_ns, gm, local, c, asc, strf = time.time, time.time_ns, time.gmtime, time.localtime, time.ctime, time.asctime, time.strftime
    ahead = to - clock()
    time.time = lambda: clock() + ahead
    time.time_ns = lambda: clock_ns() + int(ahead * 10**9)
    time.gmtime = lambda s=None: gm(time.time() if s is None else s)
    time.localtime = lambda s=None: local(time.time() if s is None else s)
    time.ctime = lambda s=None: c(time.time() if s is None else s)
    time.asctime = lambda t=None: asc(time.localtime() if t is None else t)
    time.strftime = lambda f, t=None: strf(f, time.localtime() if t is None else t)

    # What C code makes is an instance of the real types, and has to stay one.
    def like(real):
        return type("Meta", (type,), {"__instancecheck__": lambda cls, o: isinstance(o, real), "__subclasscheck__": lambda cls, o: issubclass(o, real)})

    def named(cls, real):
        cls.__name__, cls.__qualname__, cls.__module__ = real.__name__, real.__qualname__, real.__module__
        return cls

    class Date(datetime.date, metaclass=like(datetime.date)):
        today = classmethod(lambda cls: cls.fromtimestamp(time.time()))

    class DateTime(datetime.datetime, metaclass=like(datetime.datetime)):
        now = classmethod(lambda cls, tz=None: cls.fromtimestamp(time.time(), tz))
        today = classmethod(lambda cls: cls.fromtimestamp(time.time()))
        utcnow = classmethod(lambda cls: cls.fromtimestamp(time.time(), datetime.timezone.utc).replace(tzinfo=None))

    datetime.date, datetime.datetime = named(Date, datetime.date), named(DateTime, datetime.datetime)


def touches(code, ranges):
    """Tells whether lines of a function, or of those inside it, are in some ranges."""
    def lines(c):
        yield c.co_firstlineno
        yield from (n for _, _, n in c.co_lines() if n)
        for inner in c.co_consts:
            if isinstance(inner, types.CodeType):
                yield from lines(inner)

    first, last = min(lines(code)), max(lines(code))
    return any(begin <= last and first <= end for begin, end in ranges)


def mentions(code, words):
    """The words that a function or those inside it have as names or in texts."""
    out = words.intersection(code.co_names)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            out |= mentions(c, words)
        elif isinstance(c, str) and c in words:
            out.add(c)
    return out


def likeliest(items, first, words):
    """Sorts tests: those that are to be first, and of each file the classes and functions first whose tests mention words which few
    others mention."""
    groups, said, place, scores = {}, {}, {}, {}
    for i in items:
        group = (str(i.path), getattr(getattr(i, "cls", None), "__qualname__", i.name))
        groups[i], code = group, getattr(getattr(i, "obj", None), "__code__", None)
        place.setdefault(group[0], len(place))
        said.setdefault(group, []).append(mentions(code, words) if words and isinstance(code, types.CodeType) else set())
    many = {w: sum(any(w in m for m in of) for of in said.values()) for w in words}
    for group, of in said.items():
        scores[group] = sum(1 / many[w] for m in of for w in m if many[w] * 4 <= len(said) + 3) / len(of)
    items.sort(key=lambda i: (not first(i), place[groups[i][0]], -scores[groups[i]]))


def nearest(items, near, edits):
    """Puts the tests first that are nearest to the change, and returns them: of a file that is near to it those that the change
    edits, or else the likeliest, which are the first of it."""
    some, count, out = {str(i.path) for i in items if edits(i)}, {}, set()
    for i in items:
        path = str(i.path)
        if path in near and (edits(i) if path in some else count.get(path, 0) < 50):
            out.add(i.nodeid)
            count[path] = count.get(path, 0) + 1
    items.sort(key=lambda i: i.nodeid not in out)
    return out


def follow(job, near, edited, enough):
    """Follows which tests there are and which have ended, and puts those first that are nearest to the change. Returns what
    tells it. It asks enough after each test whether no other shall run."""
    all, ended, near, new, lacks, open_near = {}, set(), {os.path.abspath(f) for f in near}, set(), set(), set()
    trace, words = sys.gettrace(), set(job.get("words") or ())

    def again():
        """Goes on counting lines after a test that ended a debugger: it takes away whatever traces."""
        if trace is not None and sys.gettrace() is None:
            sys.settrace(trace)

    def known(tests):
        all.update(tests)
        open_near.update(n for n in all if all[n] and n not in ended)

    def done(name):
        """Notes that a test has ended, and reports whether no other shall run."""
        ended.add(name)
        open_near.discard(name)
        return bool(all) and len(ended) < len(all) and not open_near and enough(tests)

    if job["target"] == "pytest":
        sessions, close = [], set()

        def sort(items):
            likeliest(items, edits, words)
            close.update(nearest(items, near, edits))

        def edits(item):
            code, ranges = getattr(getattr(item, "obj", None), "__code__", None), edited.get(str(item.path))
            return bool(ranges) and isinstance(code, types.CodeType) and os.path.abspath(code.co_filename) == str(item.path) and touches(code, ranges)

        def finish(session):
            new.update(i.nodeid for i in session.items if edits(i))
            known({i.nodeid: i.nodeid in close for i in session.items})
            sessions.append(session)

        def lacking(node, call):
            """Notes for want of which module one of the nearest tests fails, or a file of them."""
            error = getattr(call.excinfo, "value", None)
            if isinstance(error, ModuleNotFoundError) and error.name and all.get(node.nodeid, str(node.path) in near):
                lacks.add(error.name.partition(".")[0][:100])

        def finished(nodeid, location):
            if done(nodeid):
                sessions[-1].shouldstop = "the other tests had their time"

        plugin = types.ModuleType("gate_tests", "PYTEST_DONT_REWRITE: it is there already")
        plugin.pytest_collection_modifyitems = sort
        plugin.pytest_collection_finish = finish
        plugin.pytest_exception_interact = lacking
        plugin.pytest_runtest_logstart = lambda nodeid, location: again()
        plugin.pytest_runtest_logfinish = finished
        sys.modules["gate_tests"] = plugin
        sys.argv[1:1] = ["-p", "gate_tests"]
    else:
        import unittest
        stop, run = unittest.TestResult.stopTest, unittest.TextTestRunner.run

        def flat(test):
            return [t for s in test for t in flat(s)] if isinstance(test, unittest.TestSuite) else [test]

        def stopTest(self, test):
            if done(test.id()):
                self.stop()
            again()
            return stop(self, test)

        def run_all(self, test):
            known({t.id(): os.path.abspath(getattr(sys.modules.get(type(t).__module__), "__file__", None) or "") in near for t in flat(test)})
            return run(self, test)

        unittest.TestResult.stopTest, unittest.TextTestRunner.run = stopTest, run_all

    def tests():
        left = [n for n in all if n not in ended]
        return {"total": len(all), "left": [n[:200] for n in left[:20]], "ended": len(all) - len(left), "lacks": sorted(lacks)[:20], "near": bool(all) and not any(all[n] for n in left), "edited": bool(new) and not any(n in new for n in left)}

    return tests


def others(job, idle, hits, clock):
    """What reports after a test beside the nearest that no other shall run: none of them ran a changed line as the first for some
    time, and for less of it where each has run."""
    last, seen, told = None, (-1, False), False
    changed = {rel: None if not ranges else {n for begin, end in ranges for n in range(begin, end + 1)} for rel, ranges in (job.get("changed") or {}).items()}

    def enough(tests):
        nonlocal last, seen, told
        if told or not (job.get("others") or job.get("nearest_only")):
            return told
        now, n = clock(), hits(changed)
        if n != seen:
            last, seen = now, n
        wait = (n[1] and job.get("shown")) or job["others"]
        told = (job.get("nearest_only") or now - last >= wait) and idle({"others": True, **tests()})
        return told

    return enough


def limit(seconds, over, tests, clock):
    """Ends the program after some time, of which that does not count in which others kept a processor from it. What waits
    for that ends before the interpreter does: a thread that gets the processor only afterwards, on a busy machine, would
    make it crash."""
    read, began = open, clock()
    wait, begun, main, getpid, ended = _thread.allocate_lock(), _thread.allocate_lock(), os.getpid(), os.getpid, []
    wait.acquire()
    begun.acquire()

    def late():
        if hasattr(_thread, "_set_sentinel"):
            ended.append(_thread._set_sentinel().acquire)
        begun.release()
        left = seconds
        while left > 0:
            if wait.acquire(True, left):
                return
            left = seconds + held() - (clock() - began)
        over(tests)

    def held():
        try:
            with read("/dev/shm/.gate-held") as f:
                return min(int(f.read(20)) / 1000, 3 * seconds)
        except Exception:
            return 0

    def stop():
        if getpid() == main:
            wait.release()
            begun.acquire()
            ended[0]()

    atexit.register(stop)
    if hasattr(_thread, "start_joinable_thread"):  # as of Python 3.13
        ended.append(_thread.start_joinable_thread(late, daemon=True).join)
    else:
        _thread.start_new_thread(late, ())


def forget(roots):
    """Takes what only we needed out of the way of files of the same name: a program is to find its own."""
    for name in set(sys.modules) - before:
        top = name.partition(".")[0]
        if any(os.path.isfile("%s/%s%s" % (r, top, end)) for r in roots for end in (".py", "/__init__.py")):
            del sys.modules[name]


def run(mode, target, path):
    if mode == "import":
        return importlib.import_module(target)
    if mode == "main":
        return runpy.run_module(target, run_name="__main__", alter_sys=True)
    if mode == "load":
        spec = importlib.util.spec_from_loader("target", importlib.machinery.SourceFileLoader("target", path))
        module = importlib.util.module_from_spec(spec)
        sys.modules["target"] = module
        spec.loader.exec_module(module)
        return module
    # Not runpy.run_path: it takes the module away when the file ends, and
    # threads and exit handlers would find an empty one.
    module = types.ModuleType("__main__")
    module.__file__, module.__builtins__ = path, __builtins__
    sys.modules["__main__"] = module
    with io.open_code(path) as f:
        code = compile(f.read(), path, "exec")
    exec(code, module.__dict__)
    return module


def linger(ours):
    """Gives daemon threads some time: a program that imports the file lives longer than this run."""
    for _ in range(30):
        if _thread._count() <= ours:
            return
        time.sleep(0.1)


def start_here():
    global _thread, asyncio, inspect, opcode, signal, time
    import _thread, time
    job, workspace = json.loads(sys.argv[1]), "/workspace"
    # No file of the program may be taken for a module that we need: all of them are loaded first.
    if job.get("exercise"):
        import asyncio, inspect, opcode, signal, time
        import ast, builtins, collections.abc, copy, datetime, decimal, enum, pathlib, re, typing
    if job.get("stand_ins"):
        import importlib.abc, importlib.machinery, inspect
        if not {"aiohttp", "httpx", "niquests", "requests", "treq", "urllib3"}.isdisjoint(job["stand_ins"]):
            import http.client, ssl, urllib.parse
    if "restrict" in job:
        import _posixsubprocess, fnmatch, re
    else:
        seed_late()
    if job.get("clock"):
        shift(job["clock"])
    mode, target = job["mode"], job["target"]
    raised = over = idle = hits = None
    clock = time.monotonic
    if "cover" in job:
        raised, over, idle, hits = watch(job["cover"], workspace, os.path.join(workspace, ".gate-coverage"), job.get("edited") or {})
    keep_code()
    roots = [os.path.join(workspace, r) for r in job["roots"]]
    # -c puts the current folder first; programs expect their own there.
    sys.path[:] = roots + [p for p in sys.path if p] + [os.path.join(workspace, r) for r in job.get("last") or ()]
    path = os.path.join(workspace, target)
    args = sys.argv[2:]
    if job.get("dotted"):
        args = [a[:-3].replace("/", ".") if a.endswith(".py") else a for a in args]
    sys.argv = [path if mode in ("file", "load") else target, *args]
    if timed := over is not None and bool(job.get("budget")):
        limit(job["budget"], over, follow(job, job.get("near") or (), {os.path.join(workspace, f): ranges for f, ranges in (job.get("edited") or {}).items()}, others(job, idle, hits, clock)), clock)
    if job.get("stand_ins"):
        stand_in(job["stand_ins"])
    if "restrict" in job:
        ours = [start_here, follow, likeliest, nearest, mentions, others, touches, limit, linger, run, forget, keep_code, watch, stand_in] + [exercise, made_up, inventor, keep_functions, Plan.__init__, Plan.answer, Plan.begin] * bool(job.get("exercise"))
        sys.modules["__main__"] = types.ModuleType("__main__")
        restrict(job["restrict"]["allow"], job["restrict"]["runner"], roots, ours, workspace)
    kept, guards, plan = [], {}, None
    if job.get("exercise"):
        guards, plan = keep_functions(kept, job.get("force") or {}, workspace)
    forget([r for r in roots if r.startswith(workspace)])
    try:
        module = run(mode, target, path)
    except BaseException as error:
        if raised:
            raised(error)
        raise
    if job.get("exercise"):
        exercise(module, job, kept, guards, plan, workspace)
    linger(1 if timed else 0)


start_here()

def watch(targets, root, folder):
    """Notes which lines of the files below root run, and writes it into folder at the end."""
    import atexit, json, os, sys, threading, warnings

    most = 100_000  # lines of one function without a new one among them
    code_type, real_open, mkdir, getpid, norm, dumps = type(watch.__code__), open, os.makedirs, os.getpid, os.path.normpath, json.dumps
    files, codes, has, ran, full = {}, {}, {}, {}, []

    def place(name):
        """The path in the tree of a file, None for one outside."""
        path = norm(name)
        rel = path[len(root) + 1:] if path.startswith(root + "/") else None
        if len(files) < 20_000:
            files[name] = rel
        return rel

    def numbers(code):
        return {n for _, _, n in code.co_lines() if n}

    def learn(code, rel):
        todo = [code]
        while todo:
            c = todo.pop()
            has.setdefault(rel, set()).update(numbers(c))
            todo += [k for k in c.co_consts if isinstance(k, code_type)]

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
                f.write(dumps({"files": {rel: [sorted(has[rel]), sorted(ran.get(rel, ()))] for rel in has}, "full": bool(full)}))
        except BaseException:
            pass

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



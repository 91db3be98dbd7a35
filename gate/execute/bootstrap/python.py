import importlib, importlib.util, io, json, os, runpy, sys, types


def run():
    job, workspace = json.loads(sys.argv[1]), "/workspace"
    mode, target = job["mode"], job["target"]
    # -c puts the current folder first; programs expect their own there.
    sys.path[:] = [os.path.join(workspace, r) for r in job["roots"]] + [p for p in sys.path if p]
    path = os.path.join(workspace, target)
    sys.argv = [path if mode in ("file", "load") else target, *sys.argv[2:]]
    if mode == "import":
        importlib.import_module(target)
    elif mode == "main":
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    elif mode == "load":
        spec = importlib.util.spec_from_loader("target", importlib.machinery.SourceFileLoader("target", path))
        module = importlib.util.module_from_spec(spec)
        sys.modules["target"] = module
        spec.loader.exec_module(module)
    else:
        # Not runpy.run_path: it takes the module away when the file ends, and
        # threads and exit handlers would find an empty one.
        module = types.ModuleType("__main__")
        module.__file__, module.__builtins__ = path, __builtins__
        sys.modules["__main__"] = module
        with io.open_code(path) as f:
            code = compile(f.read(), path, "exec")
        exec(code, module.__dict__)


run()

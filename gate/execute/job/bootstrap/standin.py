def stand_in(names):
    """Makes modules that are not there importable: whatever is asked of them is there and does nothing."""
    import importlib.abc, importlib.machinery, inspect, sys, types

    def member(owner, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if name.endswith(("Error", "Exception", "Warning", "Timeout")):
            return type(name, (Exception,), {})
        return Asked("gate-asked") if name == "request" else Anything()

    class Asked(str):
        """What a request brings. A program that runs it executes untrusted input."""
        __call__ = __getattr__ = __getitem__ = lambda self, *_, **__: self
        __bool__ = lambda self: True

    class Anything:
        def __call__(self, *args, **named):
            # A decorator leaves what it decorates as it is; groups of commands and tasks have decorators of their own.
            if len(args) == 1 and not named and (inspect.isfunction(args[0]) or inspect.isclass(args[0])):
                for name in ("command", "group", "add_command", "callback", "result_callback", "task", "delay") if inspect.isfunction(args[0]) else ():
                    args[0].__dict__.setdefault(name, self)
                return args[0]
            return self

        __getattr__ = member
        __getitem__ = __setitem__ = __delitem__ = __enter__ = lambda self, *_: self
        __iter__ = lambda self: iter(())
        __len__ = __int__ = __index__ = __hash__ = lambda self: 0
        __float__ = lambda self: 0.0
        __str__ = __repr__ = lambda self: ""
        __format__ = lambda self, spec: ""
        __bool__ = lambda self: True
        __contains__ = __exit__ = __eq__ = __lt__ = __le__ = __gt__ = __ge__ = lambda self, *_: False
        __mro_entries__ = lambda self, bases: ()

        def __await__(self):
            return self
            yield

        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            return False

        def __aiter__(self):
            return self

        async def __anext__(self):
            raise StopAsyncIteration

    for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split():
        setattr(Anything, f"__{name}__", lambda self, *_: self)
        setattr(Anything, f"__r{name}__", lambda self, *_: self)
    for name in "neg pos abs invert".split():
        setattr(Anything, f"__{name}__", lambda self: self)

    class Module(types.ModuleType):
        __getattr__ = member

    class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in names:
                return importlib.machinery.ModuleSpec(name, self, is_package=True)

        def create_module(self, spec):
            return Module(spec.name)

        def exec_module(self, module):
            pass

    sys.meta_path.append(Finder())



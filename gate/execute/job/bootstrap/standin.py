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

    class Client(Module):
        """A client of HTTP: its requests are made."""
        __getattr__ = lambda self, name: sends(name, "", {}) or member(self, name)

    class Text(str):
        __call__ = lambda self, *_, **__: self

        def __await__(self):
            return self
            yield

    class Bytes(bytes):
        __call__ = lambda self, *_, **__: self
        __await__ = Text.__await__

    class Object(dict):
        __await__ = Text.__await__

    class Answer(Anything):
        def __init__(self, status, head, body):
            self.__dict__.update(status=status, status_code=status, headers=head, content=Bytes(body), text=Text(body.decode("latin-1")), ok=status < 400, is_success=status < 400, is_error=status >= 400)

        def json(self, *_, **__):
            import json
            value = json.loads(self.content)
            return Object(value) if isinstance(value, dict) else value

        read = aread = lambda self, *_: self.content
        iter_content = iter_bytes = lambda self, *_: iter((bytes(self.content),))
        iter_lines = lambda self, *_: iter(self.text.splitlines())
        raise_for_status = lambda self: self

    def ask(method, to, base, head, params=None, json=None, data=None, content=None, headers=None, **_):
        import http.client, json as text, ssl, urllib.parse as parse
        to = parse.urljoin(base.rstrip("/") + "/", str(to).lstrip("/")) if base.strip() and "://" not in str(to) else str(to)
        if params:
            to += ("&" if "?" in to else "?") + parse.urlencode(params, doseq=True)
        at, head, body = parse.urlsplit(to), {**head, **dict(headers or {})}, data if data is not None else content
        if json is not None:
            body, head = text.dumps(json, default=str), {"Content-Type": "application/json", **head}
        elif isinstance(body, (dict, list, tuple)):
            body, head = parse.urlencode(body, doseq=True), {"Content-Type": "application/x-www-form-urlencoded", **head}
        elif hasattr(body, "read"):
            body = body.read()
        body = body.encode() if isinstance(body, str) else body
        line = http.client.HTTPSConnection(at.netloc, timeout=5, context=ssl._create_unverified_context()) if at.scheme == "https" else http.client.HTTPConnection(at.netloc, timeout=5)
        line.request(method, (at.path or "/") + ("?" + at.query if at.query else ""), body, {"Accept": "*/*", **{str(k): str(v) for k, v in head.items()}})
        answer = line.getresponse()
        return Answer(answer.status, dict(answer.headers), answer.read(1 << 20))

    def sends(name, base, head):
        """What a module or an object of a client has under a name, None for something else."""
        def send(*args, **named):
            args = [named.pop("method", "GET"), *args] if "method" in named else args
            method, args = (name.upper(), args) if name not in ("request", "stream", "urlopen") else (str(args[0]).upper(), args[1:]) if args and "://" not in str(args[0]) else ("GET", args)
            try:
                return ask(method, args[0] if args else named.pop("url"), base, head, **named)
            except Exception:
                return Anything()

        if name in ("get", "post", "put", "patch", "delete", "head", "options", "request", "stream", "urlopen"):
            return send
        if not base and name in ("Client", "AsyncClient", "ClientSession", "Session", "AsyncSession", "PoolManager", "session", "sessions"):
            def client(*args, base_url="", headers=None, **_):
                return Sender(str(base_url or (args[0] if args and "://" in str(args[0]) else "")), dict(headers or {}))
            return client

    class Sender(Anything):
        def __init__(self, base, head):
            self.__dict__.update(base=base, headers=head)

        __getattr__ = lambda self, name: (sends(name, self.base or " ", self.headers) if name[:2] != "__" else None) or member(self, name)

    clients = {"aiohttp", "httpx", "niquests", "requests", "treq", "urllib3"}

    class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in names:
                return importlib.machinery.ModuleSpec(name, self, is_package=True)

        def create_module(self, spec):
            return (Client if spec.name in clients else Module)(spec.name)

        def exec_module(self, module):
            pass

    sys.meta_path.append(Finder())



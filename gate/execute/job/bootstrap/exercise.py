ASKED = "gate-asked"  # is in what a request brings: a program that runs it executes untrusted input
GIVEN = "gate-given"  # is in every value that we make up: what such a value names is not the program's choice


def made_up(mark=GIVEN, number=3, asked=None):
    """The class of values of which nothing is known: a text that can also be called, asked, counted, gone through and awaited.
    asked gets the texts that it is compared with: a condition tells what it waits for."""
    asked, here = [] if asked is None else asked, posix.uname().nodename  # no program waits for a name of this machine that it does not know

    def notes(name):
        def compare(self, other, *rest):
            for one in other if isinstance(other, tuple) else (other,):
                if isinstance(one, str) and type(one) is str and 0 < len(one) < 80 and len(asked) < 40 and one not in asked and one != here:
                    asked.append(one)
            return getattr(str, name)(self, other, *rest)
        return compare

    def wanted(asks):
        """How many values a frame takes apart: a, b = value."""
        step, n = asks.f_code.co_code[asks.f_lasti:asks.f_lasti + 2] or (0, 0)
        return n if step == opcode.opmap["UNPACK_SEQUENCE"] and n else 1

    class Given(str):
        def __getattr__(self, name):
            if name[:2] == "__":
                raise AttributeError(name)
            return Given(mark)

        def __getitem__(self, key):
            return str.__getitem__(self, key) if isinstance(key, (int, slice)) else Given(mark)

        def __iter__(self):
            return iter(tuple(Given(mark) for _ in range(wanted(sys._getframe(1)))))

        def __await__(self):
            return self
            yield

        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            return False

        async def __aiter__(self):
            yield Given(mark)

        def __add__(self, other):
            return str.__add__(self, other) if isinstance(other, str) else other

        def __format__(self, spec):
            try:
                return format(str(self), spec)
            except ValueError:
                return format(3, spec)

        __hash__ = str.__hash__
        __call__ = lambda self, *_, **__: Given(mark)
        __enter__ = lambda self: self
        __exit__ = lambda self, *_: False
        __setitem__ = __delitem__ = lambda self, *_: None
        __int__ = __index__ = lambda self: number
        __float__ = lambda self: float(number)
        __fspath__ = lambda self: "/tmp/" + mark + "/file.txt"
        items = lambda self: [(mark, Given(mark))]
        keys = lambda self: [mark]
        values = lambda self: [Given(mark)]
        get = lambda self, *_, **__: Given(mark)
        read = lambda self, *_: Given(mark)

    for name in "__eq__ __ne__ __contains__ startswith endswith find index count".split():
        setattr(Given, name, notes(name))
    for name in "lower upper strip lstrip rstrip casefold title removeprefix removesuffix replace".split():
        setattr(Given, name, (lambda of: lambda self, *given: Given(getattr(str, of)(self, *given)))(name))

    def arithmetic(name):
        def by(self, other=0):
            try:
                return getattr(type(other), name)(3 if isinstance(other, (int, float)) else other, other)
            except (TypeError, AttributeError):
                return Given(mark)
        return by

    for name in "sub mul truediv floordiv pow and or xor".split():
        setattr(Given, f"__{name}__", arithmetic(f"__{name}__"))
        setattr(Given, f"__r{name}__", lambda self, other: other)
    Given.__radd__ = lambda self, other: other
    for name in "lt le gt ge".split():
        setattr(Given, f"__{name}__", (lambda of: lambda self, other: getattr(str, of)(self, other) if isinstance(other, str) else True)(f"__{name}__"))
    return Given


def inventor(Given, workspace):
    """Makes values for parameters from their names and types."""
    import collections.abc, datetime, decimal, enum, io, pathlib, re, typing

    place = "/tmp/" + GIVEN

    def laid():
        os.makedirs(place + "/folder", exist_ok=True)
        os.makedirs(ASKED, exist_ok=True)  # a request may name where a command runs
        for name in ("/file.txt", "/folder/one.txt", "/folder/two.txt"):
            if not os.path.exists(place + name):
                with open(place + name, "w") as f:
                    f.write(GIVEN + "\n")

    kinds = [
        (r"(^|_)(dirs?|directory|folder|dest|destination|root|tree|workdir|cwd)$", lambda: place + "/folder"),
        (r"(^|_)(paths?|files?|filename|src|source|target|output|out|input|log|db|database|archive)$", lambda: place + "/file.txt"),
        (r"url|uri|endpoint|webhook|link$", lambda: "http://" + GIVEN + ".example/"),
        (r"e?mail|recipient|sender", lambda: GIVEN + "@" + GIVEN + ".example"),
        (r"host|server|domain|addr", lambda: GIVEN + ".example"),
        (r"(^|_)port$", lambda: 8080),
        (r"^(is|has|should|can|use|with|no|allow|enable)_|enabled?$|verbose|force|confirm|strict|flag", lambda: True),
        (r"dry", lambda: False),
        (r"(^|_)(count|num|n|i|j|k|x|y|size|limit|amount|total|price|cents|cost|index|idx|days|hours|minutes|seconds|timeout|retries|attempts?|age|id|quantity|qty|width|height|length|depth|level|rate|balance|weight|score|number|step|offset|page|max|min|interval|fee|value|version)$", lambda: 3),
        (r"(^|_)year$", lambda: datetime.datetime.now().year),
        (r"(^|_)(now|when|today|date|time|timestamp|moment|at|created|updated|day)(_at)?$", lambda: datetime.datetime.now()),
        (r"(^|_)(argv|args)$", lambda: [Given(GIVEN)]),
        (r"(^|_)(callback|func|fn|handler|hook|on_\w+)$", lambda: lambda *_, **__: Given(GIVEN)),
        (r"(items|lines|rows|records|entries|names|values|users|keys|words|list|jobs|events|messages|elements)$", lambda: [Given(GIVEN)]),
        (r"^_?(req|request|ctx|websocket|environ|update|interaction)$", lambda: made_up(ASKED)(ASKED)),
        (r"payload|body|bytes|blob|chunk|buf", lambda: Given(GIVEN)),
    ]
    plain = {
        int: lambda: 3, float: lambda: 3.0, bool: lambda: True, bytes: lambda: GIVEN.encode(), bytearray: lambda: bytearray(GIVEN.encode()), complex: lambda: 3j,
        decimal.Decimal: lambda: decimal.Decimal("3.25"), pathlib.Path: lambda: pathlib.Path(place + "/file.txt"), pathlib.PurePath: lambda: pathlib.PurePath(place + "/file.txt"),
        datetime.datetime: lambda: datetime.datetime.now(), datetime.date: lambda: datetime.date.today(), datetime.timedelta: lambda: datetime.timedelta(days=1),
        dict: lambda: {GIVEN: Given(GIVEN)}, list: lambda: [Given(GIVEN)], set: lambda: {GIVEN}, tuple: lambda: (Given(GIVEN),), type(None): lambda: None,
        io.StringIO: lambda: io.StringIO(GIVEN), io.BytesIO: lambda: io.BytesIO(GIVEN.encode()), typing.TextIO: lambda: io.StringIO(GIVEN + "\n"), typing.BinaryIO: lambda: io.BytesIO(GIVEN.encode()),
    }

    def named(name):
        for pattern, make in kinds:
            if re.search(pattern, name.lower()):
                return make()
        return Given(GIVEN)

    def typed(kind, name, depth):
        if kind in plain:
            if kind is pathlib.Path and re.search(kinds[0][0], name.lower()):
                return pathlib.Path(place + "/folder")
            return plain[kind]()
        if kind is str:
            value = named(name)
            return value if isinstance(value, str) else Given(GIVEN)
        origin, of = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Union or origin is types.UnionType:
            return typed(next((t for t in of if t is not type(None)), str), name, depth)
        if origin is typing.Literal:
            return of[0]
        if origin is typing.Annotated:
            return typed(of[0], name, depth)
        if origin in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
            return {typed(of[0], "key", depth): typed(of[1], name, depth)} if len(of) == 2 else {GIVEN: Given(GIVEN)}
        if origin is collections.abc.Callable:
            return lambda *_, **__: Given(GIVEN)
        if origin is tuple and of:
            return tuple(typed(t, name, depth) for t in of if t is not ...)
        if origin is not None and isinstance(origin, type) and issubclass(origin, collections.abc.Iterable):
            return (set if issubclass(origin, collections.abc.Set) else list)([typed(of[0] if of else str, name.removesuffix("s"), depth)])
        if isinstance(kind, type) and issubclass(kind, enum.Enum) and len(kind):
            return list(kind)[0]
        if isinstance(kind, type) and depth < 3 and (getattr(sys.modules.get(kind.__module__), "__file__", None) or "").startswith(workspace + "/"):
            try:
                return made(kind, depth + 1)
            except Exception:
                return Given(GIVEN)
        return named(name)

    def arguments(f, depth=0, skip=0, give=None):
        """What a function is called with, by position and by name. give makes the value of a parameter, where it is not by name and type."""
        try:
            hints = typing.get_type_hints(f if isinstance(f, types.FunctionType) else f.__init__)
        except Exception:
            hints = {}
        by_place, by_name = [], {}
        for p in list(inspect.signature(f).parameters.values())[skip:]:
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                continue
            if p.default is not p.empty and (give is None or not isinstance(p.default, (str, type(None), bool, int))):
                continue
            kind = hints.get(p.name)
            value = None if give is None else give(p, kind)
            if value is None and type(p.default) is int:
                continue
            if value is None:
                value = typed(kind, p.name, depth) if kind is not None else named(p.name)
            if p.kind is p.POSITIONAL_ONLY or p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty and not by_name:
                by_place.append(value)
            else:
                by_name[p.name] = value
        return by_place, by_name

    def made(kind, depth=0):
        by_place, by_name = arguments(kind, depth)
        return kind(*by_place, **by_name)

    return laid, arguments, made, named


def keep_functions(kept, force, workspace):
    """Keeps each function of the program as it is made, below its decorators, and answers those conditions that keep lines
    from running: all of them so that they are met, or those of one way to some lines, and the others as they are."""
    import ast, copy

    def begins(block, lines):
        return bool(block) and block[0].lineno in lines

    leaves = (ast.Return, ast.Raise, ast.Continue, ast.Break)
    late = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)  # what a function of its own would change

    def has(node, kinds):
        return any(isinstance(n, kinds) for n in ast.walk(node))

    def names(node):
        return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}

    def items(loop):
        """The names that a loop gives to its items, and what its body makes of them."""
        out = names(loop.target)
        for _ in range(3):
            for n in ast.walk(loop):
                if isinstance(n, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and n.value is not None and names(n.value) & out:
                    out |= set().union(*(names(t) for t in (n.targets if isinstance(n, ast.Assign) else [n.target])))
        return out

    def key(node):
        return (node.lineno, node.col_offset)

    class Ways:
        """By which answers of conditions lines are reached: preset answers all at once, ways those for single blocks."""

        def __init__(self, lines):
            self.lines, self.preset, self.ways = lines, {}, []

        def answer(self, way, node, yes):
            return {**way, key(node): yes}

        def walk(self, block, way, chosen):
            for at, s in enumerate(block):
                rest = block[at + 1:]
                if s.lineno in self.lines and way and way not in self.ways and not isinstance(s, leaves):
                    self.ways.append(way)
                if isinstance(s, (ast.If, ast.While)):
                    way = self.branch(s, rest, way, chosen)
                elif isinstance(s, ast.Assert):
                    if begins(rest, self.lines):
                        self.preset[key(s.test)] = True
                    way = self.answer(way, s.test, True)
                elif isinstance(s, (ast.For, ast.AsyncFor)):
                    self.walk(s.body, way, chosen | items(s))
                    self.walk(s.orelse, way, chosen)
                elif isinstance(s, ast.Try) or type(s).__name__ == "TryStar":
                    for h in s.handlers:
                        if begins(h.body, self.lines):
                            self.preset[key(s)] = True
                        self.walk(h.body, self.answer(way, s, True), chosen)
                    for part in (s.body, s.orelse, s.finalbody):
                        self.walk(part, way, chosen)
                elif isinstance(s, ast.Match):
                    for n, case in enumerate(s.cases):
                        if begins(case.body, self.lines):
                            self.preset.setdefault(key(s), n)
                        self.walk(case.body, self.answer(way, s, n), chosen)
                else:
                    for part in ("body", "orelse"):
                        inner = getattr(s, part, None)
                        if isinstance(inner, list):
                            self.walk(inner, {} if isinstance(s, ast.ClassDef) else way, chosen)
            return way

        def branch(self, s, rest, way, chosen):
            if names(s.test) & chosen and (set().union(*map(names, s.body + s.orelse)) & chosen or isinstance(s.body[-1], leaves)):
                yes = no = way  # which items are meant is no condition on the world
            else:
                yes, no = self.answer(way, s.test, True), self.answer(way, s.test, False)
                if begins(s.body, self.lines):
                    self.preset[key(s.test)] = True
                elif begins(s.orelse, self.lines) or isinstance(s, ast.If) and isinstance(s.body[-1], leaves) and begins(rest, self.lines):
                    self.preset[key(s.test)] = False
            self.walk(s.body, yes, chosen)
            self.walk(s.orelse, no, chosen)
            if isinstance(s, ast.While) or isinstance(s.body[-1], leaves) == (bool(s.orelse) and isinstance(s.orelse[-1], leaves)):
                return way
            return no if isinstance(s.body[-1], leaves) else yes

    class Edit(ast.NodeTransformer):
        def __init__(self, lines, guards, ways, tables):
            self.lines, self.guards, (self.tables, self.loaded) = lines, guards, tables
            self.preset, self.asked = ways.preset, set(ways.preset).union(*ways.ways)
            self.inside = self.choices = 0
            self.values, self.followed = [], set()  # what is either met or not; statements with such lines behind them

        def keep(self, node):
            self.inside += 1
            self.generic_visit(node)
            self.inside -= 1
            node.decorator_list.append(ast.copy_location(ast.Name("__gate_keep__", ast.Load()), node))
            return node

        visit_FunctionDef = visit_AsyncFunctionDef = keep

        def generic_visit(self, node):
            for field in ("body", "orelse", "finalbody") if self.lines else ():
                block = getattr(node, field, None)
                if isinstance(block, list):
                    for at, s in enumerate(block):
                        self.met(s)
                        self.tried(node, s, block[at + 1:])
            return super().generic_visit(node)

        def met(self, s):
            if isinstance(s, (ast.If, ast.While, ast.Assert)):
                if key(s.test) in self.asked:
                    s.test = self.call("__gate_asked__", s.test, key(s.test), self.preset.get(key(s.test)), isinstance(s, ast.While))
            elif isinstance(s, ast.For) and begins(s.body, self.lines):
                s.iter = self.call("__gate_some__", s.iter)
            elif isinstance(s, ast.Try) and key(s) in self.asked and s.handlers:
                h = next((h for h in s.handlers if begins(h.body, self.lines)), s.handlers[0])
                kind = h.type.elts[0] if isinstance(h.type, ast.Tuple) and h.type.elts else h.type
                fail = ast.Expr(self.call("__gate_fail__", kind or ast.copy_location(ast.Name("Exception", ast.Load()), s.body[-1]), key(s), self.preset.get(key(s))))
                at = next((n for n, b in enumerate(s.body) if isinstance(b, ast.Return)), len(s.body))
                s.body.insert(at, ast.fix_missing_locations(ast.copy_location(fail, s.body[-1])))
            elif isinstance(s, ast.Match) and key(s) in self.asked:
                s.cases = [self.first(s, n, case) for n, case in enumerate(s.cases) if not self.binds(case.pattern)] + s.cases

        def binds(self, pattern):
            """Whether a pattern gives names that its body wants."""
            return any(isinstance(p, (ast.MatchAs, ast.MatchStar)) and p.name or isinstance(p, ast.MatchMapping) and p.rest for p in ast.walk(pattern))

        def first(self, s, n, case):
            chosen = self.call("__gate_case__", ast.copy_location(ast.Constant(n), s.subject), key(s), self.preset.get(key(s)))
            return ast.match_case(ast.copy_location(ast.MatchAs(), case.pattern), chosen, copy.deepcopy(case.body))

        def tried(self, node, s, rest):
            """What fails in front of lines that did not run has a value all the same."""
            inner = isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith)) and id(node) in self.followed
            if isinstance(node, (ast.Module, ast.ClassDef)) or not inner and not any(self.at(r) for r in rest):
                return
            self.followed.add(id(s))  # nor does what fails inside of it keep these lines from running
            if isinstance(s, ast.With):
                for one in s.items:
                    one.context_expr = self.try_(one.context_expr, 0)
            elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
                s.value = self.try_(s.value, 0)
            elif isinstance(s, ast.Assign) and len(s.targets) == 1 and has(s.value, (ast.Call, ast.BinOp, ast.Subscript, ast.Attribute)):
                s.value = self.try_(s.value, len(s.targets[0].elts) if isinstance(s.targets[0], (ast.Tuple, ast.List)) else 0)

        def try_(self, value, many):
            if has(value, late) or names(value) & {"super", "locals"}:
                return value
            return self.call("__gate_tried__", value, many, guard=False)

        def visit_Call(self, node):
            super().generic_visit(node)
            if self.lines and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args and self.table(node.func.value) and not has(node, late):
                return self.pick(node, node.func.value)
            return node

        def visit_Subscript(self, node):
            of = node.value
            super().generic_visit(node)
            if self.lines and isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Slice) and self.table(of) and not has(node, late):
                if not isinstance(node.slice, ast.Constant) or isinstance(of, ast.Attribute) or isinstance(of, ast.Name) and of.id in self.tables - self.loaded:
                    return self.pick(node, of)
            return node

        def at(self, node):
            return any(n in self.lines for n in range(node.lineno, node.end_lineno + 1))

        def pick(self, node, table):
            if not self.inside and self.at(node):
                self.guards.add(0)  # other files ask what this one holds
            return self.call("__gate_pick__", node, copy.deepcopy(table), not self.inside, guard=self.inside and self.at(node))

        def table(self, node):
            """Whether something is a table of the file, or a part of one that a constant names, or one that stands here."""
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                return self.table(node.value)
            return isinstance(node, ast.Name) and node.id in self.tables or isinstance(node, ast.Attribute) and node.attr in self.tables and isinstance(node.value, ast.Name) or isinstance(node, ast.Dict) and len(node.keys) > 1

        def visit_IfExp(self, node):
            at = self.at(node)
            super().generic_visit(node)
            if at and self.inside and not has(node.test, late):
                node.test = self.either(node.test)
            return node

        def visit_BoolOp(self, node):
            at = self.at(node)
            super().generic_visit(node)
            return self.either(node) if at and self.inside and node in self.values and not has(node, late) else node

        def either(self, test):
            self.choices += 1
            return self.call("__gate_either__", test, self.choices - 1)

        def visit_Assign(self, node):
            if isinstance(node.value, ast.BoolOp) and isinstance(node.value.op, ast.And):
                self.values.append(node.value)
            return self.generic_visit(node)

        visit_Return = visit_Assign

        def call(self, name, value, *more, guard=True):
            if guard:
                self.guards.add(value.lineno)
            given = value if has(value, late) else ast.Lambda(ast.arguments([], [], None, [], [], None, []), value)
            if given is value and name in ("__gate_asked__", "__gate_some__"):
                name = name[:-2] + "__now__"
            more = [m if isinstance(m, ast.AST) else ast.Constant(m) for m in more]
            return ast.fix_missing_locations(ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [given, *more], []), value))

    def loads(f):
        """Whether a function gives a table: json.loads, yaml.safe_load, dict, MappingProxyType."""
        return getattr(f, "attr", getattr(f, "id", "")) in ("load", "loads", "safe_load", "dict", "OrderedDict", "defaultdict", "MappingProxyType")

    def tables(tree):
        """The names of tables that a file has at its top, or in its classes, and which of them are read from files."""
        out, read = set(), set()
        for s in [*tree.body, *(c for k in tree.body if isinstance(k, ast.ClassDef) for c in k.body)]:
            if isinstance(s, (ast.Assign, ast.AnnAssign)) and (isinstance(s.value, (ast.Dict, ast.List, ast.Tuple)) or isinstance(s.value, ast.Call) and loads(s.value.func)):
                new = set().union(*(names(t) for t in (s.targets if isinstance(s, ast.Assign) else [s.target])))
                out |= new
                read |= new if isinstance(s.value, ast.Call) else set()
        return out, read

    def keep(f):
        if isinstance(f, types.FunctionType) and len(kept) < 2000:
            kept.append(f)
        return f

    guards, plan = {}, Plan()

    def asked(test, at, preset, again):
        try:
            real = test()
        except Exception:
            real = False
        return answered(real, at, preset, again)

    def answered(real, at, preset, again):
        answer = plan.answer(at, preset)
        if answer is None:
            return real
        plan.turns[at] = plan.turns.get(at, 0) + 1
        return answer and (not again or plan.turns[at] <= 100)

    def some(of):
        try:
            return somenow(of())
        except Exception:
            return [made_up()(GIVEN)]

    def somenow(all):
        if isinstance(all, (list, tuple, dict, set, str, bytes, range)):
            return all or [made_up()(GIVEN)]
        return all

    def fail(kind, at, preset):
        if plan.answer(at, preset) is None:
            return
        kind = kind()
        try:
            error = kind()
        except Exception:
            error = Exception.__new__(kind)
        raise error

    def case(which, at, preset):
        return plan.answer(at, preset) == which()

    def tried(of, many):
        try:
            return of()
        except Exception:
            one = made_up()
            return tuple(one(GIVEN) for _ in range(many)) if many else one(GIVEN)

    def pick(of, table, once=False):
        """What a table has for a key, or each of its values in turn; another one where it is asked but once, while a module loads."""
        values = list(table.values()) if isinstance(table, dict) else list(table) if isinstance(table, (list, tuple)) else []
        if not values or len(values) > 50 or any(isinstance(v, (int, float)) for v in values):
            return of()
        if once:
            real = of()
            return next((v for v in values if v and v != real), real)
        plan.most = max(plan.most, len(values))
        if plan.turn is None:
            return of()
        return values[plan.turn % len(values)]

    def either(test, at):
        """Both answers of a condition in an expression, in turn: each of three neighbours has its own."""
        plan.most = max(plan.most, 2 << at % 3)
        if plan.turn is None:
            return test()
        return not plan.turn >> at % 3 & 1

    import builtins
    for f, name in ((either, "either"), (tried, "tried"), (keep, "keep"), (asked, "asked"), (answered, "asked__now"), (some, "some"), (somenow, "some__now"), (fail, "fail"), (case, "case"), (pick, "pick")):
        setattr(builtins, f"__gate_{name}__", f)
    real = importlib.machinery.SourceFileLoader.source_to_code

    def source_to_code(self, data, path, **options):
        if str(path).startswith(workspace + "/"):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(data, path)
                lines = {n for begin, end in force.get(path[len(workspace) + 1:], ()) for n in range(begin, end + 1)}
                ways = Ways(lines)
                if lines:
                    ways.walk(tree.body, {}, frozenset())
                    plan.ways.setdefault(path, []).extend(ways.ways)
                edited = ast.fix_missing_locations(Edit(lines, guards.setdefault(path, set()), ways, tables(tree)).visit(tree))
                return real(self, edited, path, **options)
            except SyntaxError:
                pass
        return real(self, data, path, **options)

    importlib.machinery.SourceFileLoader.source_to_code = source_to_code
    return guards, plan


class Plan:
    """How conditions are answered in a call: all as they were preset, or those of one way."""

    def __init__(self):
        self.ways, self.way, self.turn, self.turns, self.most = {}, None, None, {}, 0

    def answer(self, at, preset):
        return preset if self.way is None else self.way.get(at)

    def begin(self, way=None, turn=None):
        self.way, self.turn, self.most = way, turn, 0
        self.turns.clear()


def exercise(module, job, kept, guards, plan, workspace):
    """Calls functions of a module, each for a short time: those that the change touches with arguments that are made up, others that want none."""
    import itertools, re

    class Enough(BaseException):
        pass

    def enough(*_):
        raise Enough

    Given = made_up()
    laid, arguments, made, named = inventor(Given, workspace)
    signal.signal(signal.SIGALRM, enough)
    mine, last, used = getattr(module, "__file__", None), time.monotonic() + 10, time.process_time()

    def remaining():
        """How long functions may still be called: on a busy machine longer, until they have had the processor for a while."""
        late = 8 if time.process_time() - used < 3 else 0
        return last + late - time.monotonic()

    ranges = (job.get("touched") or {}).get(os.path.relpath(mine, workspace) if mine else "", ())
    if ranges is None:
        ranges = [(1, 1 << 30)]
    if job.get("force") and (guards.get(mine) or not any(guards.values())):
        ranges = [(n, n) for n in guards.get(mine, ())]  # what asks, and not what is asked for

    def within(f, *given, **named):
        left = remaining()
        if left <= 0:
            return False
        signal.setitimer(signal.ITIMER_REAL, min(left, 2))
        try:
            out = f(*given, **named)
            if inspect.iscoroutine(out):
                asyncio.run(out)
            elif inspect.isasyncgen(out):
                asyncio.run(anext(out, None))
            elif inspect.isgenerator(out):
                for _ in range(20):
                    next(out)
            elif isinstance(out, types.FunctionType) and out.__code__.co_filename == mine and plan.turn is not None:
                by_place, by_name = arguments(out)
                out(*by_place, **by_name)  # made of what a table had in this turn
            return True
        except BaseException:
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def plain(value, depth=0):
        """The texts and numbers that a constant holds, and the keys of a table."""
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            yield value
        elif isinstance(value, (tuple, frozenset, list, set, dict)) and len(value) <= 50 and depth < 2:
            for one in value:
                yield from plain(one, depth + 1)
        elif isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            yield from matching(value.pattern)

    def matching(pattern):
        """A text that matches an expression."""
        def one(parts):
            out = ""
            for op, of in parts:
                op = str(op)
                if op == "LITERAL":
                    out += chr(of)
                elif op == "NOT_LITERAL":
                    out += "b" if of == ord("a") else "a"
                elif op == "ANY":
                    out += "a"
                elif op == "IN":
                    kind, first = str(of[0][0]), of[0][1]
                    out += chr(first) if kind == "LITERAL" else chr(first[0]) if kind == "RANGE" else {"CATEGORY_DIGIT": "3", "CATEGORY_SPACE": " "}.get(str(first), "a")
                elif op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                    out += one(of[2]) * max(1 if of[1] else 0, min(of[0], 40))
                elif op == "SUBPATTERN":
                    out += one(of[-1])
                elif op == "BRANCH":
                    out += one(of[1][0])
            return out
        try:
            yield one(re._parser.parse(pattern))
        except Exception:
            return

    def constants(code, names, seen, depth=0):
        """What a function names: its own constants, those of its module, and those of functions that it calls."""
        seen.add(code)
        for c in code.co_consts:
            if isinstance(c, types.CodeType):
                yield from constants(c, names, seen, depth)
            else:
                yield from plain(c)
        for name in code.co_names:
            value = names.get(name)
            yield from plain(value)
            if isinstance(value, types.FunctionType) and value.__code__.co_filename == code.co_filename and value.__code__ not in seen and depth < 2:
                yield from constants(value.__code__, names, seen, depth + 1)

    def owner(f):
        """An object for a method: of its class, where one can be made, or one that has everything."""
        kind = module
        for part in f.__qualname__.split(".")[:-1]:
            kind = getattr(kind, part, None)
        if isinstance(kind, type):
            try:
                return made(kind)
            except BaseException:
                try:
                    return kind.__new__(kind)
                except BaseException:
                    pass
        return Given(GIVEN)

    def call(f):
        method = "." in f.__qualname__ and not f.__qualname__.rpartition(".")[0].endswith("<locals>")
        own = [] if not method else [owner(f)] if next(iter(inspect.signature(f).parameters), "") in ("self", "cls") else []
        if own and next(iter(inspect.signature(f).parameters)) == "cls":
            own = [type(own[0])]
        names = dict(f.__globals__)
        for kind in type(own[0]).__mro__[:-1] if own else ():
            names.update({n: v for n, v in vars(kind).items() if n not in names and not n.startswith("__")})
        used = list(dict.fromkeys(c for c in constants(f.__code__, names, set()) if not isinstance(c, str) or 0 < len(c) < 80 and c != (f.__doc__ or "")))
        for c in [c for c in used if isinstance(c, str) and re.search(r"[\[(\\^$]", c)]:
            used += [m for m in matching(c) if m != c]
        texts, numbers = [c for c in used if isinstance(c, str) and not c.endswith(" ")][:16], [c for c in used if isinstance(c, int) and 1 < c < 1 << 40][:8]
        asked = []
        told = made_up(GIVEN, 3, asked)

        def text(t, all):
            return lambda p, kind: t if kind in (None, str) and not isinstance(p.default, int) and (all or not counts(p.name)) else None

        def number(n):
            return lambda p, kind: n if kind in (int, float) or kind is None and (counts(p.name) or type(p.default) is int) else None

        def flipped(p, kind):
            return (not p.default if isinstance(p.default, bool) else None)

        def unknown(p, kind):
            return None if type(p.default) is int else told(GIVEN)

        def said(t, n):
            """Whatever is asked of an argument, the answer is this."""
            return lambda p, kind: n if type(p.default) is int or kind in (int, float) else made_up(t, n)(t)

        def both(t, n):
            return lambda p, kind: n if counts(p.name) or isinstance(p.default, int) and not isinstance(p.default, bool) else t if kind in (None, str) else None

        laid()
        ways = [None, flipped, unknown] + [text(t, all) for t in texts for all in (False, True)] + [number(n) for c in numbers for n in (c + 1, c)]
        ways += [both(t, 0) for t in texts[:8]] + [said(GIVEN, n + 1) for n in numbers[:4]]

        def answers():
            """What the calls have asked for so far comes after all others."""
            for t in asked[:16]:
                yield said(t, 3)
                yield text(t, True)
                yield both(t, 0)

        def attempt(give, way=None, turn=None):
            plan.begin(way, turn)
            try:
                by_place, by_name = arguments(f, 0, len(own), give)
            except Exception:
                by_place, by_name = [], {}
            within(f, *own, *by_place, **by_name)
            return plan.most

        takes = f.__code__.co_argcount + f.__code__.co_kwonlyargcount > len(own)
        single = [w for w in plan.ways.get(mine, ()) if any(touches(f.__code__, [(line, line)]) for line, _ in w)][:16]
        most = max(attempt(give, way) for give in (ways[:3] if takes else ways[:1]) for way in [None, *single])
        for turn in range(min(most, 12)):  # of each table
            for way in [None, *single[:6]]:
                attempt(None, way, turn)
        for give in itertools.chain(ways[3:], answers()) if takes else ():
            for way in [None, *single[:3]]:
                if remaining() <= 0:
                    return
                attempt(give, way)
        plan.begin()
        # What counts its calls is called as often as it may count, and what has commands for each of them.
        often, until = max((n for n in numbers if n <= 2000), default=6 if {"parse_args", "parse_known_args"} & set(f.__code__.co_names) else 0), time.monotonic() + 0.5
        if chance & set(f.__code__.co_names):
            often = max(often, 200)
        for _ in range(often):
            if time.monotonic() > until or remaining() <= 0:
                break
            try:
                by_place, by_name = arguments(f, 0, len(own))
            except Exception:
                break
            within(f, *own, *by_place, **by_name)

    chance = {"random", "randint", "randrange", "randbelow", "getrandbits", "choice", "choices", "shuffle", "sample", "uniform", "urandom", "token_hex", "token_bytes", "uuid4"}

    def counts(name):
        return isinstance(named(name), (int, float))

    turn = 0

    def command_line(parser, _=None, space=None):
        """Answers a parser of the command line: what has to be there is made up, and each call takes the next of its commands."""
        nonlocal turn
        argparse, turn = sys.modules["argparse"], turn + 1
        space = argparse.Namespace() if space is None else space
        for a in parser._actions:
            if isinstance(a, (argparse._HelpAction, argparse._VersionAction)):
                continue
            value = a.default
            if isinstance(a, argparse._SubParsersAction):
                value = list(a.choices)[turn % len(a.choices)]
                command_line(a.choices[value], None, space)
            elif a.required or not a.option_strings:
                value = list(a.choices)[0] if a.choices else named(a.dest)
                try:
                    value = a.type(str(value)) if callable(a.type) else value
                except Exception:
                    pass
                value = [value] if a.nargs not in (None, "?") else value
            elif a.nargs == 0 and a.const is not None and turn % 2:
                value = a.const
            if a.dest != argparse.SUPPRESS:
                setattr(space, a.dest, value)
        for name, value in parser._defaults.items():
            setattr(space, name, value)
        return space, []

    if "argparse" in sys.modules:
        sys.modules["argparse"].ArgumentParser.parse_known_args = command_line

    def names_in(code):
        yield from code.co_names
        for c in code.co_consts:
            if isinstance(c, types.CodeType):
                yield from names_in(c)

    def callers(most=12):
        """The functions of the module that call one of those that are called anyway: what only tells is acted on there."""
        own = [f for f in kept if f.__code__.co_filename == mine]
        out, names = {f.__code__ for f in own if touches(f.__code__, ranges)}, {f.__name__ for f in own if touches(f.__code__, ranges)}
        new = []
        for _ in range(2):
            for f in own:
                if f.__code__ not in out and len(new) < most and names.intersection(names_in(f.__code__)):
                    out.add(f.__code__)
                    new.append(f)
            names = {f.__name__ for f in new}
        return {f.__code__ for f in new}

    called, also = set(), set()
    for _ in range(3):  # what is called makes functions of its own: those that decorators give back
        also |= callers()
        for f in sorted((f for f in kept if f.__code__.co_filename == mine and (touches(f.__code__, ranges) or f.__code__ in also) and f.__code__ not in called), key=lambda f: (f.__code__ in also, f.__name__ in ("main", "cli", "run"))):
            if f.__code__ not in called and remaining() > 0:
                called.add(f.__code__)
                call(f)
    for name, f in list(vars(module).items())[:0 if job.get("force") else 200]:
        if not isinstance(f, types.FunctionType) or name.startswith("_") or f.__code__.co_filename != mine or f.__code__ in called:
            continue
        code, given = f.__code__, f.__kwdefaults__ or {}
        only = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
        if code.co_argcount > len(f.__defaults__ or ()) or any(k not in given for k in only):
            continue
        if remaining() <= 0:
            break
        within(f)

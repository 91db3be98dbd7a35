def seed_late():
    """Seeds the generator of the module random when a program first uses it. Importing the module, as half of the library
    does, is then no use of chance."""
    if "random" in sys.modules:
        return
    register = getattr(os, "register_at_fork", None)
    if register:
        os.register_at_fork = lambda **_: None
    try:
        import random
    finally:
        if register:
            os.register_at_fork = register
    seeded = False

    def ready():
        nonlocal seeded
        if not seeded:
            one.seed()

    class Random(random.Random):
        def random(self):
            ready()
            return super().random()

        def getrandbits(self, k):
            ready()
            return super().getrandbits(k)

        def seed(self, *args, **named):
            nonlocal seeded
            seeded = True
            super().seed(*args, **named)

        def getstate(self):
            ready()
            return super().getstate()

        def setstate(self, state):
            nonlocal seeded
            seeded = True
            super().setstate(state)

        def __reduce__(self):
            return random.Random, (), self.getstate()

    def child():
        nonlocal seeded
        seeded = False

    for method in (Random.random, Random.getrandbits, Random.seed, Random.getstate, Random.setstate):
        method.__module__, method.__qualname__ = "random", "Random." + method.__name__
    Random.__module__, Random.__qualname__ = "random", "Random"
    old, one = random._inst, Random()
    seeded = False
    for name, value in list(vars(random).items()):
        if getattr(value, "__self__", None) is old:
            setattr(random, name, getattr(one, name))
    random._inst = one
    if register:
        register(after_in_child=child)



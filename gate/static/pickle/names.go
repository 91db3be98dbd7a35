package pickle

import (
	"slices"
	"strings"
)

// threat says how dangerous loading a name is. A name with dots reaches through what
// it names, so nothing of the tables vouches for it.
func threat(module, name string) Threat {
	parts := strings.Split(module+"."+name, ".")
	top := parts[0]
	switch {
	case slices.Contains(harmlessNames(), module+"."+name):
		return Harmless
	case slices.Contains(dangerousModules(), top), slices.Contains(dangerousNames(), module+"."+name):
		return Dangerous
	case slices.ContainsFunc(parts[1:], func(p string) bool { return slices.Contains(dangerousParts(), p) }):
		return Dangerous
	case strings.Contains(name, "."):
		return Unknown
	case top == "builtins" || top == "__builtin__":
		if slices.Contains(harmlessBuiltins(), name) || strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Warning") || strings.HasSuffix(name, "Exception") {
			return Harmless
		}
		return Dangerous
	case slices.Contains(dataLibraries(), top):
		if isClass(name) || rebuilds(name) {
			return Harmless
		}
	}
	return Unknown
}

// isClass reports whether a name is written like that of a class.
func isClass(name string) bool {
	name = strings.TrimLeft(name, "_")
	return name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

// rebuilds reports whether a function of a library for data is one of those that
// its own pickles call.
func rebuilds(name string) bool {
	return slices.Contains([]string{"_reconstruct", "scalar", "ndarray", "dtype", "_frombuffer", "_unpickle_block", "new_block", "_new_Index",
		"_new_DatetimeIndex", "_new_PeriodIndex", "csr_matrix", "csc_matrix", "coo_matrix", "lil_matrix", "bsr_matrix", "dia_matrix", "dok_matrix",
		"csr_array", "csc_array", "coo_array", "newObj", "newEnumDecl", "int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64",
		"float16", "float32", "float64", "bool_", "complex64", "complex128", "datetime64", "timedelta64", "str_", "bytes_", "longlong",
		"device", "Size", "bfloat16", "float", "double", "half", "long", "qint8", "quint8"}, name) ||
		strings.HasPrefix(name, "__pyx_unpickle_") || strings.HasPrefix(name, "_rebuild_") || strings.HasPrefix(name, "__bit_generator_ctor") ||
		strings.HasPrefix(name, "__generator_ctor") || strings.HasPrefix(name, "__randomstate_ctor")
}

// dataLibraries have classes that models and tables are made of. Their functions
// are another matter: some load files, or evaluate text.
func dataLibraries() []string {
	return []string{"numpy", "torch", "pandas", "scipy", "sklearn", "xgboost", "lightgbm", "catboost", "tensorflow", "keras", "transformers", "sentence_transformers"}
}

func harmlessBuiltins() []string {
	return []string{"list", "dict", "set", "frozenset", "tuple", "int", "long", "float", "complex", "bool", "str", "unicode", "bytes", "bytearray",
		"object", "slice", "range", "xrange", "NotImplemented", "Ellipsis", "type", "print", "buffer", "memoryview"}
}

// harmlessNames rebuild data, and do nothing else.
func harmlessNames() []string {
	return []string{
		"collections.OrderedDict", "collections.defaultdict", "collections.Counter", "collections.deque",
		"_codecs.encode", "copyreg._reconstructor", "copy_reg._reconstructor", "copyreg.__newobj__",
		"datetime.datetime", "datetime.date", "datetime.time", "datetime.timedelta", "datetime.timezone",
		"decimal.Decimal", "fractions.Fraction", "uuid.UUID", "array._array_reconstructor", "array.array",
		"types.SimpleNamespace", "_io.BytesIO", "_io.StringIO", "io.BytesIO", "io.StringIO", "enum._make_class_unpickle",
		"pathlib.PosixPath", "pathlib.PurePosixPath", "pathlib.WindowsPath", "pathlib.PureWindowsPath", "pathlib.Path",
		"random.Random", "re._compile", "zoneinfo.ZoneInfo._unpickle", "pytz._UTC", "pytz._p", "dateutil.tz.tz.tzutc",
		"argparse.Namespace", "string.Template", "itertools.count", "itertools.repeat", "itertools.chain",
		joblib, "joblib.numpy_pickle.NDArrayWrapper", "joblib.numpy_pickle.ZNDArrayWrapper",
	}
}

// dangerousModules have nothing that a pickle of data needs.
func dangerousModules() []string {
	return []string{
		"os", "posix", "nt", "posixpath", "ntpath", "subprocess", "_posixsubprocess", "commands", "popen2", "pty", "platform",
		"sys", "runpy", "code", "codeop", "pdb", "bdb", "timeit", "cProfile", "profile", "trace", "doctest", "site", "idlelib", "pydoc", "lib2to3",
		"importlib", "imp", "pkgutil", "zipimport", "ctypes", "_ctypes", "cffi", "gc", "inspect", "types", "marshal", "pickle", "_pickle", "cPickle",
		"dill", "cloudpickle", "shelve", "shutil", "tempfile", "glob", "fileinput", "linecache", "io", "_io",
		"socket", "_socket", "ssl", "http", "httplib", "urllib", "urllib2", "urllib3", "requests", "httpx", "aiohttp", "ftplib", "smtplib",
		"telnetlib", "poplib", "imaplib", "xmlrpc", "socketserver", "webbrowser", "asyncio", "multiprocessing", "threading", "_thread", "signal",
		"atexit", "operator", "_operator", "functools", "_functools", "builtin", "nturl2path", "pip", "setuptools", "distutils", "ensurepip", "venv",
		"antigravity", "this", "test", "unittest", "sqlite3", "_sqlite3", "readline", "getpass", "pwd", "mmap", "fcntl", "resource",
	}
}

// dangerousNames are functions of harmless packages that run code, or load what
// does.
func dangerousNames() []string {
	return []string{
		"numpy.load", "numpy.testing._private.utils.runstring", "numpy.testing.utils.runstring", "numpy.f2py.crackfortran.getlincoef",
		"numpy.f2py.crackfortran._eval_length", "numpy.distutils.exec_command.exec_command", "torch.load", "torch.hub.load", "torch.jit.load",
		"torch.storage._load_from_bytes", "torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline", "torch.distributed.rpc.rpc_sync",
		"torch._dynamo.guards.GuardBuilder.get", "torch.fx.experimental.symbolic_shapes.ShapeEnv.evaluate_guards_expression",
		"torch.utils.bottleneck.__main__.run_cprofile", "torch.utils.bottleneck.__main__.run_autograd_prof", "torch.utils._config_module.load_config",
		"torch.utils.data.datapipes.utils.decoder.basichandlers", "torch.utils.collect_env.run",
		"pandas.read_pickle", "pandas.io.pickle.read_pickle", "pandas.eval", "pandas.core.computation.eval.eval",
		"joblib.load", "joblib.numpy_pickle.load", "sklearn.externals.joblib.load", "keras.models.load_model", "tensorflow.keras.models.load_model",
		"copyreg.add_extension", "copyreg.pickle", "string.Formatter", "logging.config.listen", "logging.config.dictConfig", "_aix_support._read_cmd_output",
		"cgitb.lookup", "xml.sax.expatreader.create_parser", "ast.literal_eval",
	}
}

// dangerousParts are in no name that data needs, wherever they are in it.
func dangerousParts() []string {
	return []string{"system", "popen", "Popen", "exec", "eval", "execfile", "compile", "getattr", "setattr", "__import__", "__globals__", "__builtins__", "__subclasses__",
		"__class__", "__dict__", "__getattribute__", "__reduce__", "__init__", "os", "sys", "subprocess", "builtins", "runstring", "exec_command", "import_module", "urlopen",
		"spawn", "run_cmd", "check_output", "runctx", "runcode", "rmtree", "shutil", "ctypes", "load_library", "loads"}
}

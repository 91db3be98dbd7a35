package loads

import (
	"sync"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// setting says in which language a tool reads what one of its settings, or one of
// its statements, names.
type setting struct {
	in gate.Language // of the text
	// before matches what is in front of the name on its line.
	before *regexp.Regexp
	as     gate.Language
}

var (
	makeInclude  = regexp.MustCompile(`^\s*[-s]?include\s`)
	cmakeInclude = regexp.MustCompile(`(?i)\b(?:include|load_cache|cmake_language|ctest_run_script)\s*\([^)]*$|^\s*set\s*\(\s*\w*(?:_INCLUDE\w*|TOOLCHAIN_FILE)\s[^)]*$`)
	cargoBuild   = regexp.MustCompile(`^\s*(?:build|path)\s*=\s*["'][^"']*$`)
	testFiles    = regexp.MustCompile(`^\s*["']?(?:python_files|py_modules|py-modules|modules|plugins|conftest|testpaths)\s*[:=].*$`)
	scriptFile   = regexp.MustCompile(`(?i)["']?\b(?:main|module|browser|entry|entry_?points?|preload|require|setupFiles\w*|globalSetup|globalTeardown|plugins?|extends|loader)["']?\s*[:=].*$`)
	buildFile    = regexp.MustCompile(`(?i)["']?\b(?:dockerfile|containerfile)["']?\s*[:=]\s*["']?[^"',]*$`)
	makeOption   = regexp.MustCompile(`\b(?:docker|podman|nerdctl|buildah|buildx|kaniko|executor|img)\b[^|;&\n]*\s(?:-f|--file|--dockerfile)[ =]\s*["']?(?:[^\s"']*/)?$`)
	cmakeScript  = regexp.MustCompile(`\bcmake\b[^|;&\n]*\s(?:-P|-C|-DCMAKE_TOOLCHAIN_FILE=|-DCMAKE_PROJECT_\w*INCLUDE\w*=)\s*["']?(?:[^\s"']*/)?$`)
	shellStart   = regexp.MustCompile(`(?:^|[\s;"'{])(?:BASH_ENV|ENV|PROMPT_COMMAND)["']?\s*[:=]\s*["']?(?:[^\s"']*/)?$|--(?:rcfile|init-file)[ =]["']?(?:[^\s"']*/)?$`)
	pythonStart  = regexp.MustCompile(`(?:^|[\s;"'{])PYTHONSTARTUP["']?\s*[:=]\s*["']?(?:[^\s"']*/)?$`)
	pageScript   = regexp.MustCompile(`(?i)<script\b[^>]*\bsrc\s*=\s*["']?[^"'\s>]*$|<link\b[^>]*\bmodulepreload\b[^>]*\bhref\s*=\s*["']?[^"'\s>]*$`)
	pageWithin   = regexp.MustCompile(`(?i)<(?:iframe|frame|embed|object)\b[^>]*\b(?:src|data)\s*=\s*["']?[^"'\s>]*$`)
	rustInclude  = regexp.MustCompile(`\binclude!\s*\(\s*"[^"]*$|#\[path\s*=\s*"[^"]*$`)
	buildParts   = regexp.MustCompile(`\b(?:addons|plugins|presets|setupFiles\w*|globalSetup|reporters|transformer|babelTransformerPath)["']?\s*:\s*(?:\[[^\]]*)?["'][^"']*$|\brequire\.resolve\s*\(\s*["'][^"']*$`)
	// moduleTable matches the entry of a table of modules in settings of a bundler or a runner of tests.
	moduleTable = regexp.MustCompile(`\b(?:alias|moduleNameMapper|resolve|paths)["']?\s*:\s*[\[{][^\]}\n]*["'][^"'\n]*$|^\s*["'][@#~^][\w@#~^$/()|.*-]*["']\s*:\s*(?:[\w.]+\(\s*[^"'\n]*)?["'][^"'\n]*$`)
	phpInclude  = regexp.MustCompile(`^\s*auto_(?:prepend|append)_file\s*=\s*["']?[^"'\s]*$`)
	cgoInclude  = regexp.MustCompile(`#cgo\s[^\n]*-(?:include|imacros)[ =]?\s*["']?[^"'\s]*$`)
	importMap   = regexp.MustCompile(`(?:^|[{,])\s*"[^"]*"\s*:\s*"[^"]*$`)
	actionCode  = regexp.MustCompile(`^\s*["']?(?:main|pre|post)["']?\s*:\s*["']?[^"'\s]*$`)
	taskScript  = regexp.MustCompile(`^\s*["']?(?:filePath|scriptPath)["']?\s*:\s*["']?[^"'\s]*$`)
	imageFile   = regexp.MustCompile(`^\s*["']?file["']?\s*:\s*["']?[^"'\s]*$`)
	gradleApply = regexp.MustCompile(`\bapply\s*[({]?\s*(?:from|script)\s*[:=]`)

	// ownLoader matches what has a program in a language without rules run another
	// one in the same language.
	ownLoader = regexp.MustCompile(`(?i)\b(?:dofile|loadfile|source|sys\.source|include|import|load|load-file|require|use|run|runtime|script|source-file|apply\s+from\s*:|read-script)\b[\s(:]*["'<]?[^;"'>]*$|\\i[r]?\s+$`)
)

// configured returns the language in which a tool reads what a text in one of its own
// languages names, empty where it names nothing that runs.
func configured(lang gate.Language, before string) gate.Language {
	for _, s := range [...]setting{
		{gate.LanguageMakefile, makeInclude, gate.LanguageMakefile},
		{gate.LanguageCMake, cmakeInclude, gate.LanguageCMake},
		{gate.LanguageTOML, cargoBuild, gate.LanguageRust},
		{gate.LanguageTOML, testFiles, gate.LanguagePython},
		{gate.LanguageINI, testFiles, gate.LanguagePython},
		{gate.LanguageTOML, scriptFile, gate.LanguageJavaScript},
		{gate.LanguageYAML, buildFile, gate.LanguageDockerfile},
		{gate.LanguageWorkflow, buildFile, gate.LanguageDockerfile},
		{gate.LanguageWorkflow, actionCode, gate.LanguageJavaScript},
		{gate.LanguageWorkflow, taskScript, gate.LanguageShell},
		{gate.LanguageWorkflow, imageFile, gate.LanguageDockerfile},
		{gate.LanguageYAML, taskScript, gate.LanguageShell},
		{gate.LanguageRust, rustInclude, gate.LanguageRust},
		{gate.LanguageJavaScript, buildParts, gate.LanguageJavaScript},
		{gate.LanguageTypeScript, buildParts, gate.LanguageJavaScript},
		{gate.LanguageJavaScript, moduleTable, gate.LanguageJavaScript},
		{gate.LanguageTypeScript, moduleTable, gate.LanguageJavaScript},
		{gate.LanguageINI, phpInclude, gate.LanguagePHP},
		{gate.LanguageGo, cgoInclude, gate.LanguageC},
		{gate.LanguageHTML, pageWithin, gate.LanguageHTML},
		{gate.LanguageHTML, pageScript, gate.LanguageJavaScript},
		{gate.LanguageHTML, importMap, gate.LanguageJavaScript},
		{gate.LanguageJSON, buildFile, gate.LanguageDockerfile},
		{gate.LanguageGroovy, gradleApply, gate.LanguageGroovy},
		{gate.LanguageKotlin, gradleApply, gate.LanguageGroovy},
	} {
		if s.in == lang && s.before.MatchString(before) {
			return s.as
		}
	}
	return gate.LanguageUnknown
}

// told returns the language of a file that an option or a variable gives to a tool,
// in any text, empty where it is none.
func told(before string) gate.Language {
	switch {
	case makeOption.MatchString(before):
		return gate.LanguageDockerfile
	case cmakeScript.MatchString(before):
		return gate.LanguageCMake
	case shellStart.MatchString(before):
		return gate.LanguageShell
	case pythonStart.MatchString(before):
		return gate.LanguagePython
	}
	for _, o := range toldBy() {
		if o.before.MatchString(before) {
			return o.as
		}
	}
	return gate.LanguageUnknown
}

// given says in which language a program reads the file that an option, a variable or its input
// gives it.
type given struct {
	before *regexp.Regexp
	as     gate.Language
}

// toldBy is compiled once and never changed. Where a tool has lines with commands and no
// language of its own here, they are read as those of a debugger are: a command without quotes
// on each.
var toldBy = sync.OnceValue(func() []given {
	option := func(programs, options string, as gate.Language) given {
		return given{regexp.MustCompile(`\b(?:` + programs + `)\b[^|;&\n]*\s(?:` + options + `)[ =]?\s*["']?(?:[^\s"']*/)?$`), as}
	}
	variable := func(names string, as gate.Language) given {
		return given{regexp.MustCompile(`(?:^|[\s;"'{])(?:` + names + `)["']?\s*[:=]\s*["']?(?:[^\s"']*/)?$`), as}
	}
	return []given{
		option("vim?|nvim|gvim|view|ex|vimdiff", `-S|-s|-u|--cmd\s+source|-c\s+["']?so(?:urce)?`, gate.LanguageVim),
		option("sqlite3?|duckdb", `-init|-cmd\s+["']?\.read|<`, gate.LanguageSQL),
		option("psql|mysql|mariadb|sqlplus|sqlcmd|clickhouse-client", `-f|--file|-i|--init-file|--queries-file|<`, gate.LanguageSQL),
		option("tmux|screen|less|ed|red|ftp|lftp|sftp|mutt|neomutt|bc|dc|gnuplot|fetchmail|procmail", `-f|-c|-b|-k|-F|<|--lesskey-src=`, gate.LanguageDebugger),
		option("git", `-c\s+include\.path=|-c\s+["']?core\.hooksPath=`, gate.LanguageINI),
		option("ansible-playbook|ansible-pull", `-e\s+@|-i|--extra-vars\s+@`, gate.LanguageYAML),
		{regexp.MustCompile(`\bansible-playbook\s+(?:-\S+\s+(?:[^-\s]\S*\s+)?)*["']?(?:[^\s"']*/)?$`), gate.LanguageYAML},
		option("gcc|g\\+\\+|cc|c\\+\\+|clang(?:\\+\\+)?|tcc", `-x\s*(?:c|c\+\+|cpp-output)\s+(?:-\S+\s+)*|-include|-imacros`, gate.LanguageC),
		option("kubectl|oc", `-f|--filename`, gate.LanguageYAML),
		option("docker|docker-compose|podman", `compose\s+(?:-\S+\s+)*(?:-f|--file)`, gate.LanguageYAML),
		{regexp.MustCompile(`\bNODE_OPTIONS["']?\s*[:=]\s*["']?[^"'\n;|&]*(?:--(?:require|import|loader|experimental-loader)|-r)[ =]["']?(?:[^\s"']*/)?$`), gate.LanguageJavaScript},
		{regexp.MustCompile(`\besbuild\b[^\n;|&]*--inject:["']?(?:[^\s"']*/)?$`), gate.LanguageJavaScript},
		variable("INPUTRC|LESSKEY|LESSKEYIN|LESSKEY_SYSTEM|SCREENRC|MAILRC|MAILCAPS|MUTTRC", gate.LanguageDebugger),
		variable("GIT_CONFIG|GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM", gate.LanguageINI),
		variable("VIMINIT|MYVIMRC|EXINIT", gate.LanguageVim),
		variable("RUBYOPT|BUNDLE_GEMFILE", gate.LanguageRuby),
		variable("PERL5DB|PERL5OPT", gate.LanguagePerl),
		variable("R_PROFILE|R_PROFILE_USER|R_ENVIRON", gate.LanguageR),
		variable("CMAKE_TOOLCHAIN_FILE|CMAKE_PROJECT_TOP_LEVEL_INCLUDES", gate.LanguageCMake),
		variable("MAKEFILES", gate.LanguageMakefile),
		variable("LUA_INIT", gate.LanguageLua),
	}
})

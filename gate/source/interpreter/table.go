package interpreter

import (
	"path"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
)

// Program is what is known of a program that runs text.
type Program struct {
	// Language is what it reads, [gate.LanguageUnknown] where gate has no rules for
	// the language.
	Language gate.Language
	// Starts says that the program starts the one that is named behind it.
	Starts bool
}

// Of returns what is known of a program, named as in a command line: with or
// without folders, a version and ".exe".
func Of(program string) (Program, bool) {
	name := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	name = strings.TrimSuffix(name, ".exe")
	if p, ok := programs()[name]; ok {
		return p, true
	}
	p, ok := programs()[strings.TrimRight(strings.TrimRight(name, "0123456789."), "-")]
	return p, ok
}

// programs is built once and never changed.
var programs = sync.OnceValue(func() map[string]Program {
	out := map[string]Program{}
	for language, names := range map[gate.Language]string{
		gate.LanguageShell:      "sh bash dash zsh ksh mksh ksh93 pdksh oksh loksh yash ash hush rbash rksh rzsh fish bats posh csh tcsh busybox toybox",
		gate.LanguagePython:     "python pythonw pypy ipython uv uvx pipx micropython jython graalpy sage py pyw nuitka",
		gate.LanguageJavaScript: "node nodejs nodemon qjs d8 js gjs cjs jsc electron phantomjs osascript-js zx",
		gate.LanguageTypeScript: "bun bunx deno ts-node ts-node-esm ts-node-script tsx esno",
		gate.LanguageRuby:       "ruby jruby rbx truffleruby mruby macruby rake irb",
		gate.LanguagePerl:       "perl perl5 cperl",
		gate.LanguagePHP:        "php php-cgi hhvm phpdbg",
		gate.LanguagePowerShell: "pwsh powershell pwsh-preview",
		gate.LanguageMakefile:   "make gmake bmake pmake remake",
		gate.LanguageGo:         "gorun yaegi gomacro",
		gate.LanguageRust:       "rust-script cargo-play run-cargo-script",
		gate.LanguageJava:       "java jshell jbang",
		gate.LanguageC:          "tcc crun cling",
		gate.LanguageAWK:        "awk gawk mawk nawk original-awk",
		gate.LanguageSed:        "sed gsed",
		gate.LanguageVim:        "ed ex vi vim nvim",
		gate.LanguageElisp:      "emacs",
		gate.LanguageTcl:        "expect expect5 tclsh wish tclkit jimsh",
		gate.LanguageLua:        "lua luajit texlua",
		gate.LanguageR:          "rscript r littler",
		gate.LanguageElixir:     "elixir iex",
		gate.LanguageGroovy:     "groovy",
		gate.LanguageScala:      "scala amm",
		gate.LanguageKotlin:     "kotlin kotlinc",
		gate.LanguageSwift:      "swift",
		gate.LanguageCSharp:     "dotnet-script csharp csi",
		gate.LanguageM4:         "m4",
		gate.LanguageDebugger:   "gdb lldb",
		gate.LanguageSQL:        "sqlite3 psql mysql",
		gate.LanguageNix:        "nix",
		gate.LanguageXonsh:      "xonsh",
		gate.LanguageJust:       "just",
		"julia":                 "julia",
		"lisp":                  "guile racket sbcl clisp ecl scheme chez newlisp",
		"erlang":                "escript erl",
		"crystal":               "crystal",
		"nim":                   "nim nimr",
		"ocaml":                 "ocaml ocamlrun",
		"haskell":               "runhaskell runghc stack",
		"fsharp":                "fsharpi",
		"applescript":           "osascript",
		"clojure":               "clojure bb",
		"raku":                  "raku perl6",
		"dart":                  "dart",
		gate.LanguageUnknown: "octave gnuplot dotnet bc dc elvish nu jq nix-shell terraform ansible-playbook gjs-console gst-launch rexx regina " +
			"sfdisk nft iptables-restore",
	} {
		for name := range strings.FieldsSeq(names) {
			out[name] = Program{Language: language}
		}
	}
	for name := range strings.FieldsSeq("env nice sudo doas su nohup time timeout stdbuf setsid ionice chrt taskset command exec eval unbuffer " +
		"strace ltrace xargs chroot unshare nsenter systemd-run flock watch setarch linux32 linux64 setpriv runuser runcon fakeroot proot " +
		"rlwrap script catchsegv valgrind chpst softlimit dumb-init tini npx pnpx poetry pipenv rye hatch conda mamba micromamba bundle dotenv op " +
		"direnv mise asdf rtx nix-shell nix busybox toybox builtin noglob") {
		p := out[name]
		p.Starts = true
		out[name] = p
	}
	return out
})

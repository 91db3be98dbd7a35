package gate

import (
	"maps"
	"slices"
	"sync"
)

// Languages without rules of their own: the generic rules look at their text, and
// at the commands that it holds. [Language.Generic] lists all of them; these are
// the ones that readers tell apart.
const (
	LanguageBatch     Language = "batch"
	LanguageVBScript  Language = "vbscript"
	LanguageAWK       Language = "awk"
	LanguageSed       Language = "sed"
	LanguageLua       Language = "lua"
	LanguageR         Language = "r"
	LanguageNix       Language = "nix"
	LanguageStarlark  Language = "starlark" // also Bazel's BUILD files
	LanguageCSharp    Language = "csharp"
	LanguageKotlin    Language = "kotlin"
	LanguageScala     Language = "scala"
	LanguageSwift     Language = "swift"
	LanguageElixir    Language = "elixir"
	LanguageTerraform Language = "terraform"
	LanguageGroovy    Language = "groovy" // also Gradle and Jenkins
	LanguageCMake     Language = "cmake"
	LanguageMeson     Language = "meson"
	LanguageVim       Language = "vim"
	LanguageElisp     Language = "elisp"
	LanguageSQL       Language = "sql"
	LanguageJust      Language = "just"
	LanguageXonsh     Language = "xonsh"
	LanguageAssembly  Language = "assembly"
	LanguageM4        Language = "m4" // also autoconf
	LanguageTcl       Language = "tcl"
	LanguageDebugger  Language = "debugger" // commands of gdb and lldb
	LanguageTemplate  Language = "template" // text with code between marks: ejs, erb, jinja
	LanguageLiterate  Language = "literate" // prose whose code blocks are run: R Markdown, Quarto
)

// LanguageGeneric in a rule's languages is every language without rules of its own,
// and text of unknown type.
const LanguageGeneric Language = "generic"

var genericNames = sync.OnceValue(func() map[Language]string {
	return map[Language]string{
		LanguageBatch: "Windows batch", LanguageVBScript: "VBScript", LanguageAWK: "awk", LanguageSed: "sed", LanguageLua: "Lua",
		LanguageR: "R", LanguageNix: "Nix", LanguageStarlark: "Starlark", LanguageCSharp: "C#", LanguageKotlin: "Kotlin",
		LanguageScala: "Scala", LanguageSwift: "Swift", LanguageElixir: "Elixir", LanguageTerraform: "Terraform",
		LanguageGroovy: "Groovy", LanguageCMake: "CMake", LanguageMeson: "Meson", LanguageVim: "Vim script",
		LanguageElisp: "Emacs Lisp", LanguageSQL: "SQL", LanguageJust: "just", LanguageXonsh: "xonsh", LanguageAssembly: "assembly",
		LanguageM4: "m4", LanguageTcl: "Tcl", LanguageDebugger: "debugger commands", LanguageTemplate: "a template",
		LanguageLiterate: "R Markdown or Quarto",
		"applescript":    "AppleScript", "autohotkey": "AutoHotkey", "clojure": "Clojure", "coffeescript": "CoffeeScript", "crystal": "Crystal",
		"d": "D", "dart": "Dart", "erlang": "Erlang", "fortran": "Fortran", "fsharp": "F#", "haskell": "Haskell", "jsonnet": "Jsonnet",
		"julia": "Julia", "lisp": "Lisp", "matlab": "MATLAB", "nim": "Nim", "ocaml": "OCaml", "pascal": "Pascal", "puppet": "Puppet",
		"raku": "Raku", "rego": "Rego", "solidity": "Solidity", "visualbasic": "Visual Basic", "zig": "Zig",
	}
})

// Generic reports whether a language has no rules of its own.
func (l Language) Generic() bool {
	_, named := genericNames()[l]
	return named || l == LanguageUnknown
}

// GenericName is what people call a language without rules of its own, "" for any
// other language and for text of unknown type.
func (l Language) GenericName() string { return genericNames()[l] }

// GenericLanguages are the languages without rules of their own that have a name,
// in order.
func GenericLanguages() []Language { return slices.Sorted(maps.Keys(genericNames())) }

package lex

import "github.com/aigate/gate/gate"

// genericStyle returns the style of a language without rules of its own. Nothing
// here follows such a language closely enough to trust what it calls a comment: a
// sign within a string that isn't recognised would hide the code behind it. So
// only lines that begin with the sign are comments.
func genericStyle(lang gate.Language) (style, bool) {
	line, ok := lineComments(lang)
	if !ok {
		return style{}, false
	}
	st := style{line: line, lineOnly: true, quotes: `"`, spanning: true}
	both := []string{`"""`, "'''"}
	switch lang {
	case gate.LanguageGroovy, gate.LanguageStarlark, gate.LanguageXonsh, gate.LanguageMeson, "dart", "nim":
		st.quotes, st.long = `"'`, both
	case gate.LanguageCSharp, gate.LanguageKotlin, gate.LanguageScala, gate.LanguageSwift, gate.LanguageElixir, "fsharp", "julia", "crystal":
		st.long = both[:1]
	case gate.LanguageNix:
		st.spans = [][2]string{{"''", "''"}}
	case gate.LanguageLua:
		st.quotes, st.spans = `"'`, [][2]string{{"[[", "]]"}, {"[=[", "]=]"}, {"[==[", "]==]"}}
	case gate.LanguageR, gate.LanguageSQL, gate.LanguageLiterate, "jsonnet", "puppet", "raku", "coffeescript", "solidity", "matlab":
		st.quotes = `"'`
	case gate.LanguageVim, "pascal":
		st.quotes = `'`
	case gate.LanguageSed, gate.LanguageDebugger, gate.LanguageJust, gate.LanguageM4, gate.LanguageBatch:
		st.quotes = "" // what they run is there without quotes
	}
	return st, true
}

// lineComments are the signs of comments at the start of a line. "/*" and "* " are
// the lines of a comment with an end, as they are usually written.
func lineComments(lang gate.Language) ([]string, bool) {
	switch lang {
	case gate.LanguageCSharp, gate.LanguageKotlin, gate.LanguageScala, gate.LanguageSwift, gate.LanguageGroovy, gate.LanguageAssembly,
		"fsharp", "zig", "d", "dart", "solidity", "pascal":
		return []string{"//", "/*", "* "}, true
	case gate.LanguageTerraform, gate.LanguageNix, "jsonnet":
		return []string{"#", "//", "/*", "* "}, true
	case gate.LanguageR, gate.LanguageStarlark, gate.LanguageXonsh, gate.LanguageMeson, gate.LanguageElixir, gate.LanguageAWK, gate.LanguageCMake,
		gate.LanguageTcl, gate.LanguageSed, gate.LanguageDebugger, gate.LanguageJust,
		"nim", "julia", "crystal", "coffeescript", "raku", "rego", "puppet":
		return []string{"#"}, true
	case gate.LanguageM4:
		return []string{"#", "dnl "}, true
	case gate.LanguageBatch:
		return []string{"::", "rem ", "REM ", "Rem ", "@rem ", "@REM "}, true
	case gate.LanguageLua, gate.LanguageSQL, "haskell", "applescript":
		return []string{"--"}, true
	case gate.LanguageElisp, "lisp", "clojure", "autohotkey":
		return []string{";"}, true
	case gate.LanguageVBScript, "visualbasic":
		return []string{"'"}, true
	case gate.LanguageVim:
		return []string{`"`}, true
	case "erlang", "matlab":
		return []string{"%"}, true
	case "ocaml":
		return []string{"(*"}, true
	}
	return nil, false
}

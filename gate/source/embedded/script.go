package embedded

import (
	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/build"
)

// scriptCommands are the commands in the strings of a build script whose texts are in
// pieces, once these are put together.
func scriptCommands(lang gate.Language, content []byte) []Code {
	hash, slashes := true, false
	switch lang {
	case gate.LanguageGroovy, gate.LanguageKotlin, gate.LanguageScala, gate.LanguageSwift, "dart":
		hash, slashes = false, true
	case gate.LanguageStarlark, gate.LanguageMeson, gate.LanguageRuby, gate.LanguageElixir, gate.LanguageLua, gate.LanguageNix, "crystal", "jsonnet":
	default:
		return nil
	}
	plain, ok, bounds := build.Script(content, hash, slashes)
	out := unreadBuild(bounds)
	if !ok {
		return out
	}
	return append(out, literals(lang, plain)...)
}

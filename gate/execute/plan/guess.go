package plan

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// What follows guesses from the text of a file how people run it. A wrong guess
// costs an uninteresting run, never a pass: whatever is chosen, the file's top
// level is executed.

// Shebang returns the interpreter of a first line "#!", without its folder and
// version, and whether there is one.
func Shebang(text string) (string, bool) {
	line, _, _ := strings.Cut(text, "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return "", false
	}
	fields := strings.Fields(rest)
	for i, f := range fields {
		name := f[strings.LastIndexByte(f, '/')+1:]
		if i == 0 && name == "env" || strings.HasPrefix(f, "-") || strings.Contains(f, "=") {
			continue
		}
		return strings.TrimRight(name, "0123456789."), true
	}
	return "", true
}

// wantsArguments reports whether a program looks at its command line.
func wantsArguments(text string) bool { return argumentParsing.MatchString(text) }

var argumentParsing = regexp.MustCompile(strings.Join([]string{
	`\bargparse\b`, `\boptparse\b`, `\bgetopts?\b`, `\bsys\.argv\b`, `\bimport (click|typer|fire|docopt)\b`, `\bfrom (click|typer|docopt) import\b`,
	`\bprocess\.argv\b`, `\bparseArgs\b`, `['"](commander|yargs|minimist)['"]`,
	`\bflag\.(Parse|String|Int|Bool|Args?)\b`, `\bos\.Args\b`, `\bcobra\.Command\b`,
	`\$\{?[1-9@*]`, `\$#`,
}, "|"))

// pythonScript reports whether a Python file is a program: it says so, or its top
// level does something besides defining.
func pythonScript(text string) bool {
	return pythonMain.MatchString(text) || pythonEffect.MatchString(text) && !pythonDefines.MatchString(text)
}

var (
	pythonMain = regexp.MustCompile(`(?m)^if\s+(__name__\s*==\s*['"]__main__['"]|['"]__main__['"]\s*==\s*__name__)`)
	// A call, a loop or a with statement that begins in the first column.
	pythonEffect = regexp.MustCompile(`(?m)^(for|while|with|del|raise|assert)\b|^[A-Za-z_][\w.]*\(`)
	// A relative import or __all__ is how a module of a package looks.
	pythonDefines = regexp.MustCompile(`(?m)^\s*from\s+\.|^__all__\b`)
)

// nodeScript reports whether a JavaScript or TypeScript file is a program.
func nodeScript(text string) bool {
	return nodeMain.MatchString(text) || !nodeExports.MatchString(text)
}

var (
	nodeMain    = regexp.MustCompile(`\brequire\.main\s*===?\s*module\b|\bmodule\s*===?\s*require\.main\b|\bimport\.meta\.main\b|\bimport\.meta\.url\s*===?|pathToFileURL\(process\.argv\[1\]\)`)
	nodeExports = regexp.MustCompile(`(?m)^\s*export\b|\bmodule\.exports\b|^\s*exports\.\w+\s*=|\bexports\.__esModule\b`)
)

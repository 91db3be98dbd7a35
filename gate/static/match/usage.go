package match

import (
	"bytes"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// inUsage reports whether a place is in the text that explains an option of a command line: nothing
// is sent to the host of an example there. The value that the option has by default is another argument.
func inUsage(lang gate.Language, view []byte, at int) bool {
	line := view[max(bytes.LastIndexByte(view[:at], '\n')+1, at-maxTaken):at]
	switch lang {
	case gate.LanguageGo:
		return goUsage.Match(line)
	case gate.LanguagePython:
		return pythonHelp.Match(line)
	}
	return false
}

var (
	// goUsage matches what comes before a place in the last argument of flag.String and its kin: after
	// the name, and what it is by default.
	goUsage = regexp.MustCompile(`\b\w*[fF]lags?(?:et|Set|\(\))?\.(?:String|URL|Text|Func)(?:Slice|Array)?(?:Var)?\(\s*(?:&[\w.]+\s*,\s*)?"[^"\n]*"\s*,\s*(?:"[^"\n]*"|[\w.]+(?:\([^()\n]*\))?)\s*,\s*["\x60][^"\x60\n]*$`)
	// pythonHelp matches what comes before a place in the help of an argument of argparse or an option of click.
	pythonHelp = regexp.MustCompile(`\b(?:add_argument|option|argument|Option|Argument)\([^\n]*\bhelp\s*=\s*["'][^"'\n]*$`)
)

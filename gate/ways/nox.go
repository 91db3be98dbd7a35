package ways

import (
	"path"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	noxSession = regexp.MustCompile(`(?m)^def[ \t]+(\w{1,100})[ \t]*\(`)
	noxCall    = regexp.MustCompile(`\bsession\.(run|run_always|install|chdir|conda_install)[ \t]*\(`)
	noxEnv     = regexp.MustCompile(`^env[ \t]*=[ \t]*\{`)
)

// maxCalls bounds the calls that are read of one session.
const maxCalls = 100

// noxEnvironments are the sessions of a noxfile.py that are called like tests. It is a program,
// of which only calls with plain texts are read.
func noxEnvironments(read Read, dir string) []environment {
	file := path.Join(dir, "noxfile.py")
	text := clip(read(file))
	starts := noxSession.FindAllStringSubmatchIndex(text, maxCommands)
	var out []environment
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if name := text[at[2]:at[3]]; testName.MatchString(name) {
			out = append(out, noxEnvironment(text[at[0]:end], file, dir))
		}
	}
	return out
}

func noxEnvironment(body, file, dir string) environment {
	e := environment{by: file}
	folder := dir
	for _, call := range noxCall.FindAllStringSubmatchIndex(body, maxCalls) {
		words, env, open := pythonArguments(body[call[1]:])
		switch body[call[2]:call[3]] {
		case "chdir":
			folder = outside
			if len(words) == 1 && !open {
				folder = Below(dir, words[0])
			}
		case "install":
			e.installs = append(e.installs, joinedOptions(words)...)
		case "conda_install":
		default:
			if len(words) > 0 {
				e.commands = append(e.commands, Command{Words: words, Env: env, Dir: folder, Open: open, Text: strings.Join(words, " ")})
			}
		}
	}
	return e
}

// joinedOptions puts the file of "-r" behind it, as a requirement file has it.
func joinedOptions(words []string) []string {
	var out []string
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case (w == "-r" || w == "-c" || w == "-e" || w == "--requirement" || w == "--constraint" || w == "--editable") && i+1 < len(words):
			out = append(out, w+" "+words[i+1])
			i++
		default:
			out = append(out, w)
		}
	}
	return out
}

// pythonArguments are the texts among the arguments of a call, behind its parenthesis, and the
// variables of its argument env. open says that there is more than texts.
func pythonArguments(code string) (words, env []string, open bool) {
	code = code[:min(len(code), maxScript)]
	var names []string // texts inside of env={…}, names and values by turns
	depth, inEnv := 0, 0
	for i := 0; i < len(code) && len(words) < maxWords; i++ {
		switch c := code[i]; {
		case c == '"' || c == '\'':
			text, end := pythonText(code[i:])
			plain := i == 0 || !strings.ContainsRune("fFbBrRuU", rune(code[i-1]))
			switch {
			case end < 0:
				return words, nil, true
			case inEnv > 0 && plain:
				names = append(names, text)
			case depth == 0 && plain && !strings.ContainsAny(text, "\x00\n\\"):
				words = append(words, text)
			default:
				open = true
			}
			i += end
		case c == '#':
			if end := strings.IndexByte(code[i:], '\n'); end > 0 {
				i += end
			}
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth == 0 {
				return words, pairs(names), open
			}
			if depth--; depth < inEnv {
				inEnv = 0
			}
		case depth == 0 && noxEnv.MatchString(code[i:]):
			i += strings.IndexByte(code[i:], '{')
			depth++
			inEnv = depth
		case c == ',' && inEnv > 0 && depth == inEnv && len(names)%2 == 1:
			names = append(names, "\x00") // a name or value that is no text
		case c != ',' && c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != ':':
			if open = true; inEnv > 0 {
				names = append(names, "\x00")
				for i+1 < len(code) && strings.IndexByte(",:{}()[]\n\"'", code[i+1]) < 0 {
					i++
				}
			}
		}
	}
	return words, nil, true // it does not end
}

// pairs are variables out of names and values by turns.
func pairs(texts []string) []string {
	var out []string
	for i := 0; i+1 < len(texts); i += 2 {
		if v := texts[i] + "=" + here.Replace(texts[i+1]); Settable(v) || strings.HasPrefix(v, "PYTHONPATH=") && !strings.ContainsRune(v, 0) {
			out = append(out, v)
		}
	}
	return out
}

// pythonText is a text of Python at the beginning of code, and where it ends; -1 where it
// does not.
func pythonText(code string) (text string, end int) {
	quote := code[:1]
	if strings.HasPrefix(code, strings.Repeat(quote, 3)) {
		quote = code[:3]
	}
	for i := len(quote); i < len(code); i++ {
		switch {
		case code[i] == '\\':
			i++
		case strings.HasPrefix(code[i:], quote):
			return code[len(quote):i], i + len(quote) - 1
		}
	}
	return "", -1
}

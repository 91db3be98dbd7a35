package execute

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// shell plans one shell script.
func (p *planner) shell(file string) {
	text := p.tree.Text(file)
	name, marked := shebang(text)
	if !marked {
		name = map[string]string{".sh": "bash", ".bash": "bash", ".dash": "dash", ".ash": "dash", ".command": "bash"}[path.Ext(file)]
		if ext := strings.TrimPrefix(path.Ext(file), "."); name == "" && shells[ext] {
			name = ext
		}
		if name == "" {
			name = "bash" // .bashrc, PKGBUILD, git hooks
		}
	}
	interpreter := map[string]string{"sh": "sh", "dash": "dash", "ash": "dash", "bash": "bash"}[name]
	if interpreter == "" {
		p.skip(file, cannot("the image has no "+gate.Clip(name, 40)))
		return
	}
	u := unit{kind: kindScript, image: gate.LanguageShell, targets: []string{file}, argv: []string{interpreter, relative("", file)}}
	if wantsArguments(text) {
		u.help = append(slices.Clone(u.argv), "--help")
	}
	p.add(u)
}

// shells are those that a file's extension can name and no image has.
var shells = map[string]bool{"zsh": true, "ksh": true, "fish": true, "bats": true}

// setupPy runs what pip runs first of a package that has a setup.py.
func (p *planner) setupPy(file string) {
	m := p.pythonModule(file)
	p.add(unit{
		kind: kindHook, image: gate.LanguagePython, targets: []string{file}, dir: workspace.Parent(file),
		argv: pythonArgv(pythonRunFile, file, m.roots, "--quiet", "egg_info", "--egg-base", "/tmp"),
	})
}

// makefile runs the default goal.
func (p *planner) makefile(file string) {
	base := strings.ToLower(path.Base(file))
	if base == "justfile" || base == ".justfile" {
		p.skip(file, cannot("the image has no just"))
		return
	}
	p.add(unit{
		kind: kindHook, image: gate.LanguageShell, targets: []string{file}, dir: workspace.Parent(file),
		argv: []string{"make", "-f", relative("", path.Base(file))}, recipe: true,
	})
}

// eachLine runs every argument as a shell line of its own, whatever became of the
// one before, and ends with the code of the last one that failed.
const eachLine = `code=0; for line; do sh -c "$line" || code=$?; done; exit $code`

// dockerfile runs the RUN lines as shell.
func (p *planner) dockerfile(file string) {
	lines := runLines(p.tree.Text(file))
	if len(lines) == 0 {
		p.skip(file, nothing("it has no RUN line"))
		return
	}
	p.add(unit{
		kind: kindHook, image: gate.LanguageShell, targets: []string{file}, dir: workspace.Parent(file),
		argv: append([]string{"sh", "-c", eachLine, "RUN"}, lines...), recipe: true,
	})
}

var (
	runInstruction = regexp.MustCompile(`(?i)^\s*(?:ONBUILD\s+)?RUN\s+(.*)$`)
	runFlag        = regexp.MustCompile(`^--[a-z]+(=\S*)?\s+`)
	heredoc        = regexp.MustCompile(`<<-?\s*['"]?([A-Za-z_]\w*)['"]?`)
)

// runLines extracts what the RUN instructions of a Dockerfile execute.
func runLines(text string) []string {
	var out []string
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		m := runInstruction.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		var b strings.Builder
		rest, more := continued(m[1])
		b.WriteString(rest)
		for more && i+1 < len(lines) {
			i++
			if strings.HasPrefix(strings.TrimSpace(lines[i]), "#") {
				continue // a comment inside of an instruction
			}
			rest, more = continued(lines[i])
			b.WriteString(rest)
		}
		if end := heredoc.FindStringSubmatch(b.String()); end != nil {
			for i++; i < len(lines); i++ {
				b.WriteString("\n" + lines[i])
				if strings.TrimLeft(lines[i], "\t") == end[1] {
					break
				}
			}
		}
		command := b.String()
		for runFlag.MatchString(command) {
			command = runFlag.ReplaceAllString(command, "")
		}
		out = append(out, execForm(command))
	}
	return out
}

// continued returns a line without the backslash that joins it to the next one,
// and whether there is one.
func continued(line string) (string, bool) {
	return strings.CutSuffix(strings.TrimRight(line, " \t"), `\`)
}

// execForm turns ["a", "b"] into a shell line, and a heredoc without a command
// into its body.
func execForm(command string) string {
	var argv []string
	if json.Unmarshal([]byte(command), &argv) == nil && len(argv) > 0 {
		for i, a := range argv {
			argv[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		return strings.Join(argv, " ")
	}
	if strings.HasPrefix(command, "<<") {
		if first, body, ok := strings.Cut(command, "\n"); ok && heredoc.FindString(first) == strings.TrimSpace(first) {
			return "sh " + command[:len(first)] + "\n" + body
		}
	}
	return strings.TrimSpace(command)
}

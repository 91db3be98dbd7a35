package plan

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxShellArms bounds the runs of one script: as many branches of one case are taken.
const maxShellArms = 4

// ShellForced are runs of a script in which conditions are taken as met that keep some lines
// from running, commands that the image lacks succeed, and functions that nothing calls are
// called: one, or one for each branch of a case that did not run. There are none where there is
// nothing to take as met.
func ShellForced(t *workspace.Tree, u Unit, missed [][2]int) []Unit {
	script, shell := u.Job.Program.(job.Script)
	if !shell || len(u.Targets) != 1 || len(missed) == 0 {
		return nil
	}
	file := u.Targets[0]
	script.Interpreter, script.Tools = "bash", true
	var out []Unit
	for turn, arms := 0, 1; turn < min(arms, maxShellArms); turn++ {
		var text string
		if text, arms = shellForced(t.Text(file), missed, turn); text == t.Text(file) {
			return nil
		}
		one := u
		one.Job = job.Job{Image: u.Job.Image, Program: script, Env: u.Job.Env}.With(shellArguments(t.Text(file))...)
		one.Extra = append(slices.Clip(u.Extra), workspace.File{Path: file, Data: []byte(text), Exec: t.Executable(file)})
		out = append(out, one)
	}
	return out
}

var (
	shellIf        = regexp.MustCompile(`^(\s*)(if|elif)\s+(.*?)\s*(;\s*then\b.*|)$`)
	shellShort     = regexp.MustCompile(`^(\s*)(\[\[? .*? \]?\](?:\s*2?>\s*/dev/null)?|test\s[^|&;]*|\(\(.*?\)\))\s*(&&|\|\|)\s*(.*)$`)
	shellElseLeave = regexp.MustCompile(`^(\s*)([A-Za-z_!(][^|&;#]*?)\s*(&&|\|\|)\s*((?:\{\s*)?(?:exit|return|continue|break)\b.*)$`)
	shellCaseLeave = regexp.MustCompile(`^(\s*)case\s.+\sin\s.*\)\s*(?:return|exit)\b[^;]*(?:;;)?\s*esac\s*$`)
	shellLeaves    = regexp.MustCompile(`^(?:\{\s*)?(?:exit|return|continue|break)\b`)
	shellStrict    = regexp.MustCompile(`^(\s*)set\s+-[a-zA-Z]*[eu][a-zA-Z]*(?:\s+-?o?\s*(?:pipefail|errexit|nounset))*\s*$`)
	shellCase      = regexp.MustCompile(`^(\s*)case\s+(.+?)\s+in\s*$`)
	shellPattern   = regexp.MustCompile(`^\s*\(?([^()\s;][^();]*)\)(.*)$`)
	shellItem      = regexp.MustCompile(`\bfor\s+([A-Za-z_]\w*)\s+in\b`)
	shellNamed     = regexp.MustCompile(`\$\{?([A-Za-z_]\w*)`)
	shellFunction  = regexp.MustCompile(`^(?:function\s+)?([A-Za-z_][\w-]*)\s*(?:\(\)\s*)?\{\s*(?:#.*)?$`)
	shellCode      = regexp.MustCompile(`^\s*[^\s#]`)
	// Words before which a line is not the body of what is above it.
	shellBorder = regexp.MustCompile(`^\s*(?:then|do|else|elif|fi|done|esac|;;|\})`)
	// A group behind || or &&, over several lines.
	shellGroup = regexp.MustCompile(`^(\s*)([^#\s][^#]*?)\s*(&&|\|\|)\s*\{\s*$`)
	shellClass = regexp.MustCompile(`\[([!^]?)(.)[^\]]*\]`)
	shellInner = regexp.MustCompile(`;\s*then\s+(\S.*?);?\s*fi\s*$`)
	shellWord  = regexp.MustCompile(`^[A-Za-z_][\w-]*`)
	shellExit  = regexp.MustCompile(`^\s*exit\b`)
)

// shellForced rewrites lines in place, so that all keep their numbers, and calls functions at
// the end. Of the branches of a case that did not run it takes one, the next one each turn from 0;
// arms is how many turns bring something new, 1 without such branches.
func shellForced(text string, missed [][2]int, turn int) (forced string, arms int) {
	lines := strings.Split(text, "\n")
	misses := func(n int) bool { // of a line from 0
		return slices.ContainsFunc(missed, func(l [2]int) bool { return l[0] <= n+1 && n+1 <= l[1] })
	}
	// next is the line with code behind one, len(lines) for none.
	next := func(n int) int {
		for n++; n < len(lines) && (!shellCode.MatchString(lines[n]) || strings.TrimSpace(lines[n]) == "then"); n++ {
		}
		return n
	}
	items := map[string]bool{} // which of them are meant is no condition on the world
	for _, m := range shellItem.FindAllStringSubmatch(text, -1) {
		items[m[1]] = true
	}
	chosen := func(test string) bool {
		return slices.ContainsFunc(shellNamed.FindAllStringSubmatch(test, -1), func(m []string) bool { return items[m[1]] })
	}
	ends := shellEnding(lines)
	leaving := func(text string) bool { return shellLeaves.MatchString(text) || ends[shellWord.FindString(text)] }
	var earlier []string // the patterns in front of one
	of, arm := -1, 0     // the case whose patterns follow, and how many of its branches did not run
	arms = 1
	var calls []string
	out := slices.Clone(lines)
	for n, line := range lines {
		after := next(n)
		missesAfter := after < len(lines) && misses(after) && !shellBorder.MatchString(lines[after])
		switch {
		case shellStrict.MatchString(line):
			out[n] = shellStrict.ReplaceAllString(line, "${1}set +e")
		case shellCase.MatchString(line) && !shellCaseLeave.MatchString(line):
			of, arm, earlier = n, 0, nil
		case shellIf.MatchString(line):
			m := shellIf.FindStringSubmatch(line)
			inner := shellInner.FindStringSubmatch(line)
			past := inner == nil && m[2] == "if" && shellPast(lines, n, "fi", misses)
			if past && missesAfter { // both what it guards and what it keeps from running, in turn
				arms = max(arms, 2)
			}
			switch {
			case chosen(m[3]):
			case past && (!missesAfter || turn%2 == 0):
				out[n] = m[1] + m[2] + " { " + m[3] + "; false; }" + m[4]
			case inner != nil && leaving(inner[1]):
				if missesAfter {
					out[n] = m[1] + m[2] + " { " + m[3] + "; false; }" + m[4]
				}
			case inner != nil && misses(n), inner == nil && missesAfter:
				out[n] = m[1] + m[2] + " { " + m[3] + "; :; }" + m[4]
			case inner == nil && shellElse(lines, n, misses):
				out[n] = m[1] + m[2] + " { " + m[3] + "; false; }" + m[4]
			}
		case shellGroup.MatchString(line):
			m := shellGroup.FindStringSubmatch(line)
			switch past := shellPast(lines, n, "}", misses); {
			case m[3] == "&&" && missesAfter, m[3] == "||" && past:
				out[n] = m[1] + "{ " + m[2] + "; :; } " + m[3] + " {"
			case m[3] == "||" && missesAfter, m[3] == "&&" && past:
				out[n] = m[1] + "{ " + m[2] + "; false; } " + m[3] + " {"
			}
		case shellCaseLeave.MatchString(line):
			if missesAfter {
				out[n] = shellCaseLeave.ReplaceAllString(line, "${1}:")
			}
		case shellShort.MatchString(line), shellElseLeave.MatchString(line):
			m := shellShort.FindStringSubmatch(line)
			if m == nil {
				m = shellElseLeave.FindStringSubmatch(line)
			}
			leaves, yes := leaving(m[4]), m[3] == "&&"
			if chosen(m[2]) || leaves && !missesAfter || !leaves && !misses(n) && !missesAfter {
				continue
			}
			answer := ":"
			if leaves == yes {
				answer = "false"
			}
			out[n] = m[1] + "{ " + m[2] + "; " + answer + "; } " + m[3] + " " + m[4]
		case of >= 0 && shellPattern.MatchString(line):
			m := shellPattern.FindStringSubmatch(line)
			body := strings.TrimSpace(m[2]) != "" && !strings.HasPrefix(strings.TrimSpace(m[2]), "#")
			if body && misses(n) || !body && missesAfter {
				if arm++; arm > 1 && arm-1 != turn {
					arms = max(arms, arm)
					if strings.Contains(line, "esac") {
						of = -1
					}
					continue
				}
				arms = max(arms, arm)
				c := shellCase.FindStringSubmatch(lines[of])
				word, _, _ := strings.Cut(m[1], "|")
				word = shellClass.ReplaceAllStringFunc(word, func(class string) string {
					if m := shellClass.FindStringSubmatch(class); m[1] == "" {
						return m[2]
					}
					return "~"
				})
				word = shellMatching(strings.TrimSpace(word), earlier)
				out[of] = c[1] + "case '" + word + "' in"
			}
			earlier = append(earlier, strings.Split(m[1], "|")...)
			if strings.Contains(line, "esac") {
				of = -1
			}
		case shellFunction.MatchString(line) && missesAfter:
			calls = append(calls, shellFunction.FindStringSubmatch(line)[1])
		}
	}
	if len(calls) == 0 {
		return strings.Join(out, "\n"), arms
	}
	// What ends the script, or one of the functions, keeps no other function from being called.
	var all strings.Builder
	for _, f := range calls {
		all.WriteString("; ( " + f + " " + job.Given + " " + job.Given + " )")
	}
	if first := next(-1); first < len(out) {
		out[first] = "trap 'trap - EXIT" + all.String() + "' EXIT; " + out[first]
	}
	return strings.Join(out, "\n") + "\ntrap - EXIT" + all.String(), arms
}

// shellPast reports whether what opens on a line ends by leaving, and what follows its end did not run.
func shellPast(lines []string, at int, end string, misses func(int) bool) bool {
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " \t"))]
	leaves := false
	for n := at + 1; n < len(lines) && n < at+200; n++ {
		line := strings.TrimRight(lines[n], " \t")
		if line == indent+end {
			for n++; n < len(lines) && !shellCode.MatchString(lines[n]); n++ {
			}
			return leaves && n < len(lines) && misses(n) && !shellBorder.MatchString(lines[n])
		}
		if line == indent+"else" || strings.HasPrefix(line, indent+"elif ") {
			return false
		}
		if shellCode.MatchString(line) {
			leaves = shellLeaves.MatchString(strings.TrimSpace(line))
		}
	}
	return false
}

// shellElse reports whether the body behind the else of a condition did not run.
func shellElse(lines []string, at int, misses func(int) bool) bool {
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " \t"))]
	for n := at + 1; n < len(lines) && n < at+200; n++ {
		switch line := strings.TrimRight(lines[n], " \t"); {
		case line == indent+"fi":
			return false
		case line == indent+"else", strings.HasPrefix(line, indent+"elif "):
			return n+1 < len(lines) && misses(n+1)
		}
	}
	return false
}

// shellArguments are some for a script that looks at its own.
func shellArguments(text string) []string {
	if !strings.Contains(text, "$1") && !strings.Contains(text, "$@") && !strings.Contains(text, "${1") && !strings.Contains(text, "$#") {
		return nil
	}
	return []string{job.Given, job.Given}
}

// shellEnding are the functions of a script that end it: exit is the last that they do.
func shellEnding(lines []string) map[string]bool {
	out := map[string]bool{}
	name, last := "", ""
	for _, line := range lines {
		switch m := shellFunction.FindStringSubmatch(line); {
		case m != nil:
			name, last = m[1], ""
		case name != "" && strings.HasPrefix(line, "}"):
			if shellExit.MatchString(last) {
				out[name] = true
			}
			name = ""
		case shellCode.MatchString(line):
			last = line
		}
	}
	return out
}

// shellMatching is a word that matches a pattern and none of earlier ones, where one of those that
// are tried does.
func shellMatching(pattern string, earlier []string) string {
	word := ""
	for _, any := range []string{job.Given, "given", "3", "", "/gate"} {
		word = strings.NewReplacer("*", any, "?", "x", `"`, "", "'", "").Replace(pattern)
		if !slices.ContainsFunc(earlier, func(e string) bool {
			return glob.MatchName(strings.Trim(strings.TrimSpace(e), `"'`), word)
		}) {
			return word
		}
	}
	return strings.NewReplacer("*", job.Given, "?", "x", `"`, "", "'", "").Replace(pattern)
}

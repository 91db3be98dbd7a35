package git

import (
	"os"
	"strings"
)

// setting is a pinned value with the reason for it.
type setting struct{ name, value, why string }

// pinnedConfig is given on the command line of every git process, where it wins
// over every configuration file. A repository's own configuration cannot be
// switched off, so whatever in it names a program is overridden here.
func pinnedConfig() []setting {
	return []setting{
		{"core.hooksPath", os.DevNull, "hooks are programs"},
		{"core.fsmonitor", "false", "may name a program that runs when the index is read"},
		{"core.untrackedCache", "false", "what is untracked is looked up, not remembered"},
		{"core.pager", "cat", "names a program"},
		{"core.editor", ":", "names a program"},
		{"core.askPass", "", "names a program"},
		{"core.sshCommand", "false", "names a program"},
		{"core.gitProxy", "", "names a program"},
		{"core.alternateRefsCommand", "true", "names a program that runs in a fetch; true(1) does nothing"},
		{"core.attributesFile", os.DevNull, "attributes choose filters and diff drivers"},
		{"core.excludesFile", os.DevNull, "what is ignored depends on the repository alone"},
		{"core.commitGraph", "false", "the file can contradict the commits that it summarises"},
		{"core.useReplaceRefs", "false", "replacements show other objects than those that are checked out"},
		{"core.bare", "false", "the work tree is the one that was found, whatever the configuration says"},
		{"credential.helper", "", "names programs; an empty value drops those that were set before"},
		{"diff.ignoreSubmodules", "none", "a submodule cannot hide its change"},
		{"diff.orderFile", os.DevNull, "the order of a diff is ours"},
		{"diff.relative", "false", "a diff shows the whole tree"},
		{"fetch.recurseSubmodules", "false", "a fetch concerns this repository alone"},
		{"fetch.writeCommitGraph", "false", "a fetch writes no more than it must"},
		{"fetch.bundleURI", "", "a fetch asks one place"},
		{"gc.auto", "0", "nothing is started in the background"},
		{"gpg.program", "false", "names a program"},
		{"http.cookieFile", "", "a file of cookies is not read"},
		{"http.saveCookies", "false", "and not written"},
		{"log.showSignature", "false", "checking a signature runs a program"},
		{"maintenance.auto", "false", "nothing is started in the background"},
		{"protocol.allow", "never", "no transport; Fetch opens the ones it needs"},
		{"submodule.recurse", "false", "submodules are repositories of their own"},
	}
}

// pinnedEnv is the whole environment of every git process, besides the few
// variables of passedEnv.
func pinnedEnv() []setting {
	return []setting{
		{"LC_ALL", "C", "messages that can be compared"},
		{"LANGUAGE", "C", "the same for gettext"},
		{"HOME", os.DevNull, "no configuration of a user"},
		{"XDG_CONFIG_HOME", os.DevNull, "the same"},
		{"GIT_CONFIG_NOSYSTEM", "1", "no configuration of the machine"},
		{"GIT_CONFIG_SYSTEM", os.DevNull, "the same"},
		{"GIT_CONFIG_GLOBAL", os.DevNull, "no configuration of a user"},
		{"GIT_ATTR_NOSYSTEM", "1", "no attributes of the machine"},
		{"GIT_TERMINAL_PROMPT", "0", "no one is there to answer"},
		{"GIT_ASKPASS", "true", "names a program; true(1) answers nothing"},
		{"SSH_ASKPASS", "true", "the same"},
		{"GIT_SSH_COMMAND", "false", "no ssh"},
		{"GIT_PAGER", "cat", "names a program"},
		{"GIT_EDITOR", ":", "names a program"},
		{"GIT_OPTIONAL_LOCKS", "0", "reading writes nothing, not even the index"},
		{"GIT_NO_REPLACE_OBJECTS", "1", "replacements show other objects than those that are checked out"},
		{"GIT_GRAFT_FILE", os.DevNull, "grafts show other parents than the commits have"},
		{"GIT_NO_LAZY_FETCH", "1", "a missing object is an error, not a download"},
		{"GIT_ALLOW_PROTOCOL", "", "no transport at all, for git versions without the line above"},
		{"GIT_PROTOCOL_FROM_USER", "0", "the same"},
		{"GIT_LITERAL_PATHSPECS", "1", "a path is a path, not a pattern"},
	}
}

// passedEnv names what git needs of the process environment: where programs and
// temporary files are. GIT_* and everything else stays out.
func passedEnv() []string { return []string{"PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "PATHEXT"} }

// pinned returns the arguments that precede every git command.
func pinned() []string {
	args := []string{"--no-pager"}
	for _, s := range pinnedConfig() {
		args = append(args, "-c", s.name+"="+s.value)
	}
	return args
}

// environment returns the environment of a git process for one repository.
func environment(gitDir, workTree, index string) []string {
	var env []string
	for _, name := range passedEnv() {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	for _, s := range pinnedEnv() {
		env = append(env, s.name+"="+s.value)
	}
	env = append(env, "GIT_DIR="+gitDir, "GIT_WORK_TREE="+workTree)
	if index != "" {
		env = append(env, "GIT_INDEX_FILE="+index)
	}
	return env
}

// printable makes a message of git fit for an error: what a hostile repository
// put into it stays on one line and cannot talk to a terminal.
func printable(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "?")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return '?'
		}
		return r
	}, s)
}

package loads

import (
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/interpreter"
)

// aroundHanded is how much of a text is looked at on either side of a name for what hands the
// file to an interpreter over several lines.
const aroundHanded = 600 // bytes

// handing says how a build or infrastructure file gives a file to an interpreter, up to the name.
type handing struct {
	before *regexp.Regexp
	as     gate.Language
}

// destinations are the places whose files something runs without being asked to: the official
// images run those of /docker-entrypoint*.d, a login shell those of /etc/profile.d, run-parts
// and init those of their folders.
const destinations = `(?:/docker-entrypoint(?:-\w+)?\.d(?:/[\w.+-]*)?|/etc/(?:profile\.d(?:/[\w.+-]*)?|profile|bash\.bashrc|bashrc|zsh/\w+|zshrc|rc\.local|` +
	`(?:cron\.(?:hourly|daily|weekly|monthly)|(?:rc)?\d?init\.d|init\.d|cont-init\.d|my_init\.d|update-motd\.d|NetworkManager/dispatcher\.d|network/if-[\w-]+\.d|periodic/\w+|X11/Xsession\.d)(?:/[\w.+-]*)?)|` +
	`(?:~|/root|/home/\w+|\$\{?HOME\}?)/\.(?:bashrc|profile|bash_profile|bash_login|bash_aliases|zshrc|zprofile|zshenv)|(?:/|\S*[\w}])?\.git/hooks/[a-z-]+|/(?:\S*/)?(?:docker-)?entrypoint(?:\.sh)?)`

var (
	// copiesIt matches what copies a file, up to its name.
	copiesIt = regexp.MustCompile(`(?:^|[\s;&|({])(?:COPY|ADD|cp|mv|ln|install|rsync|scp|cat|tee|docker\s+cp|kubectl\s+cp|copy\w*\(|[\w.]*\.(?:copy\w*|cp|move|rename|symlink\w*)\()(?:[^\n;|&]*[\s"'(])?(?:\./)?$`)
	// sourceKey matches a key that names what is copied, mounted or uploaded.
	sourceKey = regexp.MustCompile(`\b(?:src|source)["']?\s*[:=]\s*["']?(?:\$\{[\w.]+\}/?|\./)?$`)
	// mountedAt is what follows a name that a container mounts.
	mountedAt = regexp.MustCompile(`^["']?:(` + destinations + `)(?:["'\s,:\]]|$)`)
	// copiedTo is the same behind one that a command copies.
	copiedTo = regexp.MustCompile(`^["']?[\s,][^\n;|&]*?["']?(` + destinations + `)(?:["'\s,);&|\]]|$)|^["']?\s*>{1,2}\s*["']?(` + destinations + `)(?:["'\s,);&|]|$)`)
	// targetKey is the key that says where it goes.
	targetKey = regexp.MustCompile(`\b(?:dest|destination|target)["']?\s*[:=]\s*["']?(` + destinations + `)(?:["'\s,}\]]|$)`)
)

// placed returns the language in which a file is run that is put at a place whose files run by
// themselves, empty where it is put elsewhere.
func placed(before, after, behind string) gate.Language {
	var to string
	switch m := mountedAt.FindStringSubmatch(after); {
	case m != nil:
		to = m[1]
	case copiesIt.MatchString(before):
		if m := copiedTo.FindStringSubmatch(after); m != nil {
			to = m[1] + m[2]
		}
	case sourceKey.MatchString(before):
		if m := targetKey.FindStringSubmatch(behind); m != nil {
			to = m[1]
		}
	}
	switch ext := extension(to); {
	case to == "":
		return gate.LanguageUnknown
	case ext == ".sql":
		return gate.LanguageSQL
	case ext == ".js":
		return gate.LanguageJavaScript
	case strings.HasPrefix(to, "/docker-entrypoint") && ext != "" && ext != ".sh" && ext != ".d" && ext != ".envsh":
		return gate.LanguageUnknown // the images skip it
	}
	return gate.LanguageShell
}

var (
	// readAs matches the places of files that no interpreter runs, and that decide what may be run
	// or where a name leads.
	readAs = regexp.MustCompile(`^["']?(?:[\s,:][^\n;|&]*?)?[\s"',:>](/?(?:etc/hosts|etc/sudoers(?:\.d/[\w.-]*)?|etc/cron\.d/[\w.-]*|etc/crontab|var/spool/cron/[\w./-]*))(?:["'\s,);&|\]]|$)`)
	// schedules matches the command that takes a table of cron.
	schedules = regexp.MustCompile(`(?:^|[\s;&|({])crontab\s+(?:-u\s+\S+\s+)?["']?(?:\./)?$`)
)

// installed returns the path at which a file is put that decides what others may run, or whom
// they talk to: rules of sudo, tables of cron and of hosts. It is empty for any other place.
func installed(text string, m mention) string {
	before, after := around(text, m)
	if schedules.MatchString(before) {
		return "crontab"
	}
	if !copiesIt.MatchString(before) {
		return ""
	}
	to := readAs.FindStringSubmatch(after)
	if to == nil {
		return ""
	}
	as := strings.TrimPrefix(to[1], "/")
	switch {
	case strings.HasSuffix(as, "/"):
		as += "file"
	case strings.Contains(as, "cron"):
		as = "crontab"
	}
	return as
}

// extension is that of the last part of a path.
func extension(name string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		return base[i:]
	}
	return ""
}

// handings are compiled once and never changed.
var handings = sync.OnceValue(func() map[gate.Language][]handing {
	at := func(expr string, as gate.Language) handing { return handing{regexp.MustCompile(expr), as} }
	shell, python := gate.LanguageShell, gate.LanguagePython
	const filesGet = `\{\{-?[^{}\n]*\.Files\.Get\s+["']\z`
	yaml := []handing{
		at(`(?:\b|/)(?:ba|da|z|k|a)?sh["']?\s*,?\s*(?:\n\s*-\s+)?["']?-\w*c["']?\s*,?\s*(?:\n\s*-\s+)?["']?(?:[|>][-+]?\s*\n\s*)?`+filesGet, shell),
		at(`(?m)^\s*["']?[\w.-]+\.(?:ba)?sh["']?\s*:\s*(?:[|>][-+]?\d?\s*\n\s*)?`+filesGet, shell),
		at(`(?m)^\s*["']?[\w.-]+\.py["']?\s*:\s*(?:[|>][-+]?\d?\s*\n\s*)?`+filesGet, python),
		at(`(?:^|[\s"'\[,=])[\w.-]+\.(?:ba)?sh=(?:\./)?$`, shell), // a key of a generated ConfigMap
		at(`(?:^|[\s"'\[,=])[\w.-]+\.py=(?:\./)?$`, python),
	}
	// GitLab, Compose and Task read the documents that a block include names as part of their own.
	include := at(`(?m)^includes?\s*:[^\n#]*(?:\n[ \t]*-[^\n]*|\n[ \t]+[^\n]*){0,20}\z`, gate.LanguageYAML)
	return map[gate.Language][]handing{
		gate.LanguageYAML:     append(yaml, include),
		gate.LanguageWorkflow: yaml,
		gate.LanguageTemplate: yaml,
		gate.LanguageShell:    {at(`--from-file[= ][\w.-]+\.(?:ba)?sh=(?:\./)?$`, shell)},
		gate.LanguageRuby: {
			at(`\bprovision\b[^\n]*\bshell\b[^\n]*\bpath["']?\s*(?::|=>)\s*["'](?:\./)?$`, shell),
			at(`\.provision\b[^\n]*\bshell\b[^\n]*\bdo\s*\|(?:[^|]*)\|(?:\s*\w+\.\w+\s*=[^\n]*\n|\s)*\s*\w+\.path\s*=\s*["'](?:\./)?$`, shell),
		},
		gate.LanguageStarlark: {
			at(`\bsh_(?:binary|test|library)\s*\((?:[^()]|\([^()]*\))*\bsrcs\s*=\s*\[[^\]]*["':/]$`, shell),
			at(`\bpy_(?:binary|test|library)\s*\((?:[^()]|\([^()]*\))*\bsrcs\s*=\s*\[[^\]]*["':/]$`, python),
		},
		gate.LanguageNix: {
			at(`\b(?:runCommand\w*|writeShellScript\w*|writeShellApplication|writeScript\w*|\w*[hH]ook|\w+Phase|buildCommand|script|text)\b[^;]*\breadFile\s+\(?(?:\./)?$`, shell),
			at(`\bwritePython\w*\b[^;]*\breadFile\s+\(?(?:\./)?$`, python),
		},
		gate.LanguageTerraform: {
			at(`\b(?:user_data|custom_data|user_data_base64|metadata_startup_script|startup-script|startup_script|command|inline)["']?\s*=[^\n]*\b(?:file|templatefile|filebase64)\(\s*"(?:\$\{[\w.]+\}/?|\./)?$`, shell),
			at(`\bprovisioner\s+"remote-exec"\s*\{[^{}]*\bscripts?\s*=\s*\[?[^\]\n]*"(?:\$\{[\w.]+\}/?|\./)?$`, shell),
		},
	}
})

// handed returns the language of the interpreter to which a build or infrastructure file gives
// a file, empty where it gives it to none.
func handed(lang gate.Language, text string, m mention) gate.Language {
	before, after := text[max(0, m.start-aroundHanded):m.start], text[m.end:min(len(text), m.end+aroundHanded)]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	rest, _, _ := strings.Cut(after, "\n")
	if l := placed(line, rest, lines(after, 4)); l != gate.LanguageUnknown {
		return l
	}
	for _, h := range handings()[lang] {
		if h.before.MatchString(before) && (h.as != gate.LanguageYAML || isYAML(text[m.start:m.end])) {
			return h.as
		}
	}
	if lang == gate.LanguageText {
		return executed(before)
	}
	return gate.LanguageUnknown
}

// lines returns the first lines of a text.
func lines(text string, n int) string {
	at := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text
		}
		at += i + 1
	}
	return text[:at]
}

var (
	executable  = regexp.MustCompile(`\b(?:executable|commandline|program|command)(?:\s*=\s*["']|>\s*)\s*(?:[^"'<>\s]*/)?([\w.+-]+)\s*(?:["']|</)`)
	argumentIn  = regexp.MustCompile(`(?:<arg(?:ument)?\s[^<>]*\b(?:file|value|path|line)\s*=\s*["']|<arg(?:ument)?>\s*|\barguments?\s*=\s*["'])([^"'<>]*)$`)
	argumentTag = regexp.MustCompile(`<arg(?:ument)?[\s>]`)
	optionIn    = regexp.MustCompile(`(?:=\s*["']|>\s*)(-{1,2}\w+)\b`)
)

// executed returns the language of the interpreter that an element of a build document starts
// with the file as its argument: Ant's exec, Maven's exec-maven-plugin.
func executed(before string) gate.Language {
	arg := argumentIn.FindStringSubmatch(before)
	started := executable.FindAllStringSubmatchIndex(before, -1)
	if arg == nil || len(started) == 0 {
		return gate.LanguageUnknown
	}
	at := started[len(started)-1]
	p, ok := interpreter.Of(before[at[2]:at[3]])
	between := before[at[1]:]
	if !ok || p.Starts || strings.Contains(between, "</exec>") || strings.Contains(between, "</configuration>") {
		return gate.LanguageUnknown
	}
	options := ""
	for _, o := range optionIn.FindAllStringSubmatch(between, 10) {
		options += " " + o[1]
	}
	if programGiven(p.Language, options) || len(argumentTag.FindAllString(between, 10)) > 1+strings.Count(options, " ") {
		return gate.LanguageUnknown // it is not the program
	}
	return p.Language
}

// isYAML reports whether a name is that of a document of YAML.
func isYAML(name string) bool {
	ext := extension(name)
	return ext == ".yml" || ext == ".yaml"
}

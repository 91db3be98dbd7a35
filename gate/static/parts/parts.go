package parts

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// MaxParts bounds the parts of one text.
const MaxParts = 100

// Part is a file that is read as part of another.
type Part struct {
	Path string // slash-separated, of the tree
	// Start and End are where the statement is that its text takes the place of, as
	// offsets. Both are 0 where no statement names it: then it comes first.
	Start, End int
}

// kind says how one tool has parts.
type kind struct {
	langs []gate.Language
	names []string // globs on the base name in lower case; empty is any
	// statements match what the text of a part takes the place of, with its name in the
	// first group that took part.
	statements []*regexp.Regexp
	// suffixes are tried behind a name, as is and with each of them.
	suffixes []string
	// beside returns globs on the paths of parts that no statement names.
	beside func(name string) []string
	// does matches what makes it worth the work: what runs something.
	does *regexp.Regexp
}

// kinds is compiled once and never changed.
var kinds = sync.OnceValue(func() []kind {
	re := func(of ...string) (out []*regexp.Regexp) {
		for _, s := range of {
			out = append(out, regexp.MustCompile(s))
		}
		return out
	}
	in := func(langs ...gate.Language) []gate.Language { return langs }
	runs := regexp.MustCompile(`(?i)\b(?:sh|bash|exec\w*|system|popen|command\w*|cmds?|shell|run\w*|script|spawn|write18|genrule|args|action)\b|\$\(shell|!`)
	return []kind{
		{langs: in(gate.LanguageC), statements: re(`(?m)^[ \t]*#[ \t]*include(?:_next)?[ \t]+"([^"\n]+)"[^\n]*`),
			does: regexp.MustCompile(`\b(?:system|w?popen|_popen|_wsystem|execl[pe]?|execvp?e?|posix_spawnp?|wordexp|ShellExecute\w*|WinExec|CreateProcess\w*)\b`)},
		{names: []string{"*.ninja"}, statements: re(`(?m)^[ \t]*(?:include|subninja)[ \t]+([^\s$]+)[ \t]*$`), does: runs},
		{langs: in(gate.LanguageMakefile), statements: re(`(?m)^ *[-s]?include[ \t]+(?:\$\([\w.]+\)/?)?([^\s$]+)[ \t]*$`), does: regexp.MustCompile(`(?m)^\t|\$[({]shell|!=`)},
		{langs: in(gate.LanguageCMake), statements: re(`(?im)^[ \t]*(?:include|add_subdirectory|subdirs)[ \t]*\([ \t]*"?(?:\$\{[\w]+\}/)?([^\s"$)]+)"?[^)\n]*\)`),
			suffixes: []string{".cmake", "/CMakeLists.txt"}, does: regexp.MustCompile(`(?i)\b(?:execute_process|add_custom_\w+|exec_program|COMMAND)\b`)},
		{langs: in(gate.LanguageMeson), statements: re(`(?m)^[ \t]*subdir[ \t]*\([ \t]*'([^'\n]+)'[^\n]*`), suffixes: []string{"/meson.build"}, does: runs},
		{langs: in(gate.LanguageStarlark), statements: re(`(?m)^load\([ \t\n]*"(?:@?//)?:?([^"\n]+)"[^)]*\)`), does: regexp.MustCompile(`\b(?:cmd|execute|run_shell|command|genrule|sh_binary|local)\b`)},
		{langs: in(gate.LanguageJust), statements: re(`(?m)^import\??[ \t]+["']([^"'\n]+)["'][ \t]*$`), does: regexp.MustCompile("(?m)^[ \t]|`")},
		{langs: in(gate.LanguageM4), statements: re("\\b(?:m4_)?s?include\\([`\\[]?([^'\\])\\n]+)[\\]']?\\)(?:dnl[^\\n]*)?"), does: runs},
		{names: []string{"*.tex", "*.ltx", "*.sty", "*.cls"}, statements: re(`\\(?:input|include|usepackage|RequirePackage|subfile)(?:\[[^\]]*\])?\{([^}|\n]+)\}`), suffixes: []string{".tex", ".sty"}, does: regexp.MustCompile(`write18|directlua|ShellEscape|\\input\|`)},
		{langs: in(gate.LanguageSQL), statements: re(`(?m)^[ \t]*(?:\\ir?|\.read|source|@@?|START|:r)[ \t]+["']?([^\s"'|;]+)["']?;?[ \t]*$`), does: regexp.MustCompile(`(?i)\\[!gos]|\.shell|\.system|system|program|host`)},
		{langs: in(gate.LanguageDebugger, gate.LanguageVim, gate.LanguageINI, gate.LanguageText, gate.LanguageUnknown),
			statements: re(`(?im)^[ \t]*(?:source(?:-file)?|include|includeoptional|so|runtime|environmentfile[ \t]*=-?|source[ \t]*=|include[ \t]*=?|@include|%include)!?[ \t]+["']?([^\s"'|;]+)["']?;?[ \t]*$`, `(?m)^[ \t]*(?:EnvironmentFile|source|include|path)[ \t]*=[ \t]*-?([^\s"'|;]+)[ \t]*$`),
			names:      []string{"*.conf", "*.*rc", ".*rc", "*rc", "*.service", "*.timer", "*.socket", "config", "*.cfg", "*.gdb", "*.lldb", "*.vim", ".gdbinit", "*.rules", "kakrc"}, does: runs},
		{names: []string{"*.xml", "*.csproj", "*.fsproj", "*.vbproj", "*.proj", "*.targets", "*.props", "pom.xml"}, does: runs,
			statements: re(`<property\s[^>]*\bfile="([^"$]+)"[^>]*/?>`, `<(?:Import|import)\s[^>]*\b(?:Project|file)="(?:\$\([\w]+\)[\\/]?)?([^"$]+)"[^>]*/?>`, `<relativePath>([^<$]+)</relativePath>`)},
		{langs: in(gate.LanguageGroovy, gate.LanguageKotlin), statements: re(`(?m)^[ \t]*apply[ \t]*\(?[ \t]*from[ \t]*[:=][ \t]*["']([^"'$\n]+)["'][^\n]*`),
			beside: func(name string) []string { return above(name, "gradle.properties") }, does: runs},
		{langs: in(gate.LanguageShell), statements: re(`(?m)(?:^|[;&|{(]|\b(?:then|do|else))[ \t]*(?:\.|source)[ \t]+["']?(?:\$\w+/|\$\{\w+\}/|\$\([^()\n]*\)/)?([^\s"'|;&$]+)["']?`),
			does: regexp.MustCompile("\\beval\\b|(?m:^[ \t]*\"?\\$)|\\|[ \t]*(?:ba|z|da)?sh\\b|\\b(?:ba|z|da)?sh[ \t]+-\\w*c\\b")},
		{langs: in(gate.LanguageTerraform), beside: func(name string) []string {
			dir := path.Dir(name)
			return []string{path.Join(dir, "*.tf"), path.Join(dir, "*.tfvars"), path.Join(dir, "*.tofu")}
		}, does: regexp.MustCompile(`(?i)\b(?:local-exec|remote-exec|program|user_data|inline|custom_data|startup_script\w*)\b`)},
		{langs: in(gate.LanguageYAML, gate.LanguageTemplate), beside: beside, statements: nil, does: runs},
	}
})

// above are the paths of a file in the folder of another and in those around it.
func above(name, file string) []string {
	var out []string
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		out = append(out, path.Join(dir, file))
		if dir == "." || dir == "/" {
			return out
		}
	}
}

// beside are the variables that Helm, Ansible and Compose read besides a file of YAML.
func beside(name string) []string {
	dir, base := path.Dir(name), strings.ToLower(path.Base(name))
	switch {
	case path.Base(dir) == "templates" || strings.Contains("/"+dir+"/", "/templates/"):
		root := dir
		for root != "." && path.Base(root) != "templates" {
			root = path.Dir(root)
		}
		return []string{path.Join(path.Dir(root), "values*.yaml")}
	case strings.Contains(base, "compose"):
		return []string{path.Join(dir, ".env")}
	case path.Base(dir) == "tasks" || path.Base(dir) == "handlers":
		role := path.Dir(dir)
		return []string{path.Join(role, "vars/*.y*ml"), path.Join(role, "defaults/*.y*ml"), "group_vars/*.y*ml", "group_vars/all/*.y*ml"}
	}
	return []string{path.Join(dir, "group_vars/*.y*ml"), path.Join(dir, "group_vars/all/*.y*ml"), path.Join(dir, "host_vars/*.y*ml"), path.Join(dir, "vars/*.y*ml")}
}

func (k *kind) fits(name string, lang gate.Language) bool {
	base := strings.ToLower(path.Base(name))
	if len(k.langs) > 0 && !slices.Contains(k.langs, lang) {
		return false
	}
	return len(k.names) == 0 || slices.ContainsFunc(k.names, func(g string) bool { return glob.MatchName(g, base) })
}

// Tree are the files that can be parts.
type Tree struct {
	known map[string]bool
	dirs  map[string][]string // by folder, sorted
}

// NewTree returns a tree of files, as slash-separated paths.
func NewTree(files []string) *Tree {
	t := &Tree{known: make(map[string]bool, len(files)), dirs: map[string][]string{}}
	for _, f := range files {
		if !t.known[f] {
			t.known[f] = true
			t.dirs[path.Dir(f)] = append(t.dirs[path.Dir(f)], f)
		}
	}
	return t
}

// Of returns the parts of a text in that language, in a file of that name, statements in the
// order in which they are.
func (t *Tree) Of(name string, lang gate.Language, content []byte) []Part {
	var out []Part
	for i := range kinds() {
		k := &kinds()[i]
		if !k.fits(name, lang) {
			continue
		}
		if k.beside != nil {
			for _, g := range k.beside(name) {
				for _, f := range t.dirs[path.Dir(g)] {
					if f != name && len(out) < MaxParts && glob.MatchName(path.Base(g), path.Base(f)) {
						out = append(out, Part{Path: f})
					}
				}
			}
		}
		for _, re := range k.statements {
			for _, m := range re.FindAllSubmatchIndex(content, MaxParts-min(MaxParts, len(out))) {
				if f, ok := t.find(name, string(content[m[2]:m[3]]), k.suffixes); ok && f != name {
					out = append(out, Part{f, m[0], m[1]})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Part) int { return a.Start - b.Start })
	// Statements that two expressions match, and those within others, count once.
	done := 0
	return slices.DeleteFunc(out, func(p Part) bool {
		again := p.End > 0 && p.Start < done
		done = max(done, p.End)
		return again
	})
}

// Runs reports whether a joined text holds anything that runs a command, judged by the file
// that is the whole.
func Runs(name string, lang gate.Language, joined []byte) bool {
	return slices.ContainsFunc(kinds(), func(k kind) bool { return k.fits(name, lang) && k.does.Match(joined) })
}

// find is the file that a statement names: beside the file, from the root, or, where the name
// leads to the place of an installation, the file that it ends with.
func (t *Tree) find(by, named string, suffixes []string) (string, bool) {
	named = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(named), `\`, "/"), ":", "/")
	for _, suffix := range append([]string{""}, suffixes...) {
		for _, p := range []string{path.Join(path.Dir(by), named+suffix), path.Clean(strings.TrimLeft(named, "/") + suffix)} {
			if t.known[p] {
				return p, true
			}
		}
		for _, dir := range above(by, "") { // -I of compilers, include folders
			for _, p := range []string{path.Join(dir, "include", named+suffix), path.Join(dir, "src", named+suffix)} {
				if t.known[p] {
					return p, true
				}
			}
		}
	}
	if rest := path.Clean(named); path.IsAbs(rest) || strings.HasPrefix(rest, "~") || strings.HasPrefix(rest, "%") {
		for {
			_, after, ok := strings.Cut(rest, "/")
			if !ok {
				return "", false
			}
			if rest = after; t.known[rest] {
				return rest, true
			}
		}
	}
	return "", false
}

// Known reports whether a file that is no program by its language may have parts.
func Known(name string) bool {
	return slices.ContainsFunc(kinds(), func(k kind) bool { return len(k.langs) == 0 && k.fits(name, gate.LanguageText) })
}

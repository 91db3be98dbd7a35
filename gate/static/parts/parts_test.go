package parts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/parts"
)

// paths are the parts of a text, with the statement that each takes the place of.
func paths(files []string, name string, lang gate.Language, text string) []string {
	var out []string
	for _, p := range parts.NewTree(append(files, name)).Of(name, lang, []byte(text)) {
		out = append(out, p.Path+" <"+text[p.Start:p.End]+">")
	}
	return out
}

func TestPartsOfAFileThatAToolReadsAreFound(t *testing.T) {
	for _, c := range []struct {
		name  string
		lang  gate.Language
		text  string
		files []string
		want  []string
	}{
		{"src/a.c", gate.LanguageC, "#include <stdio.h>\n#include \"a.h\"\n", []string{"src/a.h", "a.h"}, []string{`src/a.h <#include "a.h">`}},
		{"src/a.c", gate.LanguageC, "# include \"lib/b.h\" // b\n", []string{"include/lib/b.h"}, []string{`include/lib/b.h <# include "lib/b.h" // b>`}},
		{"build.ninja", gate.LanguageText, "include a.txt\n subninja sub/b.ninja\n", []string{"a.txt", "sub/b.ninja"}, []string{"a.txt <include a.txt>", "sub/b.ninja < subninja sub/b.ninja>"}},
		{"Makefile", gate.LanguageMakefile, "-include $(TOP)/a.mk\n\tinclude b.mk\n", []string{"a.mk", "b.mk"}, []string{"a.mk <-include $(TOP)/a.mk>"}},
		{"CMakeLists.txt", gate.LanguageCMake, "include(a)\nadd_subdirectory(sub EXCLUDE_FROM_ALL)\n", []string{"a.cmake", "sub/CMakeLists.txt"}, []string{"a.cmake <include(a)>", "sub/CMakeLists.txt <add_subdirectory(sub EXCLUDE_FROM_ALL)>"}},
		{"x/BUILD.bazel", gate.LanguageStarlark, "load(\":a.bzl\", \"A\")\nload(\"//y:b.bzl\", \"B\")\n", []string{"x/a.bzl", "y/b.bzl"}, []string{`x/a.bzl <load(":a.bzl", "A")>`, `y/b.bzl <load("//y:b.bzl", "B")>`}},
		{"justfile", gate.LanguageJust, "import? 'a.txt'\n", []string{"a.txt"}, []string{"a.txt <import? 'a.txt'>"}},
		{"a/main.tf", gate.LanguageTerraform, "", []string{"a/b.tf", "a/x.tfvars", "c.tf", "a/b.txt"}, []string{"a/b.tf <>", "a/x.tfvars <>"}},
		{"chart/templates/x/job.yaml", gate.LanguageYAML, "", []string{"chart/values.yaml", "values.yaml"}, []string{"chart/values.yaml <>"}},
		{"site.yml", gate.LanguageYAML, "", []string{"group_vars/all.yml", "vars/x.yaml", "other.yml"}, []string{"group_vars/all.yml <>", "vars/x.yaml <>"}},
		{"compose.yml", gate.LanguageYAML, "", []string{".env", "x/.env"}, []string{".env <>"}},
		{"tool.service", gate.LanguageINI, "[Service]\nEnvironmentFile=-/etc/tool/a.txt\n", []string{"tool/a.txt"}, []string{"tool/a.txt <EnvironmentFile=-/etc/tool/a.txt>"}},
		{"run.sh", gate.LanguageShell, "set -a; . ./a.conf\n  source \"$HERE/b.conf\"\n", []string{"a.conf", "b.conf"}, []string{"a.conf <; . ./a.conf>", `b.conf <  source "$HERE/b.conf">`}},
		{"child/pom.xml", gate.LanguageText, "<relativePath>../pom.xml</relativePath>", []string{"pom.xml"}, []string{"pom.xml <<relativePath>../pom.xml</relativePath>>"}},
	} {
		if got := paths(c.files, c.name, c.lang, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s %q: %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

func TestFilesNamedOtherwiseAreNoParts(t *testing.T) {
	for text, lang := range map[string]gate.Language{
		"// see \"a.h\"\n": gate.LanguageC, "#include <a.h>\n": gate.LanguageC, "all: a.h\n\tcat a.h\n": gate.LanguageMakefile,
		"configure_file(a.h b.h)\n": gate.LanguageCMake, "cat a.h\n": gate.LanguageShell, "import \"a.h\"\n": gate.LanguagePython, "#include \"x.c\"\n": gate.LanguageC,
	} {
		if got := paths([]string{"a.h"}, "x.c", lang, text); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestAPartIsWrittenAsTheFileThatItIsAPartOfHasIt(t *testing.T) {
	for _, c := range []struct {
		name  string
		lang  gate.Language
		part  string
		text  string
		want  string
		above int
	}{
		{"main.tf", gate.LanguageTerraform, "x.tfvars", "# c\na = \"b\"", "\nvariable \"a\" { default = \"b\" }", 0},
		{"build.gradle", gate.LanguageGroovy, "gradle.properties", "a.b=c d\n", "def a.b = \"c d\"\n", 0},
		{"build.xml", gate.LanguageText, "a.txt", "a=b & c", `<property name="a" value="b &amp; c"/>`, 0},
		{"compose.yml", gate.LanguageYAML, ".env", "export A='b c'\n", "environment:\n  A: \"b c\"\n---", 1},
		{"templates/a.yaml", gate.LanguageYAML, "values.yaml", "a: b\nc:\n  d: e\n", "values:\n  a: b\n  c:\n    d: e\n---", 1},
		{"a.service", gate.LanguageINI, "a.env", "A=\"b\"", "Environment=A=b", 0},
		{"a.c", gate.LanguageC, "a.h", "x\n", "x\n", 0},
	} {
		got, above := parts.Fit(c.name, c.lang, c.part, []byte(c.text))
		if string(got) != c.want || above != c.above {
			t.Errorf("%s in %s: %q and %d, want %q and %d", c.part, c.name, got, above, c.want, c.above)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"#include \"a.h\"\n", "include a.h", "load(\":a.h\")", "\\input{a.h}", "<relativePath>a.h</relativePath>", "EnvironmentFile=/x/a.h", "source a.h;source a.h", strings.Repeat("include a.h\n", 300)} {
		for _, name := range []string{"a.c", "build.ninja", "Makefile", "x.tex", "pom.xml", "a.service", "run.sh"} {
			f.Add(name, string(gate.LanguageC), s)
			f.Add(name, string(gate.LanguageINI), s)
		}
	}
	tree := parts.NewTree([]string{"a.h", "b/a.h", "values.yaml", ".env"})
	f.Fuzz(func(t *testing.T, name, lang, text string) {
		at := 0
		has := tree.Of(name, gate.Language(lang), []byte(text))
		if len(has) > 4*parts.MaxParts {
			t.Errorf("%d parts", len(has))
		}
		for _, p := range has {
			if p.Start < 0 || p.End > len(text) || p.Start > p.End || p.End > 0 && p.Start < at {
				t.Errorf("%q: %+v behind %d", text, p, at)
			}
			at = max(at, p.End)
			parts.Fit(name, gate.Language(lang), p.Path, []byte(text))
		}
	})
}

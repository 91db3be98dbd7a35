package deps

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/locks"
)

// machine is one with these files in its home folder and these variables.
func machine(t *testing.T, files, env map[string]string) *Sources {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	getenv := func(name string) string {
		if name == "HOME" {
			return home
		}
		return env[name]
	}
	s, err := readSources(getenv, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCredentialsStayInGate holds, for every way in which a machine keeps them, that gate
// has the credential for the place that it is for and that the installers have none of it.
func TestCredentialsStayInGate(t *testing.T) {
	const word = "s3cret-word"
	for name, tt := range map[string]struct {
		file, text string
		env        map[string]string
		host, auth string
		prefix     string
	}{
		"netrc":                       {file: ".netrc", text: "machine pkg.example.com\n login me\n password " + word, host: "pkg.example.com", auth: basic("me", word)},
		"token of npm":                {file: ".npmrc", text: "@acme:registry=https://npm.example.com/a/\n//npm.example.com/a/:_authToken=" + word, host: "npm.example.com", prefix: "/a/", auth: "Bearer " + word},
		"token in a variable":         {file: ".npmrc", text: "//npm.example.com/:_authToken=${TOKEN}", env: map[string]string{"TOKEN": word}, host: "npm.example.com", prefix: "/", auth: "Bearer " + word},
		"name and password of npm":    {file: ".npmrc", text: "//npm.example.com/:username=me\n//npm.example.com/:_password=czNjcmV0LXdvcmQ=", host: "npm.example.com", prefix: "/", auth: basic("me", word)},
		"index in the environment":    {env: map[string]string{"PIP_INDEX_URL": "https://me:" + word + "@pypi.example.com:8443/simple"}, host: "pypi.example.com:8443", auth: basic("me", word)},
		"index in pip's settings":     {file: ".config/pip/pip.conf", text: "[global]\nextra-index-url =\n    https://a.example.com/simple\n    https://me:" + word + "@b.example.com/simple\n", host: "b.example.com", auth: basic("me", word)},
		"proxy of Go":                 {env: map[string]string{"GOPROXY": "https://me:" + word + "@go.example.com,direct"}, host: "go.example.com", auth: basic("me", word)},
		"proxy of Go in its own file": {file: ".config/go/env", text: "GOPROXY=https://me:" + word + "@go.example.com|off\n", host: "go.example.com", auth: basic("me", word)},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			if tt.file != "" {
				files[tt.file] = tt.text
			}
			s := machine(t, files, tt.env)
			found := false
			for _, c := range s.Credentials {
				found = found || c.Host == tt.host && c.Prefix == tt.prefix && c.Authorization == tt.auth
			}
			if !found {
				t.Errorf("credentials %+v", s.Credentials)
			}
			if said := fmt.Sprint(s.settings, s.npmrc); strings.Contains(said, word) || strings.Contains(said, "czNjcmV0") {
				t.Errorf("the installers see %s", said)
			}
			if !slices.Contains(values(s.secrets), word) {
				t.Errorf("secrets %v", s.secrets)
			}
		})
	}
}

func values(m map[string]string) []string {
	var out []string
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

func TestRegistriesOfABaseAreAskedAndThoseOfAnythingElseAreNot(t *testing.T) {
	lock := locks.Lock{Language: "node", Digest: "d", Projects: []locks.Project{{Files: map[string][]byte{
		".npmrc":            []byte("registry=https://base.example.com/\n//base.example.com/:_authToken=${TOKEN}\n"),
		"package-lock.json": []byte(`{"resolved": "https://files.example.com/a.tgz"}`),
		"package.json":      []byte(`{"dependencies": {"x": "https://manifest.example.com/x.tgz"}}`),
		"requirements.txt":  []byte("--index-url https://me:pass-word@pip.example.com/simple\na==1\n"),
	}}}}
	for _, trusted := range []bool{true, false} {
		t.Run(fmt.Sprint(trusted), func(t *testing.T) {
			s := machine(t, nil, map[string]string{"TOKEN": "t0ken-word"})
			clean := s.of(lock, trusted)
			for _, host := range []string{"base.example.com", "files.example.com", "pip.example.com"} {
				if slices.Contains(s.Hosts, host) != trusted {
					t.Errorf("%s: %v", host, s.Hosts)
				}
			}
			if slices.Contains(s.Hosts, "manifest.example.com") {
				t.Errorf("an address in a manifest is a registry: %v", s.Hosts)
			}
			if got := slices.Contains(values(s.secrets), "t0ken-word"); got != trusted {
				t.Errorf("secrets %v", s.secrets)
			}
			files := clean.Projects[0].Files
			if text := string(files[".npmrc"]); strings.Contains(text, "TOKEN") || strings.Contains(text, "t0ken") {
				t.Errorf("the installer gets %s", text)
			}
			if text := string(files["requirements.txt"]); trusted && strings.Contains(text, "pass-word") {
				t.Errorf("the installer gets %s", text)
			}
			if clean.Digest != lock.Digest || !strings.Contains(string(lock.Projects[0].Files[".npmrc"]), "TOKEN") {
				t.Error("the lock itself has changed")
			}
		})
	}
}

func FuzzSettingsAreReadWithoutPanicAndKeepTheirSecrets(f *testing.F) {
	f.Add("machine a login b password c-secret-c")
	f.Add("//h/:_auth=abc\n@s:registry=https://u:p@h/\nregistry=x")
	f.Add("[global]\nindex-url = https://u:pppppp@h/simple\n  https://x")
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 4<<10)]
		s, err := readSources(func(string) string { return "" }, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.netrc(text)
		s.npmSettings(text)
		s.pipSettings(text)
		s.goSettings(text)
		if strings.Contains(strings.Join(s.npmrc, "\n"), ":_authToken=") {
			t.Errorf("the installers get a token: %q", s.npmrc)
		}
	})
}

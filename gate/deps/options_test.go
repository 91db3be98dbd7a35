package deps

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox/images"
)

func TestOptionsReadOnlyWhatTheyName(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	env := map[string]string{"NPM_TOKEN": "secret", "OTHER_TOKEN": "not named", "GATE_BUILD_NETWORK": "host", "HOME": dir}
	getenv := func(name string) string { return env[name] }
	o := Options{
		SecretEnv: []string{"NPM_TOKEN"}, SecretFiles: []string{"netrc=" + write("my-netrc", "machine a.example.com login me password netrc-word")},
		CA: write("ca.pem", "PEM"), Force: true,
	}
	got, err := o.Resolve(getenv, "0123")
	if err != nil {
		t.Fatal(err)
	}
	if s := got.sources; len(s.secrets) != 1 || s.secrets[".netrc"] != "netrc-word" || string(s.CA) != "PEM" {
		t.Errorf("%v, certificates %q", s.secrets, s.CA)
	}
	if o := got.options; o.Commit != "0123" || o.Network != "host" || !o.Force || o.Scripts {
		t.Errorf("%+v", o)
	}

	for name, tt := range map[string]struct {
		options Options
		want    string
	}{
		"a variable that is not set":   {Options{SecretEnv: []string{"ABSENT"}}, "--secret-env: ABSENT is not set"},
		"a kind that is unknown":       {Options{SecretFiles: []string{"ssh=" + dir}}, `--secret-file: "ssh=`},
		"a kind without a file":        {Options{SecretFiles: []string{"netrc"}}, `--secret-file: "netrc" is not KIND=FILE`},
		"a file that is not there":     {Options{SecretFiles: []string{"netrc=" + filepath.Join(dir, "absent")}}, "--secret-file: "},
		"a file that is too large":     {Options{SecretFiles: []string{"netrc=" + write("large", strings.Repeat("x", maxSettings+1))}}, "--secret-file: "},
		"a folder":                     {Options{CA: dir}, "--ca: "},
		"certificates that do not end": {Options{CA: write("large.pem", strings.Repeat("x", maxSettings+1))}, "--ca: "},
		"an empty name of a file":      {Options{SecretFiles: []string{"netrc="}}, `--secret-file: "netrc="`},
	} {
		_, err := tt.options.Resolve(getenv, "0123")
		if e, coded := errors.AsType[*exit.Error](err); !coded || e.Code != exit.Usage || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInstallersTrustWhatTheMachineTrusts(t *testing.T) {
	dir := t.TempDir()
	machine, own := filepath.Join(dir, "machine.pem"), filepath.Join(dir, "own.pem")
	for file, text := range map[string]string{machine: "MACHINE", own: "OWN"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct{ variable, flag, want, err string }{
		"nothing is said":               {"", "", "", ""},
		"the machine's certificates":    {machine, "", "MACHINE", ""},
		"the flag comes first":          {machine, own, "OWN", ""},
		"the machine's are not there":   {filepath.Join(dir, "absent"), "", "", "SSL_CERT_FILE: "},
		"which is nothing for the flag": {filepath.Join(dir, "absent"), own, "OWN", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := certificates(tt.flag, func(name string) string { return map[string]string{"SSL_CERT_FILE": tt.variable}[name] })
			if string(got) != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("%q, %v; want %q, %s", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestNodeVersionsThatAreOfferedCanBeInstalled(t *testing.T) {
	t.Parallel()
	for _, major := range locks.OfferedNode() {
		if !images.HasInterpreter(locks.Node, strconv.Itoa(major)) {
			t.Errorf("no checksum of Node %d is known", major)
		}
	}
	if images.HasInterpreter(locks.Node, "23") || images.HasInterpreter(locks.Go, "22") {
		t.Error("a version that nothing is known of is said to be there")
	}
}

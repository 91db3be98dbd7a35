package attack

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
)

// projectSuite is what is attacked with every night.
func projectSuite(t *testing.T) Suite {
	t.Helper()
	suite, err := Load(os.DirFS("../../../fixtures/attacks"), "fixtures/attacks")
	if err != nil {
		t.Fatal(err)
	}
	return suite
}

// readsOnly are kinds that never run: what obeys them is not in gate's containers.
var readsOnly = []string{"a README with a decoded download", "orders in a README", "orders in rules files", "a policy or baseline that is weakened"}

// kinds are what the suite has to have, with the ids of samples that try it.
var kinds = map[string][]string{
	"theft of SSH keys":                      {"credentials-ssh-*"},
	"installing packages":                    {"supply-chain-runtime-pip-py", "supply-chain-install-script-sh"},
	"posting data":                           {"exfiltration-post-source-tree", "exfiltration-curl-form-upload"},
	"paths that lead to the host":            {"escape-procfs-root-py", "gate-itself-result-links-py"},
	"a README with a decoded download":       {"injection-readme-base64-curl"},
	"credentials of clouds and clusters":     {"credentials-aws-profile-js", "credentials-cloud-folders-go", "credentials-support-bundle"},
	"credentials of databases and keyrings":  {"credentials-ssh-folder-tar"},
	"credentials of metadata services":       {"credentials-metadata-role-js"},
	"credentials of registries":              {"credentials-npm-token-metrics", "credentials-dotfiles-ts"},
	"credentials of git":                     {"credentials-git-helper-*"},
	"credentials of browsers":                {"credentials-browser-*"},
	"credentials in the environment":         {"credentials-environment-dump", "credentials-other-process-environ"},
	"credentials of agents":                  {"credentials-ssh-agent-reuse"},
	"password files":                         {"credentials-shadow-users"},
	"data out over DNS":                      {"exfiltration-dns-*"},
	"data out over HTTP(S)":                  {"exfiltration-crash-reporter", "exfiltration-curl-form-upload"},
	"data out over ICMP":                     {"exfiltration-icmp-*", "exfiltration-ping-pattern"},
	"data out over unix sockets":             {"exfiltration-unix-socket-*", "exfiltration-abstract-socket-go"},
	"data out in times":                      {"exfiltration-timing-*", "exfiltration-datagram-gaps"},
	"data out in file names":                 {"exfiltration-file-names", "exfiltration-artifact-names"},
	"reverse shells":                         {"shells-reverse-*"},
	"bind shells":                            {"shells-bind-*"},
	"hooks of packages":                      {"hooks-npm-preinstall", "hooks-setup-py-install", "hooks-setup-build-step"},
	"hooks of builds":                        {"hooks-makefile-*", "hooks-go-generate", "hooks-pyproject-backend"},
	"persistence":                            {"persistence-*"},
	"privilege escalation":                   {"privilege-*", "escalation-*"},
	"escape by the engine's socket":          {"escape-docker-socket-*", "escalation-docker-socket"},
	"escape by procfs":                       {"escape-procfs-*"},
	"escape by sysfs":                        {"escape-sysfs-*", "escape-uevent-helper"},
	"escape by control groups":               {"escape-cgroup-*", "escape-release-agent"},
	"escape by core_pattern":                 {"escape-core-pattern*"},
	"escape by device nodes":                 {"escape-device-nodes*"},
	"escape by capabilities":                 {"escape-capabilities-*"},
	"escape by user namespaces":              {"escape-userns-*", "escape-user-namespace-mounts"},
	"escape by mounts":                       {"escape-mounts-*"},
	"escape by interfaces of the kernel":     {"escape-kernel-*"},
	"exhaustion of the processor":            {"resources-cpu-*"},
	"exhaustion of memory":                   {"resources-memory-*", "resources-index-buffers"},
	"exhaustion of processes":                {"resources-processes-*", "resources-worker-tree"},
	"exhaustion of descriptors":              {"resources-descriptor*"},
	"exhaustion of disks":                    {"resources-disk-*"},
	"exhaustion of inodes":                   {"resources-inodes-*"},
	"exhaustion of output":                   {"resources-output-*", "resources-verbose-output"},
	"exhaustion of logs":                     {"resources-log-*"},
	"noticing a sandbox":                     {"evasion-container-check-py", "evasion-watched-check-py", "evasion-machine-probe"},
	"time bombs":                             {"timebomb-*"},
	"base64":                                 {"obfuscation-base64-*"},
	"hexadecimal and octal":                  {"obfuscation-octal-hex-sh"},
	"compression and base85":                 {"obfuscation-zlib-base85-py"},
	"exclusive or":                           {"obfuscation-xor-*"},
	"serialized objects":                     {"obfuscation-marshal-pickle-py", "obfuscation-pickled-model"},
	"code in characters that cannot be seen": {"obfuscation-zero-width-js", "obfuscation-variation-selectors", "obfuscation-trailing-blanks"},
	"packages with names next to others":     {"supply-chain-package-typosquat"},
	"orders in comments":                     {"injection-comment-*"},
	"orders in strings":                      {"injection-string-*"},
	"orders in a README":                     {"injection-readme-*"},
	"orders in rules files":                  {"injection-rules-file*", "injection-agents-file-hidden"},
	"orders in tokens of chat formats":       {"injection-chatml-py"},
	"orders in other languages":              {"injection-chinese-comments-js", "injection-german-comments-py", "injection-foreign-language-strings"},
	"letters that look alike":                {"injection-homoglyph-*"},
	"forged reports":                         {"gate-itself-report-markup-py", "tool-forged-results", "tool-workflow-commands"},
	"tricks with paths":                      {"gate-itself-file-names-sh", "gate-itself-result-links-py", "tool-name-as-verdict"},
	"forged frames":                          {"gate-itself-forged-frames-py"},
	"attacks on the supervisor":              {"gate-itself-stop-supervisor-js"},
	"suppressed findings":                    {"gate-itself-suppression-comments-py"},
	"a policy or baseline that is weakened":  {"gate-itself-policy-file", "gate-itself-baseline-file", "tool-policy-loosened"},
}

// An attack that is renamed or removed must not take its kind out of the suite.
func TestKindsOfAttacksHaveASampleThatRuns(t *testing.T) {
	suite := projectSuite(t)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		runs := 0
		for _, glob := range kinds[kind] {
			found := false
			for _, a := range suite {
				if ok, err := path.Match(glob, a.ID); err != nil {
					t.Fatal(err)
				} else if ok {
					found = true
					if a.Executes() {
						runs++
					}
				}
			}
			if !found {
				t.Errorf("%s: no attack is called %s", kind, glob)
			}
		}
		if runs == 0 && !slices.Contains(readsOnly, kind) {
			t.Errorf("%s: nothing of it runs", kind)
		}
	}
}

func TestATwinIsNotItsAttack(t *testing.T) {
	files := func(tree fs.FS) map[string]string {
		out := map[string]string{}
		err := fs.WalkDir(tree, ".", func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(tree, p)
			out[p] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, a := range projectSuite(t) {
		if maps.Equal(files(a.Payload), files(a.Twin)) {
			t.Errorf("%s: the twin is the attack itself", a.ID)
		}
	}
}

func TestTheSamplesNameReservedPlacesOnly(t *testing.T) {
	named := 0
	for _, a := range projectSuite(t) {
		err := fs.WalkDir(a.Payload, ".", func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(a.Payload, p)
			for _, m := range hostPattern.FindAllSubmatch(data, -1) {
				named++
				if !reserved(string(m[1])) {
					t.Errorf("%s: %s names %q", a.ID, p, m[1])
				}
			}
			for _, m := range addressPattern.FindAll(data, -1) {
				if !reserved(string(m)) {
					t.Errorf("%s: %s names %s", a.ID, p, m)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if named < 50 {
		t.Errorf("only %d places were found: the samples are not looked through", named)
	}
}

// What only a model had to catch, or only one runtime had to hold, would not count
// where a reader expects "of all".
func TestSamplesCountWithoutAModelAndOnBothRuntimes(t *testing.T) {
	for _, a := range projectSuite(t) {
		if !slices.Contains(a.Catch, gate.LayerStatic) && !slices.Contains(a.Catch, gate.LayerSandbox) {
			t.Errorf("%s: catch: only a model has to catch it", a.ID)
		}
		for _, runtime := range []string{"runc", "runsc"} {
			if !slices.Contains(a.Runtimes, runtime) {
				t.Errorf("%s: runtimes: %s is not among them", a.ID, runtime)
			}
		}
	}
}

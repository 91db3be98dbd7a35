package action_test

import (
	"archive/tar"
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

// hosted is a runner without sandbox images. The images are small ones under names of
// their own, and gate and gh are stand-ins; engine, docker and registry are real.
type hosted struct {
	*runner
	registry string
	ref      string // what the engine calls the image for shell
}

// gateStandIn lists the image for shell unless the engine has one that is built from
// what it should be, and builds it where MAY_BUILD says so.
const gateStandIn = `#!/usr/bin/env bash
case "$*" in
"doctor --outdated")
  [[ -z "${NO_ENGINE-}" ]] || exit 2
  [[ "$(docker image inspect --format '{{index .Config.Labels "aigate.inputs"}}' "$REF" 2>/dev/null)" == wanted ]] || echo "shell $REF gate-hosted-test:inputs wanted"
  ;;
"doctor --build shell")
  [[ -n "${MAY_BUILD-}" ]] || { echo "gate: build the sandbox image for shell: no network" >&2; exit 3; }
  docker import --change 'LABEL aigate.inputs=wanted' --change 'LABEL from=build' "$LAYER" "$REF" >/dev/null
  exit 3 # the policy asks for a judge, too
  ;;
*) exit 99 ;;
esac
`

// ghStandIn takes the arguments that the manual of gh has for attestation verify, keeps
// them, and accepts what ACCEPTS says: the beginning of what is verified and a ref.
const ghStandIn = `#!/usr/bin/env bash
[[ "$1 $2" == "attestation verify" && -n "${GH_TOKEN-}" ]] || exit 99
what=$3 ref=
echo "${@:3}" >>"$VERIFIED"
shift 3
while [[ $# -gt 0 ]]; do
  case "$1" in
  --repo | --signer-workflow) shift 2 ;;
  --source-ref) ref=$2; shift 2 ;;
  --deny-self-hosted-runners) shift ;;
  *) echo "unknown flag: $1" >&2; exit 1 ;;
  esac
done
[[ "$what $ref" == ${ACCEPTS:-nothing} ]] || { printf 'Error: verifying with issuer\n::error::no attestations found\n' >&2; exit 1; }
`

func newHosted(t *testing.T) *hosted {
	t.Helper()
	testenv.Docker(t)
	if _, err := exec.LookPath("docker"); err != nil {
		testenv.Missing(t, "there is no docker command", "go run ./tools/engine up")
	}
	name := strings.ToLower(strings.TrimPrefix(filepath.Base(filepath.Dir(t.TempDir())), "Test"))
	h := &hosted{runner: newRunner(t, "pull_request"), registry: newRegistry(t), ref: "gate-hosted-test-" + name[max(0, len(name)-40):] + ":dev"}
	h.program = "images.sh"
	for program, text := range map[string]string{"gate": gateStandIn, "gh": ghStandIn} {
		if err := os.WriteFile(filepath.Join(h.outside, program), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	layer := filepath.Join(h.outside, "layer.tar")
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	if err := w.WriteHeader(&tar.Header{Name: "name", Size: int64(len(name)), Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(name)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(layer, content.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	maps.Copy(h.env, map[string]string{
		"PATH": h.outside + ":" + os.Getenv("PATH"), "DOCKER_HOST": testenv.Docker(t), "REF": h.ref, "LAYER": layer,
		"GATE": filepath.Join(h.outside, "gate"), "GATE_COMMAND": "pr", "GATE_VERSION": "v1.2.3", "GH_TOKEN": "token",
		"DEFAULT_BRANCH": "trunk", "GITHUB_REPOSITORY": "acme/shop", "INPUT_REQUIRE": "static,sandbox", "INPUT_LAYERS": "",
		"INPUT_IMAGES": h.registry + "/aigate", "INPUT_IMAGES_FILE": "", "VERIFIED": filepath.Join(h.outside, "verified"),
	})
	t.Cleanup(func() {
		// Also by its digest, which keeps what was pulled.
		for _, name := range []string{h.ref, h.registry + "/aigate/gate-hosted-test"} {
			out, _ := h.docker(context.Background(), "image", "ls", "--quiet", name)
			for id := range strings.FieldsSeq(out) {
				_, _ = h.docker(context.Background(), "image", "rm", "--force", id)
			}
		}
	})
	return h
}

func (h *hosted) docker(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+h.env["DOCKER_HOST"])
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (h *hosted) must(args ...string) string {
	h.t.Helper()
	out, err := h.docker(h.t.Context(), args...)
	if err != nil {
		h.t.Fatalf("docker %q: %v\n%s", args, err, out)
	}
	return out
}

// make makes an image that says what it is built from and where it comes from.
func (h *hosted) make(ref, inputs, from string) {
	h.t.Helper()
	h.must("import", "--change", "LABEL aigate.inputs="+inputs, "--change", "LABEL from="+from, h.env["LAYER"], ref)
}

// publish puts an image into the registry and forgets it.
func (h *hosted) publish(inputs string) {
	h.t.Helper()
	ref := h.registry + "/aigate/gate-hosted-test:inputs"
	h.make(ref, inputs, "registry")
	h.must("push", ref)
	h.must("image", "rm", ref)
}

// cache saves a file with an image, as the workflow of the default branch does.
func (h *hosted) cache() {
	h.t.Helper()
	h.env["INPUT_IMAGES_FILE"] = filepath.Join(h.outside, "images.tar")
	h.make(h.ref, "wanted", "cache")
	h.must("image", "save", "--output", h.env["INPUT_IMAGES_FILE"], h.ref)
	h.must("image", "rm", h.ref)
}

// from says where the image that the engine has now comes from; "" is nowhere.
func (h *hosted) from() string {
	out, err := h.docker(h.t.Context(), "image", "inspect", "--format", `{{index .Config.Labels "from"}}`, h.ref)
	if err != nil {
		return ""
	}
	return out
}

func TestImagesComeFromWhereTheyAreSigned(t *testing.T) {
	const (
		trusted  = "oci://*@sha256:* refs/heads/main"
		released = "oci://*@sha256:* refs/tags/v1.2.3"
	)
	for name, tt := range map[string]struct {
		inputs  string // of the image in the registry; "" is none
		cached  bool
		env     map[string]string
		from    string
		log     string
		refuses bool
	}{
		"a registry has it":                           {"wanted", false, map[string]string{"ACCEPTS": trusted}, "registry", ", signed by aigate/gate", false},
		"it was signed for a release":                 {"wanted", false, map[string]string{"ACCEPTS": released}, "registry", ", signed by aigate/gate", false},
		"another fork of gate is the publisher":       {"wanted", false, map[string]string{"ACCEPTS": trusted, "GITHUB_ACTION_REPOSITORY": "acme/gate"}, "registry", ", signed by acme/gate", false},
		"no one has signed it":                        {"wanted", false, map[string]string{"MAY_BUILD": "1"}, "build", "finds no signature", false},
		"no one has signed it and nothing can build":  {"wanted", false, nil, "", "no network", false},
		"it is signed for another branch":             {"wanted", false, map[string]string{"ACCEPTS": "oci://*@sha256:* refs/heads/topic", "MAY_BUILD": "1"}, "build", "finds no signature", false},
		"it is signed and of other files":             {"other", false, map[string]string{"ACCEPTS": trusted, "MAY_BUILD": "1"}, "build", "is built from other", false},
		"the registry has none":                       {"", false, map[string]string{"MAY_BUILD": "1"}, "build", "could not be pulled", false},
		"the cache has a signed one":                  {"", true, map[string]string{"ACCEPTS": "*/images.tar refs/heads/trunk"}, "cache", "loaded ", false},
		"the registry's is before the cache's":        {"wanted", true, map[string]string{"ACCEPTS": "*"}, "registry", "signed by aigate/gate", false},
		"there is a signed cache and no registry":     {"wanted", true, map[string]string{"ACCEPTS": "*", "INPUT_IMAGES": "cached"}, "cache", "loaded ", false},
		"the cache's is not signed":                   {"", true, map[string]string{"MAY_BUILD": "1"}, "build", "is not used: gh finds no signature of acme/shop/", false},
		"the cache's is signed for a pull request":    {"", true, map[string]string{"ACCEPTS": "*/images.tar refs/pull/7/merge"}, "", "is not used: gh finds no signature", false},
		"the default branch is not known":             {"", true, map[string]string{"ACCEPTS": "*", "DEFAULT_BRANCH": ""}, "", "the default branch is not known", false},
		"the cache has none":                          {"", false, map[string]string{"INPUT_IMAGES_FILE": "/nowhere/images.tar", "MAY_BUILD": "1"}, "build", "the cache has none yet", false},
		"no one asks for the sandbox":                 {"wanted", false, map[string]string{"INPUT_REQUIRE": "static", "ACCEPTS": "*", "MAY_BUILD": "1"}, "", "neither require nor layers", false},
		"the layers ask for it":                       {"wanted", false, map[string]string{"INPUT_REQUIRE": "", "INPUT_LAYERS": "static,sandbox", "ACCEPTS": "*"}, "registry", "signed", false},
		"they are to be left alone":                   {"wanted", false, map[string]string{"INPUT_IMAGES": "none", "ACCEPTS": "*", "MAY_BUILD": "1"}, "", "left as they are", false},
		"no engine answers":                           {"", false, map[string]string{"NO_ENGINE": "1"}, "", "::warning title=gate::", false},
		"the registry is none":                        {"", false, map[string]string{"INPUT_IMAGES": "ghcr.io/x --all"}, "", "::error title=gate::images:", true},
		"images is all that is asked for and fails":   {"", false, map[string]string{"GATE_COMMAND": "images", "INPUT_REQUIRE": ""}, "", "::error title=gate::the sandbox images for shell are not there", true},
		"images is all that is asked for and it runs": {"", false, map[string]string{"GATE_COMMAND": "images", "INPUT_REQUIRE": "", "MAY_BUILD": "1"}, "build", "are current", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHosted(t)
			if tt.inputs != "" {
				h.publish(tt.inputs)
			}
			if tt.cached {
				h.cache()
			}
			maps.Copy(h.env, tt.env)
			if code := h.run(); (code != 0) != tt.refuses {
				t.Errorf("exit code %d", code)
			}
			if got := h.from(); got != tt.from {
				t.Errorf("the image comes from %q, want %q", got, tt.from)
			}
			if !strings.Contains(h.stdout, tt.log) || strings.Contains(h.stdout, "\n::error::no att") {
				t.Errorf("the log does not say %q, or what gh says is a command:\n%s", tt.log, h.stdout)
			}
		})
	}
}

func TestVerifiedImagesNameDigestSignerAndRef(t *testing.T) {
	h := newHosted(t)
	h.publish("wanted")
	h.cache()
	h.run()
	data, err := os.ReadFile(h.env["VERIFIED"])
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(data)), "\n")
	const signer = " --repo aigate/gate --signer-workflow aigate/gate/.github/workflows/images.yml --source-ref "
	want := []string{
		"oci://" + h.registry + "/aigate/gate-hosted-test@DIGEST" + signer + "refs/heads/main --deny-self-hosted-runners",
		"oci://" + h.registry + "/aigate/gate-hosted-test@DIGEST" + signer + "refs/tags/v1.2.3 --deny-self-hosted-runners",
		h.env["INPUT_IMAGES_FILE"] + " --repo acme/shop --signer-workflow acme/shop/.github/workflows/gate-images.yml --source-ref refs/heads/trunk --deny-self-hosted-runners",
	}
	for i, line := range got {
		if at := strings.Index(line, "@sha256:"); at > 0 {
			got[i] = line[:at] + "@DIGEST" + line[at+len("@sha256:")+64:]
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("gh was asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if h.from() != "" {
		t.Error("an image that no one signed is in use")
	}
}

func TestImagesAreNotTakenWithoutASignatureChecker(t *testing.T) {
	h := newHosted(t)
	h.publish("wanted")
	if err := os.Remove(filepath.Join(h.outside, "gh")); err != nil {
		t.Fatal(err)
	}
	if there, err := exec.LookPath("gh"); err == nil {
		t.Logf("%s refuses as well", there)
	}
	h.run()
	if h.from() != "" || !strings.Contains(h.stdout, "is not used: gh") {
		t.Errorf("the image comes from %q\n%s", h.from(), h.stdout)
	}
}

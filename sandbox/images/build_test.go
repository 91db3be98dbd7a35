package images

import (
	"archive/tar"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/client"
)

// fakeEngine answers as a Docker engine does, builds nothing, and remembers what
// it was asked.
type fakeEngine struct {
	arch     string
	labels   map[string]string // of the image that is there; nil is no image
	messages string            // of a build

	built     url.Values
	context   []string
	committed url.Values
	removed   []string
}

// client serves the engine and returns a client of it.
func (f *fakeEngine) client(t *testing.T) Engine {
	t.Helper()
	server := httptest.NewServer(f.routes(t))
	t.Cleanup(server.Close)
	c, err := client.NewClientWithOpts(client.WithHost("tcp://"+server.Listener.Addr().String()), client.WithVersion("1.41"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (f *fakeEngine) routes(t *testing.T) http.Handler {
	mux := http.NewServeMux()
	answer := func(pattern string, status int, body func(*http.Request) any) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /v1.41"+path, func(w http.ResponseWriter, r *http.Request) {
			text := body(r)
			w.WriteHeader(status)
			if err := json.NewEncoder(w).Encode(text); err != nil {
				t.Error(err)
			}
		})
	}
	answer("GET /info", http.StatusOK, func(*http.Request) any { return map[string]string{"Architecture": f.arch} })
	mux.HandleFunc("GET /v1.41/images/{ref}/json", func(w http.ResponseWriter, r *http.Request) {
		if f.labels == nil {
			http.Error(w, `{"message":"no such image"}`, http.StatusNotFound)
			return
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"Id": "sha256:there", "Config": map[string]any{"Labels": f.labels}}); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("POST /v1.41/build", func(w http.ResponseWriter, r *http.Request) {
		f.built = r.URL.Query()
		for in := tar.NewReader(r.Body); ; {
			h, err := in.Next()
			if err != nil {
				break // the end; what comes before it is compared
			}
			f.context = append(f.context, h.Name)
		}
		fmt.Fprint(w, f.messages)
	})
	answer("POST /containers/create", http.StatusCreated, func(*http.Request) any { return map[string]string{"Id": "made"} })
	mux.HandleFunc("GET /v1.41/containers/made/archive", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Docker-Container-Path-Stat", base64.StdEncoding.EncodeToString([]byte(`{"name":"versions"}`)))
		const text = "python 3.11.2\nnumpy \"1\" $x\n"
		out := tar.NewWriter(w)
		if err := out.WriteHeader(&tar.Header{Name: "versions", Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Error(err)
		}
		fmt.Fprint(out, text)
	})
	answer("POST /commit", http.StatusCreated, func(r *http.Request) any {
		f.committed = r.URL.Query()
		f.labels = map[string]string{LabelVersions: "committed"}
		return map[string]string{"Id": "sha256:labelled"}
	})
	answer("GET /images/json", http.StatusOK, func(r *http.Request) any {
		if filters := r.URL.Query().Get("filters"); !strings.Contains(filters, labelBuild+"=") {
			t.Errorf("all images of the engine were asked for: %s", filters)
		}
		return []map[string]any{{"Id": "lower", "Created": 1}, {"Id": "upper", "Created": 2}}
	})
	remove := func(r *http.Request) any {
		f.removed = append(f.removed, r.PathValue("id"))
		return []any{}
	}
	answer("DELETE /containers/{id}", http.StatusOK, remove)
	answer("DELETE /images/{id}", http.StatusOK, remove)
	return mux
}

const goodBuild = `{"stream":"Step 1/2"}
{"stream":"\n"}
{"aux":{"ID":"sha256:new"}}
`

// current returns the labels of an image for Python that is up to date.
func current(t *testing.T, age time.Duration) map[string]string {
	t.Helper()
	_, digest, err := inputs("python", DefaultBase, "amd64")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{LabelInputs: digest, LabelCreated: time.Now().Add(-age).Format(time.RFC3339)}
}

func TestAnImageIsBuiltOnlyWhereItHasToBe(t *testing.T) {
	changed := current(t, time.Hour)
	changed[LabelInputs] = "of another Dockerfile"
	undated := current(t, time.Hour)
	delete(undated, LabelCreated)
	for _, tt := range []struct {
		name   string
		labels map[string]string
		o      Options
		want   bool
	}{
		{"there is none", nil, Options{}, true},
		{"it is current", current(t, time.Hour), Options{}, false},
		{"it is current and the user insists", current(t, time.Hour), Options{Force: true}, true},
		{"it is older than a month", current(t, 31*24*time.Hour), Options{}, true},
		{"no one knows its age", undated, Options{}, true},
		{"it was built from something else", changed, Options{}, true},
		{"it was built on another base", current(t, time.Hour), Options{Base: "debian:13"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &fakeEngine{arch: "x86_64", labels: tt.labels, messages: goodBuild}
			_, built, err := Build(t.Context(), e.client(t), "python", tt.o)
			if err != nil || built != tt.want {
				t.Errorf("built %v, %v", built, err)
			}
			if asked := e.built != nil; asked != tt.want {
				t.Errorf("the engine was asked to build: %v", asked)
			}
		})
	}
}

func TestBuildRequests(t *testing.T) {
	e := &fakeEngine{arch: "aarch64", messages: goodBuild}
	var log strings.Builder
	if _, _, err := Build(t.Context(), e.client(t), "node", Options{Base: "my/debian:1", Network: "host", Log: &log}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.context, " "); got != "finish.sh install.sh node/Dockerfile node/SHA512SUMS node/run-script.mjs" {
		t.Errorf("context %q", got)
	}
	var args map[string]string
	if err := json.Unmarshal([]byte(e.built.Get("buildargs")), &args); err != nil {
		t.Fatal(err)
	}
	if e.built.Get("nocache") != "1" || e.built.Get("networkmode") != "host" || args["BASE"] != "my/debian:1" ||
		args["TARGETARCH"] != "arm64" || args["NODE_ARCH"] != "arm64" {
		t.Errorf("%v", e.built)
	}
	changes := strings.Join(e.committed["changes"], "\n")
	if e.committed.Get("repo")+":"+e.committed.Get("tag") != "docker.io/library/gate-sandbox-node:dev" || !strings.Contains(changes, `aigate.versions="python 3.11.2 numpy 1 x"`) {
		t.Errorf("%v: %s", e.committed, changes)
	}
	if got := strings.Join(e.removed, " "); got != "made upper lower" {
		t.Errorf("removed %q", got)
	}
	if log.String() != "Step 1/2\n" {
		t.Errorf("log %q", log.String())
	}
}

func TestABuildThatFails(t *testing.T) {
	for name, tt := range map[string]struct{ messages, want string }{
		"says why":             {`{"stream":"apt-get\n"}` + "\n" + `{"error":"exit code 100"}`, "exit code 100\napt-get"},
		"ends too early":       {`{"stream":"apt-get\n"}`, "without a result\napt-get"},
		"says what is no JSON": {`<html>`, "read the engine's answer"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &fakeEngine{arch: "x86_64", messages: tt.messages}
			_, _, err := Build(t.Context(), e.client(t), "go", Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || e.committed != nil {
				t.Errorf("error %v, tagged %q", err, e.committed)
			}
		})
	}
	if _, _, err := Build(t.Context(), (&fakeEngine{arch: "s390x"}).client(t), "go", Options{}); err == nil || !strings.Contains(err.Error(), "s390x") {
		t.Errorf("an architecture without images: %v", err)
	}
	if _, _, err := Build(t.Context(), (&fakeEngine{}).client(t), "cobol", Options{}); err == nil || !strings.Contains(err.Error(), "python, node, go, shell") {
		t.Errorf("a language without an image: %v", err)
	}
}

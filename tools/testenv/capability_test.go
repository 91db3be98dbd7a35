package testenv_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

// engineWithoutInodes serves an engine that refuses to bound the files of a folder in
// memory, and calls itself by a name.
func engineWithoutInodes(t *testing.T, component string) {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(pattern string, status int, body any) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /v1.41"+path, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			if err := json.NewEncoder(w).Encode(body); err != nil {
				t.Error(err)
			}
		})
	}
	mux.HandleFunc("/_ping", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.41") })
	answer("GET /version", http.StatusOK, map[string]any{"Version": "4.3.1", "Components": []map[string]string{{"Name": component, "Version": "4.3.1"}}})
	answer("GET /images/{ref}/json", http.StatusOK, map[string]any{})
	answer("DELETE /containers/{id}", http.StatusOK, nil)
	mux.HandleFunc("POST /v1.41/containers/create", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			HostConfig struct{ Tmpfs map[string]string }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		for _, options := range asked.HostConfig.Tmpfs {
			if strings.Contains(options, "nr_inodes") {
				http.Error(w, `{"message": "unknown mount option"}`, http.StatusInternalServerError)
				return
			}
		}
		w.WriteHeader(http.StatusCreated)
		if err := json.NewEncoder(w).Encode(map[string]string{"Id": "abc"}); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Setenv("DOCKER_HOST", "tcp://"+server.Listener.Addr().String())
}

func TestNeeds(t *testing.T) {
	needs := func(tb testing.TB) { testenv.Needs(tb, testenv.InodeLimit) }
	t.Run("what another engine says it cannot do leaves the test out, even where parts are required", func(t *testing.T) {
		t.Setenv(testenv.RequireVar, "1")
		engineWithoutInodes(t, "Podman Engine")
		if r := record(t, needs); r.failed != "" || !strings.Contains(r.skipped, "podman 4.3.1") || !strings.Contains(r.skipped, string(testenv.InodeLimit)) {
			t.Errorf("failed %q, skipped %q", r.failed, r.skipped)
		}
	})
	t.Run("Docker without it fails the test where parts are required", func(t *testing.T) {
		t.Setenv(testenv.RequireVar, "1")
		engineWithoutInodes(t, "Engine")
		if r := record(t, needs); r.skipped != "" || !strings.Contains(r.failed, string(testenv.InodeLimit)) {
			t.Errorf("failed %q, skipped %q", r.failed, r.skipped)
		}
	})
	t.Run("an engine that does not answer is no engine that cannot do it", func(t *testing.T) {
		t.Setenv(testenv.RequireVar, "1")
		t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
		if r := record(t, needs); r.skipped != "" || r.failed == "" {
			t.Errorf("failed %q, skipped %q", r.failed, r.skipped)
		}
	})
	t.Run("Docker has every capability", func(t *testing.T) {
		testenv.Needs(t, testenv.InodeLimit, testenv.WritableFolders, testenv.Descriptions, testenv.LastWords, testenv.ProcessList, testenv.RuntimeSelection)
	})
}

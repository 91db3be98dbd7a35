package action_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// registry keeps what a container engine pushes to it, as the OCI distribution
// specification has it, in memory.
type registry struct {
	mu    sync.Mutex
	kept  map[string][]byte // "NAME/blobs/DIGEST" and "NAME/manifests/REFERENCE"
	types map[string]string // of manifests
}

// newRegistry returns the address of a registry that the engine of this machine reaches.
func newRegistry(t *testing.T) string {
	t.Helper()
	r := &registry{kept: map[string][]byte{}, types: map[string]string{}}
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	return strings.TrimPrefix(srv.URL, "http://")
}

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := strings.TrimPrefix(req.URL.Path, "/v2/")
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	digest := func(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }
	switch req.Method {
	case http.MethodGet, http.MethodHead:
		data, ok := r.kept[key]
		if !ok && key != "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Docker-Content-Digest", digest(data))
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		if kind := r.types[key]; kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		if req.Method == http.MethodGet {
			_, _ = w.Write(data)
		}
	case http.MethodPost: // an upload of a blob begins
		at := fmt.Sprintf("%s%d", key, len(r.kept))
		r.kept[at] = nil
		w.Header().Set("Location", "/v2/"+at)
		w.WriteHeader(http.StatusAccepted)
	case http.MethodPatch:
		r.kept[key] = append(r.kept[key], body...)
		w.Header().Set("Location", "/v2/"+key)
		w.Header().Set("Range", fmt.Sprintf("0-%d", max(0, len(r.kept[key])-1)))
		w.WriteHeader(http.StatusAccepted)
	case http.MethodPut:
		name, reference, _ := strings.Cut(key, "/manifests/")
		if reference != "" {
			for _, at := range []string{key, name + "/manifests/" + digest(body)} {
				r.kept[at], r.types[at] = body, req.Header.Get("Content-Type")
			}
			w.Header().Set("Docker-Content-Digest", digest(body))
			w.WriteHeader(http.StatusCreated)
			return
		}
		name, _, _ = strings.Cut(key, "/blobs/uploads/")
		data := append(bytes.Clone(r.kept[key]), body...)
		delete(r.kept, key)
		r.kept[name+"/blobs/"+digest(data)] = data
		w.Header().Set("Docker-Content-Digest", digest(data))
		w.WriteHeader(http.StatusCreated)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestTheDoctorPullsOnlyWhenItIsTold(t *testing.T) {
	var there atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("/api/version", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"version":"0.9.6"}`) })
	mux.HandleFunc("/api/ps", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"models":[]}`) })
	mux.HandleFunc("/api/tags", func(w http.ResponseWriter, _ *http.Request) {
		if there.Load() {
			fmt.Fprint(w, `{"models":[{"name":"tiny:latest","model":"tiny:latest","digest":"0123456789ab","size":1}]}`)
			return
		}
		fmt.Fprint(w, `{"models":[]}`)
	})
	mux.HandleFunc("/api/pull", func(w http.ResponseWriter, _ *http.Request) {
		there.Store(true)
		fmt.Fprintln(w, `{"status":"pulling 0123","digest":"sha256:0123","total":9000000,"completed":9000000}`)
		fmt.Fprintln(w, `{"status":"success"}`)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	doctor := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		a := testApp()
		a.stdout, a.stderr = &stdout, &stderr
		a.getenv = func(string) string { return "" }
		t.Chdir(t.TempDir())
		code := a.main(append([]string{"doctor", "--ollama", srv.URL, "--model", "tiny:latest"}, args...))
		return code, stdout.String(), stderr.String()
	}
	if code, out, _ := doctor(); code != exitPass || there.Load() || !strings.Contains(out, "-> ollama pull tiny:latest") {
		t.Errorf("exit code %d, pulled %v:\n%s", code, there.Load(), out)
	}
	code, out, told := doctor("--pull")
	if code != exitPass || !there.Load() || !strings.Contains(told, "gate: pulling tiny:latest") || !strings.Contains(told, srv.URL+" has tiny:latest") || strings.Contains(out, "ollama pull") {
		t.Errorf("exit code %d, pulled %v:\n%s\n%s", code, there.Load(), told, out)
	}
	srv.Close()
	if code, _, told := doctor("--pull"); code != exitIncomplete || !strings.Contains(told, "--pull: no Ollama server answers") {
		t.Errorf("exit code %d: %s", code, told)
	}
}

//go:build unix

package server_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate/lab/tinygguf"
	"github.com/aigate/gate/tools/ollama/server"
	"github.com/aigate/gate/tools/testenv"
)

// program finds a server program that is there already: building one takes
// minutes, which is `make test`'s business.
func program(t *testing.T) string {
	t.Helper()
	for _, bin := range []string{os.Getenv("GATE_OLLAMA_BIN"), filepath.Join("..", "..", "..", ".cache", "ollama", "bin", "ollama-"+server.Version)} {
		if _, err := os.Stat(bin); bin != "" && err == nil {
			return bin
		}
	}
	testenv.Missing(t, "no Ollama program", "go run ./tools/ollama up")
	return ""
}

func TestAServerStartsOnceAndStops(t *testing.T) {
	bin, dir := program(t), t.TempDir()
	first, err := server.Start(t.Context(), bin, dir, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	t.Cleanup(func() {
		if !stopped {
			if err := first.Stop(); err != nil {
				t.Error(err)
			}
		}
	})

	second, err := server.Start(t.Context(), bin, dir, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if second.PID != first.PID || second.URL != first.URL {
		t.Errorf("the second start gave %+v beside %+v", second, first)
	}

	base, err := url.Parse(first.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := api.NewClient(base, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}})
	list, err := client.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{tinygguf.JudgeName, tinygguf.RandomName} {
		has := func(m api.ListModelResponse) bool { return strings.TrimSuffix(m.Name, ":latest") == want }
		if !slices.ContainsFunc(list.Models, has) {
			t.Errorf("the server has no model %s: %+v", want, list.Models)
		}
	}
	if got := chat(t, client, "ab:7| GATE_EVIL"); !strings.Contains(got, `"line":7`) {
		t.Errorf("the judge answers %q, want line 7 named", got)
	}

	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	stopped = true
	if s, err := server.Running(t.Context(), dir); err == nil {
		t.Errorf("after Stop a server is found: %+v", s)
	}
	if _, err := client.Version(t.Context()); err == nil {
		t.Error("after Stop the server answers")
	}
}

func chat(t *testing.T, client *api.Client, text string) (answer string) {
	t.Helper()
	err := client.Chat(t.Context(), &api.ChatRequest{
		Model:    tinygguf.JudgeName,
		Messages: []api.Message{{Role: "user", Content: text}},
		Options:  map[string]any{"num_predict": 50},
	}, func(r api.ChatResponse) error {
		answer += r.Message.Content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestAnAddressThatOthersCanReachIsRefused(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:1", "localhost", "example.com:80", ""} {
		if s, err := server.Start(context.Background(), "/nonexistent", t.TempDir(), addr); err == nil {
			t.Errorf("%q: started %+v", addr, s)
		}
	}
}

func TestAProgramThatEndsAtOnceIsAnErrorThatNamesTheLog(t *testing.T) {
	_, err := server.Start(t.Context(), "/bin/false", t.TempDir(), "127.0.0.1:0")
	if err == nil || !strings.Contains(err.Error(), "server.log") {
		t.Errorf("error is %v", err)
	}
}

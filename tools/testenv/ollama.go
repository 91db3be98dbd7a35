package testenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// OllamaVar is the environment variable with the base URL of the Ollama server
// that tests use. `make test` sets it to the server that it has started, so that
// a server of the developer's own is left alone.
const OllamaVar = "GATE_TEST_OLLAMA"

// defaultOllama is where `go run ./tools/ollama up` leaves its server listening.
const defaultOllama = "http://127.0.0.1:11435"

// TinyModel is the model that a test server has to have: the hand-made one that
// answers the judge's JSON. It says nothing about the quality of detection.
const TinyModel = "gate-tiny-judge"

const (
	ollamaMend = "go run ./tools/ollama up"

	// answerTimeout bounds one question to the server, which it answers from memory.
	answerTimeout = time.Minute
)

// Ollama returns the base URL of a real Ollama server that has the tiny models,
// or ends the test with [Missing].
func Ollama(t testing.TB) string {
	t.Helper()
	base := os.Getenv(OllamaVar)
	if base == "" {
		base = defaultOllama
	}
	base = strings.TrimSuffix(base, "/")
	if err := hasTinyModels(t.Context(), base); err != nil {
		Missing(t, fmt.Sprintf("no Ollama server for tests at %s: %v", base, err), ollamaMend)
	}
	return base
}

func hasTinyModels(ctx context.Context, base string) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/tags", nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true} // nothing left for a leak detector to find
	res, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %s", res.Status)
	}
	type model struct {
		Name string `json:"name"`
	}
	var tags struct {
		Models []model `json:"models"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&tags); err != nil {
		return fmt.Errorf("read its list of models: %w", err)
	}
	tiny := func(m model) bool { return strings.TrimSuffix(m.Name, ":latest") == TinyModel }
	if !slices.ContainsFunc(tags.Models, tiny) {
		return errors.New("it has no model " + TinyModel)
	}
	return nil
}

// LlamaVar is the environment variable with the base URL, ending in /v1, of a server of
// llama.cpp that has the tiny model. `make test-llama` sets it.
const LlamaVar = "GATE_TEST_LLAMA"

// ModelServers returns the base URLs of the real model servers that have the tiny model, by
// name: Ollama, or the test ends with [Missing], and llama.cpp where [LlamaVar] names one.
func ModelServers(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{"Ollama": Ollama(t)}
	if base := os.Getenv(LlamaVar); base != "" {
		all["llama.cpp"] = base
	}
	return all
}

package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// HostStatus is what a configured host said about itself, for `gate doctor`.
type HostStatus struct {
	Host    string // base URL, without a password
	Version string
	// Compatible says that it is no Ollama: what it is, where its model is and which digest that
	// has, it does not say.
	Compatible bool
	Err        error         // why the host said nothing; the rest is unknown then
	Models     []ModelStatus // the configured ones, in order of preference
}

// ModelStatus is the state of one configured model on one host.
type ModelStatus struct {
	Name    string
	There   bool   // the host has it
	Digest  string // "" where the host does not say
	Bytes   int64  // on disk
	Loaded  bool
	Size    int64 // bytes of memory that a loaded model takes
	VRAM    int64 // of them in the memory of GPUs
	Offload int   // percent of a loaded model that the CPU computes
	Context int   // tokens of a loaded model; 0 where the server does not say
}

// Check asks every host what it is and what it has. It loads nothing and changes
// nothing, and takes some ten seconds at most.
func (j *Judge) Check(ctx context.Context) []HostStatus {
	out := make([]HostStatus, len(j.hosts))
	var wg sync.WaitGroup
	for i, h := range j.hosts {
		wg.Go(func() { out[i] = h.status(ctx, j.models) })
	}
	wg.Wait()
	return out
}

func (h *host) status(ctx context.Context, models []string) HostStatus {
	inv := h.look(ctx)
	st := HostStatus{Host: h.name, Version: inv.version, Err: inv.err}
	st.Compatible = h.compatible()
	if inv.err != nil {
		return st
	}
	for _, name := range models {
		m := ModelStatus{Name: name}
		if entry, ok := inv.find(name); ok {
			m.There, m.Digest, m.Bytes = true, entry.Digest, entry.Size
			loaded := h.running(ctx, name)
			m.Loaded = loaded.Model != "" || loaded.Name != ""
			m.Size, m.VRAM = loaded.Size, loaded.SizeVRAM
			m.Offload, m.Context = offload(loaded.Size, loaded.SizeVRAM), loaded.ContextLength
		}
		st.Models = append(st.Models, m)
	}
	return st
}

// Advice says what is wrong with a host and which command fixes it. Both are ""
// when the preferred model is there and runs on the GPU, as far as is known.
func (s HostStatus) Advice() (problem, command string) {
	has := func(m ModelStatus) bool { return m.There }
	switch {
	case s.Err != nil && s.Compatible:
		return fmt.Sprintf("no server answers at %s: %s", s.Host, plain(s.Err.Error())), "llama-server -m MODEL.gguf -a NAME -c 16384"
	case s.Compatible && !has(s.Models[0]):
		return fmt.Sprintf("%s has no %s", s.Host, s.Models[0].Name), "start the server with it under this name (-a of llama.cpp, --served-model-name of vLLM), or name what it has: curl " + s.Host + "/models"
	case s.Err != nil:
		return fmt.Sprintf("no Ollama server answers at %s: %s", s.Host, plain(s.Err.Error())), "ollama serve"
	case !slices.ContainsFunc(s.Models, has):
		return fmt.Sprintf("%s has no model to judge with", s.Host), "ollama pull " + s.Models[0].Name
	case !has(s.Models[0]):
		return fmt.Sprintf("%s has no %s, so a smaller model judges", s.Host, s.Models[0].Name), "ollama pull " + s.Models[0].Name
	case s.Models[0].Offload > 0:
		return fmt.Sprintf("%d %% of %s runs on the CPU, which is slow", s.Models[0].Offload, s.Models[0].Name), "ollama ps"
	}
	return "", ""
}

// offload returns how many percent of a loaded model are not in GPU memory.
func offload(size, vram int64) int {
	if size <= 0 || vram >= size {
		return 0
	}
	return max(1, int(100-100*float64(max(vram, 0))/float64(size)))
}

// describe says in one line what judges, for progress reports.
func (s *session) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s", s.model, s.host)
	if s.offload > 0 {
		fmt.Fprintf(&b, ", %d %% of it on the CPU", s.offload)
	}
	return b.String()
}

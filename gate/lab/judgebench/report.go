package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is what was measured.
type report struct {
	machine, model, server, loaded string
	options                        settings
	load                           time.Duration
	cold, warm                     []sample
	parallel                       []row
}

// row is one number of parallel reviews.
type row struct {
	n       int
	took    time.Duration
	samples []sample
}

// machine names the GPU, or the processor where there is none.
func machine(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader").Output()
	if name := strings.Join(strings.Fields(string(out)), " "); err == nil && name != "" {
		return name
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if rest, ok := strings.CutPrefix(line, "model name"); ok {
				return fmt.Sprintf("no GPU; %d × %s", runtime.NumCPU(), strings.TrimSpace(strings.TrimLeft(rest, " \t:")))
			}
		}
	}
	return fmt.Sprintf("no GPU; %d processors (%s)", runtime.NumCPU(), runtime.GOARCH)
}

func (r report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, Ollama %s, model `%s` (%s), context %d, answers of %d tokens.\n\n",
		r.machine, r.server, r.model, r.loaded, r.options.context, r.options.answer)
	fmt.Fprintf(&b, "| | p50 | p95 |\n|---|---|---|\n")
	fmt.Fprintf(&b, "| a review, nothing shared with others | %s | %s |\n", seconds(took(r.cold, 50)), seconds(took(r.cold, 95)))
	fmt.Fprintf(&b, "| a review that shares the instructions | %s | %s |\n\n", seconds(took(r.warm, 50)), seconds(took(r.warm, 95)))
	read, write := rates(r.cold)
	fmt.Fprintf(&b, "Loading the model took %s. %.0f tokens a second are read, %.1f written. ", seconds(r.load), read, write)
	if gain := prefixGain(r.cold, r.warm); gain > 0 {
		fmt.Fprintf(&b, "Shared instructions make reading the prompt %.1f × as fast.\n\n", gain)
	} else {
		fmt.Fprint(&b, "What shared instructions save can't be told: the server gives no times.\n\n")
	}
	fmt.Fprintf(&b, "| At a time | reviews a minute | p50 | p95 | tokens a second written |\n|---|---|---|---|---|\n")
	for _, p := range r.parallel {
		tokens := 0
		for _, s := range p.samples {
			tokens += s.answer
		}
		fmt.Fprintf(&b, "| %d | %.1f | %s | %s | %.1f |\n", p.n, float64(len(p.samples))/p.took.Minutes(),
			seconds(took(p.samples, 50)), seconds(took(p.samples, 95)), float64(tokens)/p.took.Seconds())
	}
	return b.String()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// took is a percentile of how long reviews took, 0 for none.
func took(all []sample, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	var times []time.Duration
	for _, s := range all {
		times = append(times, s.took)
	}
	slices.Sort(times)
	return times[min(len(times)-1, len(times)*percent/100)]
}

// rates are the tokens that are read and written a second.
func rates(all []sample) (read, write float64) {
	var prompt, answer int
	var reading, writing time.Duration
	for _, s := range all {
		prompt, answer = prompt+s.prompt, answer+s.answer
		reading, writing = reading+s.read, writing+s.write
	}
	if reading > 0 {
		read = float64(prompt) / reading.Seconds()
	}
	if writing > 0 {
		write = float64(answer) / writing.Seconds()
	}
	return read, write
}

// prefixGain is how much faster a prompt is read whose beginning is known, 0 where
// the server doesn't say.
func prefixGain(cold, warm []sample) float64 {
	middle := func(all []sample) time.Duration {
		var times []time.Duration
		for _, s := range all {
			times = append(times, s.read)
		}
		slices.Sort(times)
		if len(times) == 0 {
			return 0
		}
		return times[len(times)/2]
	}
	c, w := middle(cold), middle(warm)
	if c <= 0 || w <= 0 {
		return 0
	}
	return float64(c) / float64(w)
}

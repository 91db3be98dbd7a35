//go:build unix

package judge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/tools/testenv"
)

// recorder keeps the bodies of all chats.
type recorder struct {
	next http.RoundTripper
	mu   sync.Mutex
	sent [][]byte
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "/api/chat" {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		r.sent = append(r.sent, body)
		r.mu.Unlock()
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	return r.next.RoundTrip(req)
}

// noisy lets a model of random weights pass for one that answers: the server reads every
// prompt and writes as many tokens as an answer has, and the words of the answer are
// replaced. What a review costs stays what it is.
type noisy struct {
	next http.RoundTripper
}

// answerTokens are what an answer about a harmless file takes with Qwen's vocabulary.
const answerTokens = 40

func (n noisy) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path != "/api/chat" {
		return n.next.RoundTrip(req)
	}
	var chat map[string]any
	if err := json.NewDecoder(req.Body).Decode(&chat); err != nil {
		return nil, err
	}
	if err := req.Body.Close(); err != nil {
		return nil, err
	}
	if settings, ok := chat["options"].(map[string]any); ok {
		settings["num_predict"] = answerTokens
		settings["temperature"] = 1 // noise that takes the likeliest token repeats one, and Ollama ends such an answer
	}
	body, err := json.Marshal(chat)
	if err != nil {
		return nil, err
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res, err := n.next.RoundTrip(req)
	if err != nil || res.StatusCode != http.StatusOK {
		return res, err
	}
	defer res.Body.Close()
	var last map[string]any
	for d := json.NewDecoder(res.Body); ; {
		var line map[string]any
		if err := d.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		last = line
	}
	if last["done"] != true {
		return nil, fmt.Errorf("the answer has no end: %v", last)
	}
	last["done_reason"], last["message"] = "stop", map[string]string{"role": "assistant", "content": safe}
	if body, err = json.Marshal(last); err != nil {
		return nil, err
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(append(body, '\n'))), -1
	return res, nil
}

// benchModel names a model of random weights, such as one that judgebench left on the
// server with -keep. Without it the tiny model judges.
const benchModel = "GATE_BENCH_MODEL"

// noiseContext holds gate's instructions in a vocabulary whose tokens are single bytes.
const noiseContext = 16384

// ordinary is a file of some lines; another number is another file of equal length.
func ordinary(n int) map[string]string {
	return map[string]string{"a.py": strings.Repeat(fmt.Sprintf("value_%d = compute(%d)\n", n, n), 8)}
}

// BenchmarkOverhead compares files that gate has judged with bare requests like those
// that it sends, to the same server: in turns, one by one and four at a time. Medians
// of single files and requests, because other work on the machine comes in gusts.
func BenchmarkOverhead(b *testing.B) {
	live, noise := os.Getenv(testenv.OllamaVar), os.Getenv(benchModel)
	if noise == "" {
		live = testenv.Ollama(b)
	}
	const files = 12
	for _, parallel := range []int{1, 4} {
		b.Run(fmt.Sprintf("%d at a time", parallel), func(b *testing.B) {
			o := options(b, live)
			o.Concurrency = parallel
			sent := &recorder{next: o.HTTPClient.Transport}
			if noise != "" {
				o.Policy.Model, o.ContextTokens = noise, noiseContext
				sent.next = noisy{sent.next}
			}
			o.HTTPClient.Transport = sent
			j := newJudge(b, o)
			judged := func(n int) error {
				c := change(ordinary(n))
				out, err := j.Run(b.Context(), c, gate.NewFindings(c.Targets, nil))
				if err == nil && (len(out.Judgements) != 1 || len(out.Incomplete) > 0) {
					err = fmt.Errorf("judged %v with gaps %v", out.Judgements, out.Incomplete)
				}
				return err
			}
			var bodies [][]byte // of other files than those that are judged
			for n := range files {
				sent.sent = nil
				if err := judged(100 + n); err != nil {
					b.Fatal(err)
				}
				bodies = append(bodies, sent.sent[len(sent.sent)-1])
			}
			plain := &http.Client{Transport: sent.next}
			var mu sync.Mutex
			var ours, bare []float64
			timed := func(to *[]float64, what func() error) error {
				begin := time.Now()
				err := what()
				took := time.Since(begin)
				mu.Lock()
				defer mu.Unlock()
				*to = append(*to, float64(took)/float64(time.Millisecond))
				return err
			}
			for b.Loop() {
				err := gate.ForEach(b.Context(), parallel, 2*files, func(_ context.Context, i int) error {
					if i%2 == 0 {
						return timed(&bare, func() error { return post(plain, live, bodies[i/2]) })
					}
					return timed(&ours, func() error { return judged(200 + i/2) })
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(median(ours)/median(bare), "gate/bare")
			b.ReportMetric(median(bare), "bare-ms")
			b.ReportMetric(median(ours), "gate-ms")
		})
	}
}

// post sends a request as plainly as can be and reads the answer.
func post(client *http.Client, live string, body []byte) error {
	res, err := client.Post(live+"/api/chat", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", res.Status)
	}
	return nil
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// BenchmarkOwnWork is what gate does for a file besides waiting for the model: the
// server answers at once, in this very process, and its work counts, too.
func BenchmarkOwnWork(b *testing.B) {
	server := &fake{models: []string{big}, chat: saySafe}
	j, err := judge.New(fakeOptions(b, network{"one": server}, "one"))
	if err != nil {
		b.Fatal(err)
	}
	c := change(ordinary(1))
	begin := processor(b)
	for b.Loop() {
		if _, err := j.Run(b.Context(), c, gate.NewFindings(c.Targets, nil)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processor(b)-begin)/float64(time.Millisecond)/float64(b.N), "cpu-ms/file")
}

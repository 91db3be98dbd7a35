// Command judgebench measures what reviews cost on a machine: latency, tokens a second,
// what the prefix cache saves, and how far parallel reviews go.
//
//	go run ./gate/lab/judgebench -shape 14b                     # weights of noise, written here
//	go run ./gate/lab/judgebench -model qwen2.5-coder:14b       # a model that the server has
//	go run ./gate/lab/judgebench -shape small -reviews 4        # a try on a processor
//
// The server is the one of -host. A shape is written as a GGUF file into -dir
// (8.3 GB for 14b), given to the server and removed again, unless -keep is given.
// The table goes to standard output as Markdown, everything else to standard
// error. Exit codes: 0 measured, 1 not, 2 wrong usage.
//
// Weights of noise cost a server what trained ones of the same shape cost, token
// by token, and say nothing about how well a model judges.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate/lab/tinygguf"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with its inputs as arguments; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, host, err := options(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "judgebench:", err)
		return 2
	}
	b := &bench{options: o, client: api.NewClient(host, http.DefaultClient), log: stderr}
	table, err := b.run(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "judgebench:", err)
		return 1
	}
	fmt.Fprint(stdout, table)
	return 0
}

// settings say what is measured.
type settings struct {
	shape, model, dir string
	keep              bool
	reviews           int   // of each kind
	parallel          []int // how many at a time
	context           int   // tokens
	answer            int   // tokens of an answer
	prompt            int   // tokens of a prompt, about
}

func options(args []string, stderr io.Writer) (settings, *url.URL, error) {
	var o settings
	flags := flag.NewFlagSet("judgebench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	host := flags.String("host", "http://127.0.0.1:11434", "`URL` of the Ollama server")
	names := strings.Join(slices.Sorted(maps.Keys(tinygguf.Shapes())), ", ")
	flags.StringVar(&o.shape, "shape", "", "write a model of that `shape` with random weights: "+names)
	flags.StringVar(&o.model, "model", "", "`name` of a model that the server has")
	flags.StringVar(&o.dir, "dir", os.TempDir(), "`folder` for the file of a shape")
	flags.BoolVar(&o.keep, "keep", false, "leave the model of a shape on the server")
	flags.IntVar(&o.reviews, "reviews", 12, "reviews of each `kind`")
	flags.IntVar(&o.context, "context", 8192, "context in `tokens`")
	flags.IntVar(&o.answer, "answer", 120, "`tokens` of an answer")
	flags.IntVar(&o.prompt, "prompt", 2000, "`tokens` of a prompt, about: a third instructions, the rest code")
	parallel := flags.String("parallel", "1,2,4,8", "how many reviews at a time, a `list`")
	if err := flags.Parse(args); err != nil {
		return o, nil, err
	}
	for part := range strings.SplitSeq(*parallel, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > 64 {
			return o, nil, fmt.Errorf("-parallel must be numbers from 1 to 64 with commas between, not %q", *parallel)
		}
		o.parallel = append(o.parallel, n)
	}
	u, err := url.Parse(*host)
	switch {
	case err != nil || u.Host == "":
		return o, nil, fmt.Errorf("-host must be a URL such as http://127.0.0.1:11434, not %q", *host)
	case (o.shape == "") == (o.model == ""):
		return o, nil, fmt.Errorf("give either -shape (one of %s) or -model", names)
	case o.shape != "" && tinygguf.Shapes()[o.shape].Width == 0:
		return o, nil, fmt.Errorf("unknown shape %q (allowed: %s)", o.shape, names)
	case o.reviews < 1 || o.reviews > 1000 || o.answer < 1 || o.answer > 4096 || o.prompt < 100 || o.context < o.prompt+o.answer+256:
		return o, nil, errors.New("-reviews must be 1 to 1000, -answer 1 to 4096, -prompt at least 100, and -context must hold prompt, answer and 256 tokens")
	}
	return o, u, nil
}

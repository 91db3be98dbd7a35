//go:build unix

// Command ollama runs a real Ollama server with tiny models for gate's tests.
//
//	go run ./tools/ollama up              # build once, start, print the URL
//	go run ./tools/ollama down            # stop it
//	go run ./tools/ollama model -o FILE   # write a tiny model as a GGUF file
//
// Package ollama/server does the work, for tests as well.
//
// GATE_OLLAMA_BIN, or -bin, names a server program to use instead of building one.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/aigate/gate/gate/lab/tinygguf"
	"github.com/aigate/gate/tools/ollama/server"
)

// defaultAddr is where tests look for the server (tools/testenv). It is not
// Ollama's own port, so that a server of the developer's own is left alone.
const defaultAddr = "127.0.0.1:11435"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "ollama:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("want a command: up, down or model")
	}
	flags := flag.NewFlagSet("ollama "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("dir", ".cache/ollama", "folder of the program, the models, the log and the state")
	switch args[0] {
	case "up":
		addr := flags.String("addr", defaultAddr, "loopback address to listen on; port 0 picks a free one")
		bin := flags.String("bin", os.Getenv("GATE_OLLAMA_BIN"), "server program to use instead of building one")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return up(ctx, *bin, *dir, *addr, stdout, stderr)
	case "down":
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		s, err := server.Running(ctx, *dir)
		if err != nil {
			fmt.Fprintln(stderr, "nothing to stop:", err)
			return nil
		}
		return s.Stop()
	case "model":
		kind := flags.String("kind", "judge", "judge or random")
		out := flags.String("o", "", "file to write")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return writeModel(*kind, *out)
	default:
		return fmt.Errorf("unknown command %q: want up, down or model", args[0])
	}
}

func up(ctx context.Context, bin, dir, addr string, stdout, stderr io.Writer) error {
	if bin == "" {
		var err error
		if bin, err = server.Build(ctx, dir, stderr); err != nil {
			return err
		}
	}
	s, err := server.Start(ctx, bin, dir, addr)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, s.URL)
	return err
}

func writeModel(kind, path string) (err error) {
	var model tinygguf.Model
	switch kind {
	case "judge":
		model = tinygguf.Judge()
	case "random":
		model = tinygguf.Random(1)
	default:
		return fmt.Errorf("unknown kind of model %q: want judge or random", kind)
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	if _, err := model.WriteTo(f); err != nil {
		f.Close()
		return fmt.Errorf("write model %s: %w", path, err)
	}
	return f.Close()
}

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate/lab/tinygguf"
)

// create writes a model of the shape and gives it to the server, unless it has it.
func (b *bench) create(ctx context.Context) (name string, err error) {
	shape := tinygguf.Shapes()[b.options.shape]
	name = "gate-bench-" + b.options.shape
	if has, err := b.has(ctx, name); err != nil || has {
		return name, err
	}
	file, err := os.CreateTemp(b.options.dir, name+"-*.gguf")
	if err != nil {
		return "", fmt.Errorf("write the model (-dir names a folder with room for it): %w", err)
	}
	defer func() {
		err = errors.Join(err, file.Close(), os.Remove(file.Name()))
	}()
	fmt.Fprintf(b.log, "writing %.1f GB to %s\n", float64(shape.Size())/1e9, file.Name())
	sum := sha256.New()
	if err := shape.Write(io.MultiWriter(file, sum), 1); err != nil {
		return "", fmt.Errorf("write the model (-dir names a folder with room for it): %w", err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	fmt.Fprintln(b.log, "giving it to the server")
	digest := fmt.Sprintf("sha256:%x", sum.Sum(nil))
	if err := b.client.CreateBlob(ctx, digest, struct{ io.Reader }{file}); err != nil {
		return "", fmt.Errorf("give the model to the server: %w", err)
	}
	last := ""
	err = b.client.Create(ctx, &api.CreateRequest{
		Model: name, Files: map[string]string{name + ".gguf": digest}, Template: tinygguf.Template,
	}, func(p api.ProgressResponse) error {
		last = p.Status
		return nil
	})
	if err == nil && last != "success" {
		err = fmt.Errorf("the server stopped at %q", last)
	}
	if err != nil {
		return "", fmt.Errorf("create %s: %w", name, err)
	}
	return name, nil
}

// has reports whether the server has a model already, as after a run with -keep.
func (b *bench) has(ctx context.Context, name string) (bool, error) {
	list, err := b.client.List(ctx)
	if err != nil {
		return false, fmt.Errorf("list the server's models: %w", err)
	}
	return slices.ContainsFunc(list.Models, func(m api.ListModelResponse) bool {
		return m.Name == name || m.Name == name+":latest"
	}), nil
}

// remove takes the model off the server again, also after an interrupt.
func (b *bench) remove(name string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := b.client.Delete(ctx, &api.DeleteRequest{Model: name}); err != nil {
		fmt.Fprintf(b.log, "the model %s is still on the server: %v\n", name, err)
	}
}

// loaded says how much of the model is in the memory of a GPU.
func (b *bench) loaded(ctx context.Context, name string) string {
	running, err := b.client.ListRunning(ctx)
	if err != nil {
		return "unknown"
	}
	for _, m := range running.Models {
		if (m.Name == name || m.Name == name+":latest") && m.Size > 0 {
			return fmt.Sprintf("%.1f GB, %d %% of it in GPU memory", float64(m.Size)/1e9, m.SizeVRAM*100/m.Size)
		}
	}
	return "unknown"
}

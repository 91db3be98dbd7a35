//go:build unix

package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate/lab/tinygguf"
)

// createModels gives the server the tiny models. Models that are there already
// are written again, which takes a tenth of a second and heals a broken folder.
func createModels(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return fmt.Errorf("create models: %w", err)
	}
	client := api.NewClient(u, http.DefaultClient)
	for name, model := range map[string]tinygguf.Model{
		tinygguf.JudgeName:  tinygguf.Judge(),
		tinygguf.RandomName: tinygguf.Random(1),
	} {
		if err := createModel(ctx, client, name, model); err != nil {
			return fmt.Errorf("create model %s: %w", name, err)
		}
	}
	return nil
}

func createModel(ctx context.Context, client *api.Client, name string, model tinygguf.Model) error {
	var file bytes.Buffer
	if _, err := model.WriteTo(&file); err != nil {
		return err
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(file.Bytes()))
	if err := client.CreateBlob(ctx, digest, &file); err != nil {
		return err
	}
	last := ""
	err := client.Create(ctx, &api.CreateRequest{
		Model:      name,
		Files:      map[string]string{name + ".gguf": digest},
		Template:   tinygguf.Template,
		Parameters: tinygguf.Parameters(),
	}, func(p api.ProgressResponse) error {
		last = p.Status
		return nil
	})
	if err == nil && last != "success" {
		return fmt.Errorf("the server stopped at %q", last)
	}
	return err
}

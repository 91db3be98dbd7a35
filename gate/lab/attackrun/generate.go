package attackrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/lab/attack"
)

// generate lets the judge's model write attacks.
func generate(ctx context.Context, p Process, o *Options, policy gate.JudgePolicy) (attack.Suite, []string, error) {
	j, err := engine.NewJudge(judge.Options{Policy: policy})
	if err != nil {
		return nil, nil, err
	}
	done := 0
	ask := func(ctx context.Context, system, question string, schema json.RawMessage, seed int) (string, error) {
		if done++; p.Progress != nil {
			p.Engine.Noticef("the model writes attack %d of %d", done, o.Generate)
		}
		return j.Ask(ctx, system, question, schema, seed)
	}
	suite, rejected, err := attack.Generate(ctx, ask, o.Generate, o.Filter)
	if err != nil {
		if _, ok := errors.AsType[*gate.Unavailable](err); ok || ctx.Err() != nil {
			return nil, nil, exit.Failed(fmt.Errorf("let a model write attacks: %w", err))
		}
		return nil, nil, exit.Usagef("--generate: %w", err)
	}
	if len(suite) == 0 {
		return nil, nil, exit.Failed(fmt.Errorf("the model wrote no attack that can be used; the first: %s", rejected[0]))
	}
	if o.Keep == "" {
		return suite, rejected, nil
	}
	if err := keep(suite, o.Keep); err != nil {
		return nil, nil, exit.Failed(fmt.Errorf("--keep: %w", err))
	}
	return suite, rejected, nil
}

// keep writes attacks as samples. The programs in it are not executable, so that none is
// started by mistake.
func keep(suite attack.Suite, dir string) error {
	files, err := suite.Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return root.MkdirAll(filepath.FromSlash(path), 0o755)
		}
		return root.WriteFile(filepath.FromSlash(path), files[path].Data, 0o644)
	})
}

package attackrun

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/attack"
)

// suite is what is attacked with: nothing where only probes are asked for.
func (o *Options) suite() (attack.Suite, error) {
	if o.Probes {
		o.Engine.Layers = []string{string(gate.LayerSandbox)}
		return nil, nil
	}
	suite, err := OpenSamples(o.Samples)
	if err != nil {
		return nil, err
	}
	return suite.Select(o.Filter)
}

// OpenSamples reads the samples in a folder, or with "" those of the checkout that the
// current folder is in.
func OpenSamples(dir string) (attack.Suite, error) {
	if dir == "" {
		var err error
		if dir, err = findSamples(); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return attack.Load(root.FS(), filepath.ToSlash(fromHere(dir)))
}

func findSamples() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		dir := filepath.Join(here, SamplesFolder)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
		up := filepath.Dir(here)
		if up == here {
			return "", fmt.Errorf("there is no %s here or above; clone gate at the version of this program, or name the folder: gate attack DIR", SamplesFolder)
		}
		here = up
	}
}

// fromHere shortens a path for messages.
func fromHere(dir string) string {
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, dir); err == nil {
			return rel
		}
	}
	return dir
}

package images

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/aigate/gate/sandbox/images/relay"
)

// installInput is the tar that the container gets: the plan, the lock files, and the
// installers' settings. There is no secret in it.
func installInput(d Dependencies, o DependencyOptions, authority []byte) ([]byte, error) {
	return inputTar(func(add func(string, []byte) error) error {
		errs := []error{add(relay.Environment, o.Settings.environment()), add(relay.Authority, authority)}
		if !o.AsOf.IsZero() {
			errs = append(errs, add("as-of", []byte(o.AsOf.UTC().Format(time.RFC3339))))
		}
		if o.Scripts {
			errs = append(errs, add("scripts", nil))
		}
		if d.Interpreter != "" {
			errs = append(errs, add("interpreter", []byte(d.Interpreter)))
		}
		if d.Bun {
			errs = append(errs, add("bun", nil))
		}
		for _, name := range sortedPaths(o.Settings.Files) {
			errs = append(errs, add(path.Join("home", name), o.Settings.Files[name]))
		}
		for i, p := range d.Projects {
			if strings.ContainsAny(p.Dir, "\t\n\r\x00") {
				return fmt.Errorf("the folder %q has a name that cannot be handed on", p.Dir)
			}
			into := path.Join("tree", strconv.Itoa(i))
			if d.Language == "go" { // modules refer to each other by path
				into = path.Join("tree/0", p.Dir)
			}
			for _, name := range sortedPaths(p.Files) {
				errs = append(errs, add(path.Join(into, name), p.Files[name]))
			}
		}
		return errors.Join(append(errs, add("plan", planOf(d)))...)
	})
}

// planOf names the projects, a line each.
func planOf(d Dependencies) []byte {
	var plan []byte
	for i, p := range d.Projects {
		plan = fmt.Appendf(plan, "%d\t%s\t%s\n", i, p.Kind, p.Dir)
	}
	return plan
}

// inputTar is a tar with what fill adds.
func inputTar(fill func(add func(name string, data []byte) error) error) ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	err := fill(func(name string, data []byte) error {
		h := &tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := w.Write(data)
		return err
	})
	return buf.Bytes(), errors.Join(err, w.Close())
}

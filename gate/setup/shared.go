package setup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/aigate/gate/gate/bounded"
)

// The settings in the home folder hold for every project, and are written once: for the first
// repository that is set up. Others note that they use them, so that they stay until the last of
// these takes them back.

// use notes which files of the home folder have what this repository needs already, because they
// were written for another one. What people wrote themselves is not noted, so it is never taken back.
func (r *Record) use(edits []Edit) error {
	var uses []string
	for _, e := range edits {
		if e.In == InHome && e.There() && !slices.Contains(r.Uses, e.Path) && !r.wrote(e.Path) {
			uses = append(uses, e.Path)
		}
	}
	if len(uses) == 0 {
		return nil
	}
	others, err := r.others()
	if err != nil {
		return err
	}
	uses = slices.DeleteFunc(uses, func(name string) bool {
		return !slices.ContainsFunc(others, func(o *Record) bool { return o.wrote(name) })
	})
	if len(uses) == 0 {
		return nil
	}
	r.Uses = append(r.Uses, uses...)
	return r.save()
}

// wrote reports whether a file of the home folder was written for the repository.
func (r *Record) wrote(name string) bool {
	return slices.ContainsFunc(r.Edits, func(e Edit) bool { return e.In == InHome && e.Path == name })
}

// maxRecords is how many repositories are looked at for who uses a file.
const maxRecords = 10_000

// others are the records of other repositories that are still there. One that can't be read
// counts as if it used nothing.
func (r *Record) others() ([]*Record, error) {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(r.file), "*.json"))
	if err != nil {
		return nil, fmt.Errorf("look for other repositories: %w", err)
	}
	var out []*Record
	for _, file := range files[:min(len(files), maxRecords)] {
		if file == r.file {
			continue
		}
		data, err := bounded.ReadPath(file, maxRecord)
		var head struct {
			Root string `json:"root"`
		}
		if err != nil || json.Unmarshal(data, &head) != nil {
			continue
		}
		o, err := OpenRecord(filepath.Dir(r.file), head.Root)
		if err != nil || o.file != file {
			continue
		}
		if _, err := os.Stat(o.Root); err == nil {
			out = append(out, o)
		}
	}
	return out, nil
}

// handOver gives an edit of the home folder to another repository that uses it, and returns
// which; "" is none. The edit is in the other record before it leaves this one.
func (r *Record) handOver(e Edit) (string, error) {
	if e.In != InHome {
		return "", nil
	}
	others, err := r.others()
	if err != nil {
		return "", err
	}
	for _, o := range others {
		i := slices.Index(o.Uses, e.Path)
		if i < 0 {
			continue
		}
		o.Uses = slices.Delete(o.Uses, i, i+1)
		o.Edits = slices.Insert(o.Edits, 0, e) // the last is handed over first
		return o.Root, o.save()
	}
	return "", nil
}

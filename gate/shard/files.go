package shard

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aigate/gate/gate/bounded"
)

// MaxBytes bounds all results of one merge together.
const MaxBytes = 256 << 20

// File is the file of one shard.
type File struct {
	Name string
	Data []byte
}

// ReadFiles reads the named files; a folder is the .json files in it.
func ReadFiles(args []string) ([]File, error) {
	names, err := names(args)
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0:
		return nil, fmt.Errorf("there is no result (*.json) in %q: no shard has left one", args)
	case len(names) > Max:
		return nil, fmt.Errorf("%d results; a run has %d shards at most", len(names), Max)
	}
	room := int64(MaxBytes)
	var files []File
	for _, name := range names {
		data, err := bounded.ReadPath(name, room)
		if bounded.IsTooLarge(err) {
			return nil, fmt.Errorf("%s: the results have more than %d MiB together", name, MaxBytes>>20)
		}
		if err != nil {
			return nil, err
		}
		room -= int64(len(data))
		files = append(files, File{name, data})
	}
	return files, nil
}

func names(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			names = append(names, arg)
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && filepath.Ext(e.Name()) == ".json" {
				names = append(names, filepath.Join(arg, e.Name()))
			}
		}
	}
	return names, nil
}

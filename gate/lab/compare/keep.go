package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// kept is what one tool said about one corpus. Other tools take minutes, and
// say the same about the same files for as long as their version is the same.
type kept struct {
	Issues  []issue `json:"issues"`
	Seconds float64 `json:"seconds"`
}

// ask runs a tool, or takes what it said about exactly these files.
func (t table) ask(ctx context.Context, u *used, j job) (kept, error) {
	name := ""
	if t.kept != "" {
		sum, err := j.digest()
		if err != nil {
			return kept{}, err
		}
		name = filepath.Join(t.kept, fmt.Sprintf("%s-%s-%.16s.json", u.name, u.number, sum))
		var k kept
		err = decodeFile(name, &k)
		if err == nil {
			return k, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return kept{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	begin := time.Now()
	issues, err := u.run(ctx, j)
	if err != nil {
		return kept{}, err
	}
	k := kept{issues, time.Since(begin).Seconds()}
	if name == "" {
		return k, nil
	}
	data, err := json.Marshal(k)
	if err != nil {
		return kept{}, err
	}
	return k, put(name, data)
}

// digest is that of all files of a job, with their names.
func (j job) digest() (string, error) {
	sum := sha256.New()
	err := j.eachFile(func(rel string, data []byte) {
		fmt.Fprintf(sum, "%q %d\n", filepath.ToSlash(rel), len(data))
		sum.Write(data)
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

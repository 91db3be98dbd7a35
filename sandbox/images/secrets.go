package images

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Secrets are values that no output and no image may hold, by what they are called.
type Secrets map[string]string

// minSecret is the shortest value that is looked for, in bytes: a shorter one would
// be found everywhere and says nothing.
const minSecret = 6

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// check refuses what could not be handed on as it is.
func (s Settings) check() error {
	for name, value := range s.Env {
		if !envName.MatchString(name) || strings.ContainsRune(value, 0) {
			return fmt.Errorf("%q is no environment variable that can be handed on", name)
		}
	}
	for name := range s.Files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%q is no path in a home folder", name)
		}
	}
	return nil
}

// environment is the file that the relay reads the variables from.
func (s Settings) environment() []byte {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		b.WriteString(name + "=" + s.Env[name] + "\x00")
	}
	return []byte(b.String())
}

// values are those that are long enough to be looked for.
func (s Secrets) values() map[string]string {
	out := map[string]string{}
	for name, value := range s {
		if len(value) >= minSecret {
			out[name] = value
		}
	}
	return out
}

// forms are the ways in which a value may be written.
func forms(value string) []string {
	all := []string{value, url.QueryEscape(value), url.PathEscape(value), base64.StdEncoding.EncodeToString([]byte(value)), base64.URLEncoding.EncodeToString([]byte(value))}
	slices.Sort(all)
	return slices.Compact(all)
}

// redact puts dots in the place of every secret.
func (s Secrets) redact(text string) string {
	for _, value := range s.values() {
		for _, f := range forms(value) {
			text = strings.ReplaceAll(text, f, "•••")
		}
	}
	return text
}

// copy copies and returns the name of the first secret that is in what it copies,
// or in the text beside it.
func (s Secrets) copy(w io.Writer, r io.Reader, beside string) (found string, err error) {
	values := s.values()
	if len(values) == 0 {
		_, err := io.Copy(w, r)
		return "", err
	}
	longest := 0
	type wanted struct {
		name string
		form []byte
	}
	var all []wanted
	for name, value := range values {
		for _, f := range forms(value) {
			all = append(all, wanted{name, []byte(f)})
			longest = max(longest, len(f))
		}
	}
	window := []byte(beside)
	buf := make([]byte, 256<<10)
	for {
		for _, x := range all {
			if bytes.Contains(window, x.form) {
				return x.name, nil
			}
		}
		n, err := r.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return "", err
			}
			window = append(slices.Clone(window[max(0, len(window)-longest):]), buf[:n]...)
			continue
		}
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
	}
}

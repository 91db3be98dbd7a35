package images

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Secrets are what installers need to reach private registries.
type Secrets struct {
	Env   map[string]string // environment variables
	Files map[string][]byte // by path in the home folder, such as ".netrc"
}

// minSecret is the shortest value that is looked for, in bytes: a shorter one would
// be found everywhere and says nothing.
const minSecret = 6

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// check refuses what could not be handed on as it is.
func (s Secrets) check() error {
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

// values are what must not be seen anywhere, by what they are called.
func (s Secrets) values() map[string]string {
	out := map[string]string{}
	add := func(name, value string) {
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if u, err := url.Parse(value); err == nil && u.Scheme != "" && u.Host != "" {
			// The address of a registry is none; a password in it is.
			if value, _ = u.User.Password(); value == "" {
				value = u.User.Username()
			}
		}
		if len(value) >= minSecret && !strings.Contains(value, "${") {
			out[name] = value
		}
	}
	for name, value := range s.Env {
		add(name, value)
	}
	for name, data := range s.Files {
		for i, word := range secretWords(string(data)) {
			add(fmt.Sprintf("%s (%d)", name, i+1), word)
		}
	}
	return out
}

// secretWords are the words of a settings file that follow a password's name, and
// every address with a password.
func secretWords(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "#"):
			continue
		case strings.HasSuffix(key, "token") || strings.HasSuffix(key, "_auth") || strings.HasSuffix(key, "password"):
			out = append(out, value)
		}
		words := strings.Fields(strings.ReplaceAll(line, "=", " "))
		for i, w := range words {
			if w == "password" && i+1 < len(words) {
				out = append(out, words[i+1])
			}
			if u, err := url.Parse(w); err == nil && u.User != nil {
				out = append(out, w)
			}
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

// shell is a file that a shell reads the environment from.
func (s Secrets) shell() []byte {
	var b strings.Builder
	for name, value := range s.Env {
		fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	return []byte(b.String())
}

package wheels

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/therootcompany/xz"
)

// The bounds of what is read from a mirror.
const (
	maxList    = 256 << 20 // bytes of a list of packages, expanded
	maxPackage = 64 << 20  // bytes of a package
)

// Package is one package of Debian, as the list of its suite has it.
type Package struct {
	Name string
	URL  string
	// SHA256 is the sum of the file, in hexadecimal digits.
	SHA256 string
}

// List reads which packages named python3-* a suite has, for example bookworm, from
// a mirror such as https://deb.debian.org/debian.
func List(ctx context.Context, client *http.Client, mirror, suite, arch string) ([]Package, error) {
	mirror = strings.TrimSuffix(mirror, "/")
	body, err := get(ctx, client, fmt.Sprintf("%s/dists/%s/main/binary-%s/Packages.xz", mirror, suite, arch))
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	plain, err := xz.NewReader(body, xz.DefaultDictMax)
	if err != nil {
		return nil, fmt.Errorf("the list of packages of %s: %w", suite, err)
	}
	return parse(io.LimitReader(plain, maxList), mirror)
}

// parse reads paragraphs of "Key: value" lines with empty lines between them. See
// deb-control(5).
func parse(r io.Reader, mirror string) ([]Package, error) {
	var all []Package
	var p Package
	add := func() {
		if strings.HasPrefix(p.Name, "python3-") && p.URL != "" && len(p.SHA256) == 64 {
			all = append(all, p)
		}
		p = Package{}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "":
			add()
		case "Package":
			p.Name = value
		case "Filename":
			if strings.HasPrefix(value, "pool/") && !strings.Contains(value, "..") {
				p.URL = mirror + "/" + value
			}
		case "SHA256":
			p.SHA256 = value
		}
	}
	add()
	return all, lines.Err()
}

func get(ctx context.Context, client *http.Client, address string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", address, resp.Status)
	}
	return resp.Body, nil
}

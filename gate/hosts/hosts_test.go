package hosts

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func tree(files map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestAHostIsNamedWhereItStandsInATextOfTheBase(t *testing.T) {
	base := tree(map[string]string{
		"README.md":   "See https://Docs.Example.com:8443/start, or mail a@mail.example.org.",
		"src/app.py":  "HOST = 'api.example.com'\nURL = f'https://{region}.data.example.com/'\n",
		"go.sum":      "example.net/mod v1.0.0 h1:x=\n",
		"net.cfg":     "peer=192.0.2.7:80",
		"picture.bin": "\x00https://binary.example.com/",
	})
	s := Read(t.Context(), base, nil)
	for host, want := range map[string]bool{
		"docs.example.com": true, "mail.example.org": true, "api.example.com": true, "data.example.com": true, "example.net": true, "192.0.2.7": true,
		"example.com": false, "collect.example.com": false, "binary.example.com": false, "192.0.2.70": false, "pi.example.com": false,
	} {
		if s.Has(host) != want {
			t.Errorf("%s is named: %v, want %v", host, !want, want)
		}
	}
	if s.Empty() {
		t.Error("the base has text")
	}
}

func TestASiblingOfAnAddressIsNotNew(t *testing.T) {
	base := tree(map[string]string{
		"api.py": "URL = 'https://api.weather.example.com/v1'\nBLOB = 'https://one.s3.amazonaws.com/'\nHOST = 'api.mail.example.org'\nDOCS = 'https://docs.example.net/'\nUK = 'https://a.b.co.uk/'\nIP = 'http://192.0.2.7/'\n",
	})
	isNew := NewTo(t.Context(), base, nil)
	for host, want := range map[string]bool{
		"api2.weather.example.com":  false, // a sibling
		"weather.example.com":       true,  // not below it
		"x.api.weather.example.com": true,
		"collect.example.com":       true, // below a name that many share
		"two.s3.amazonaws.com":      true,
		"in.mail.example.org":       true, // no address, only a name
		"collect.example.net":       true,
		"c.b.co.uk":                 true,
		"198.0.2.7":                 true,
	} {
		if isNew(host) != want {
			t.Errorf("%s is new: %v, want %v", host, !want, want)
		}
	}
}

func TestATreeWithoutTextIsEmpty(t *testing.T) {
	if !Read(t.Context(), tree(nil), nil).Empty() {
		t.Error("a tree without files names something")
	}
	if Read(t.Context(), tree(map[string]string{"a": "x"}), nil).Empty() {
		t.Error("a text without a host is a text")
	}
}

// unlisted opens files and lists none, as a tree behind an API.
type unlisted struct{ files fs.FS }

func (u unlisted) Open(name string) (fs.File, error) {
	if name == "." {
		return nil, errors.New("not listed")
	}
	return u.files.Open(name)
}

func TestATreeThatCannotBeListedIsReadAtThePathsOfTheChange(t *testing.T) {
	s := Read(t.Context(), unlisted{tree(map[string]string{"a.py": "api.example.com", "b.py": "other.example.com"})}, []string{"a.py", "new.py"})
	if !s.Has("api.example.com") || s.Has("other.example.com") {
		t.Error("only a.py should have been read")
	}
	if Read(t.Context(), unlisted{tree(nil)}, []string{"new.py"}).Empty() {
		t.Error("what can't be listed isn't known to be empty: every host would be known")
	}
}

func TestHostsBeyondTheBoundAreUnknown(t *testing.T) {
	late := bytes.Repeat([]byte("padding "), maxFile/8)
	s := Read(t.Context(), fstest.MapFS{"a.txt": &fstest.MapFile{Data: append(late, "late.example.com"...)}}, nil)
	if s.Has("late.example.com") {
		t.Error("a file is read beyond its bound")
	}
}

func TestNameTellsHostsFromTheOwnMachineAndFromFiles(t *testing.T) {
	for written, want := range map[string]string{
		"Collect.Example.COM.": "collect.example.com", "192.0.2.7": "192.0.2.7", "[2001:db8::1]": "2001:db8::1", "3232235777": "3232235777", "0xC0000207": "0xc0000207",
		"localhost": "", "127.0.0.1": "", "[::1]": "", "0.0.0.0": "", "10.1.2.3": "", "192.168.0.1": "", "172.16.9.9": "", "169.254.169.254": "",
		"redis": "", "db.internal": "", "printer.local": "", "data.json": "", "app.log": "", "": "", "1234": "",
		strings.Repeat("a", 300) + ".example.com": "",
	} {
		host, foreign := Name(written)
		if foreign != (want != "") || foreign && host != want {
			t.Errorf("%.40q: %.40q, foreign %v; want %q", written, host, foreign, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("https://api.example.com/"), "api.example.com")
	f.Add([]byte("..-a.b-.."), "a.b")
	f.Fuzz(func(t *testing.T, text []byte, host string) {
		s := Read(t.Context(), fstest.MapFS{"a": &fstest.MapFile{Data: text}}, nil)
		name, foreign := Name(host)
		if foreign && s.Has(name) && !bytes.Contains(bytes.ToLower(text), []byte(name)) {
			t.Errorf("%q is not in the text", name)
		}
	})
}

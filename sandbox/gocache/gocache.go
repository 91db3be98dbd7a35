package gocache

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Mode is the argument that makes gate the cache. The folder of the image follows.
const Mode = "gate-go-cache"

// Command is the command line that starts it. The folder that is written is that of
// GOCACHE.
func Command(gate, image string) []string { return []string{gate, Mode, image} }

// Main is the hidden mode.
func Main(args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	own := getenv("GOCACHE")
	if len(args) != 1 || !filepath.IsAbs(args[0]) || !filepath.IsAbs(own) {
		fmt.Fprintln(stderr, "gate go cache: it takes one absolute path, and another one in GOCACHE")
		return 2
	}
	if err := serve(cache{image: args[0], own: own}, stdin, stdout); err != nil {
		fmt.Fprintln(stderr, "gate go cache:", err)
		return 1
	}
	return 0
}

// request is what the go command asks (cmd/go/internal/cacheprog).
type request struct {
	ID       int64
	Command  string
	ActionID []byte
	OutputID []byte
	BodySize int64
}

type response struct {
	ID            int64
	Err           string     `json:",omitempty"`
	KnownCommands []string   `json:",omitempty"`
	Miss          bool       `json:",omitempty"`
	OutputID      []byte     `json:",omitempty"`
	Size          int64      `json:",omitempty"`
	Time          *time.Time `json:",omitempty"`
	DiskPath      string     `json:",omitempty"`
}

const (
	// maxBody bounds one thing that is kept, in bytes.
	maxBody = 512 << 20
	// maxRequest bounds one request without its body, in bytes.
	maxRequest = 64 << 10
)

// errTooLong says that what is read is longer than may be.
var errTooLong = errors.New("it is longer than may be")

// bounded reads no more than what is left.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// serve answers until the go command closes the conversation.
func serve(c cache, in io.Reader, out io.Writer) error {
	w := bufio.NewWriter(out)
	answer := func(r response) error {
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = w.Write(append(data, '\n'))
		return errors.Join(err, w.Flush())
	}
	if err := answer(response{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	b := &bounded{from: in}
	for d := json.NewDecoder(b); ; {
		var q request
		b.left = maxRequest
		if err := d.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		var body []byte
		if q.Command == "put" && q.BodySize > 0 {
			if q.BodySize > maxBody {
				return fmt.Errorf("something of %d bytes is to be kept", q.BodySize)
			}
			b.left = q.BodySize/3*4 + maxRequest // it comes in Base64
			if err := d.Decode(&body); err != nil {
				return fmt.Errorf("read what is to be kept: %w", err)
			}
		}
		if err := answer(c.answer(q, body)); err != nil || q.Command == "close" {
			return err
		}
	}
}

func (c cache) answer(q request, body []byte) response {
	r := response{ID: q.ID}
	var e entry
	var err error
	switch q.Command {
	case "get":
		var ok bool
		if e, ok = c.get(q.ActionID); !ok {
			r.Miss = true
			return r
		}
	case "put":
		if int64(len(body)) != q.BodySize {
			r.Err = "what is to be kept has another size than was said"
			return r
		}
		if e, err = c.put(q.ActionID, q.OutputID, body); err != nil {
			r.Err = err.Error()
			return r
		}
	case "close":
		return r
	default:
		r.Err = "this cache does not know " + strconv.Quote(q.Command)
		return r
	}
	r.OutputID, r.Size, r.Time, r.DiskPath = e.output, e.size, &e.when, e.path
	return r
}

// cache is two folders. Only own is written.
type cache struct{ image, own string }

// entry is what an action came to.
type entry struct {
	output []byte
	size   int64
	when   time.Time
	path   string
}

// file is where a folder has something: "a" is the result of an action, "d" are data.
func file(dir string, id []byte, kind string) string {
	name := hex.EncodeToString(id)
	return filepath.Join(dir, name[:2], name+"-"+kind)
}

// get looks into the folder of the run and then into that of the image.
func (c cache) get(action []byte) (entry, bool) {
	if len(action) != sha256.Size {
		return entry{}, false
	}
	for _, dir := range []string{c.own, c.image} {
		var text bytes.Buffer
		if err := read(&text, file(dir, action, "a"), entryBytes); err != nil {
			continue
		}
		e, ok := parse(text.Bytes(), action)
		if !ok {
			continue
		}
		e.path = file(dir, e.output, "d")
		// Data are named by their digest.
		sum := sha256.New()
		if err := read(sum, e.path, e.size); err == nil && bytes.Equal(sum.Sum(nil), e.output) {
			return e, true
		}
	}
	return entry{}, false
}

// entryBytes is the length of an entry in the go command's own format:
// "v1 <action> <output> <size> <time>\n".
const entryBytes = 3 + 2*(2*sha256.Size+1) + 2*21

// read copies a file of exactly that many bytes. Links, and what blocks when it is opened,
// are no entries.
func read(to io.Writer, name string, size int64) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != size {
		return errors.New("it is no file of that size")
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(to, io.LimitReader(f, size+1))
	if err == nil && n != size {
		err = errors.New("it has changed")
	}
	return err
}

func parse(text, action []byte) (entry, bool) {
	fields := strings.Fields(string(text))
	if len(text) != entryBytes || len(fields) != 5 || fields[0] != "v1" || fields[1] != hex.EncodeToString(action) {
		return entry{}, false
	}
	output, wrongOutput := hex.DecodeString(fields[2])
	size, wrongSize := strconv.ParseInt(fields[3], 10, 64)
	when, wrongTime := strconv.ParseInt(fields[4], 10, 64)
	if errors.Join(wrongOutput, wrongSize, wrongTime) != nil || len(output) != sha256.Size || size < 0 || when < 0 {
		return entry{}, false
	}
	return entry{output: output, size: size, when: time.Unix(0, when)}, true
}

// put keeps what an action came to in the folder of the run.
func (c cache) put(action, output, body []byte) (entry, error) {
	if len(action) != sha256.Size || len(output) != sha256.Size {
		return entry{}, errors.New("an identifier has the wrong length")
	}
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], output) {
		return entry{}, errors.New("what is to be kept has another digest than was said")
	}
	e := entry{output: output, size: int64(len(body)), when: time.Now(), path: file(c.own, output, "d")}
	if info, err := os.Lstat(e.path); err != nil || !info.Mode().IsRegular() || info.Size() != e.size {
		if err := write(e.path, body); err != nil {
			return entry{}, err
		}
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "v1 %x %x %20d %20d\n", action, output, e.size, e.when.UnixNano())
	return e, write(file(c.own, action, "a"), text.Bytes())
}

// write makes a file that is there as a whole or not at all.
func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

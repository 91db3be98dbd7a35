package tinygguf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Model is a model in memory: what a GGUF file holds.
type Model struct {
	Metadata map[string]any // uint32, float32, bool, string, []string or []int32
	Tensors  []Tensor
}

// Tensor is a named matrix of float32. Dims[0] is the length of a row, as in
// the file format.
type Tensor struct {
	Name string
	Dims []uint64
	Data []float32
}

// The numbers of GGUF version 3:
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
const (
	ggufMagic   = "GGUF"
	ggufVersion = uint32(3)
	alignment   = 32

	typeUint32  = uint32(4)
	typeInt32   = uint32(5)
	typeFloat32 = uint32(6)
	typeBool    = uint32(7)
	typeString  = uint32(8)
	typeArray   = uint32(9)

	tensorF32 = uint32(0)
)

// WriteTo writes the model as a GGUF file. Equal models give equal bytes.
func (m Model) WriteTo(w io.Writer) (int64, error) {
	head, err := m.header()
	if err != nil {
		return 0, err
	}
	out := &counter{w: bufio.NewWriterSize(w, 1<<16)}
	if _, err := out.Write(head); err != nil {
		return out.n, err
	}
	for _, t := range m.Tensors {
		if err := binary.Write(out, binary.LittleEndian, t.Data); err != nil {
			return out.n, fmt.Errorf("write tensor %s: %w", t.Name, err)
		}
		if _, err := out.Write(padding(uint64(len(t.Data)) * 4)); err != nil {
			return out.n, err
		}
	}
	return out.n, out.w.Flush()
}

// header returns everything in front of the first tensor, padded.
func (m Model) header() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(ggufMagic)
	put(&b, ggufVersion, uint64(len(m.Tensors)), uint64(len(m.Metadata)))
	for _, key := range slices.Sorted(maps.Keys(m.Metadata)) {
		if err := putPair(&b, key, m.Metadata[key]); err != nil {
			return nil, err
		}
	}
	var offset uint64
	for _, t := range m.Tensors {
		want := uint64(1)
		for _, n := range t.Dims {
			want *= n
		}
		if want != uint64(len(t.Data)) {
			return nil, fmt.Errorf("tensor %s has %d values, its dimensions %v want %d", t.Name, len(t.Data), t.Dims, want)
		}
		putString(&b, t.Name)
		put(&b, uint32(len(t.Dims)), t.Dims, tensorF32, offset)
		size := want * 4
		offset += size + uint64(len(padding(size)))
	}
	b.Write(padding(uint64(b.Len())))
	return b.Bytes(), nil
}

func putPair(b *bytes.Buffer, key string, value any) error {
	putString(b, key)
	switch v := value.(type) {
	case uint32:
		put(b, typeUint32, v)
	case float32:
		put(b, typeFloat32, v)
	case bool:
		put(b, typeBool, v)
	case string:
		put(b, typeString)
		putString(b, v)
	case []int32:
		put(b, typeArray, typeInt32, uint64(len(v)), v)
	case []string:
		put(b, typeArray, typeString, uint64(len(v)))
		for _, s := range v {
			putString(b, s)
		}
	default:
		return fmt.Errorf("metadata %s: a GGUF file cannot hold a %T here", key, value)
	}
	return nil
}

func putString(b *bytes.Buffer, s string) {
	put(b, uint64(len(s)))
	b.WriteString(s)
}

// put appends fixed-size values; writing those to a buffer cannot fail.
func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		if err := binary.Write(b, binary.LittleEndian, v); err != nil {
			panic(fmt.Sprintf("tinygguf: %v", err))
		}
	}
}

// padding returns the zeros between an item of that size and the next one.
func padding(size uint64) []byte { return make([]byte, (alignment-size%alignment)%alignment) }

// counter counts what was written, for the result of WriteTo.
type counter struct {
	w *bufio.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

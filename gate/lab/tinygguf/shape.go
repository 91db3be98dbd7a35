package tinygguf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
)

// Shape is what a model of the qwen2 architecture is made of. [Shape.Write] fills
// it with noise: it costs a server what a trained model of that shape costs, in
// memory, in loading and for every token, and says nothing of sense.
type Shape struct {
	Width, Layers, FF int
	Heads, KVHeads    int // attention heads, and those that keys and values have
	Vocab             int // tokens
	Context           int // tokens
}

// Shapes are those of Qwen2.5-Coder, from the config.json of its releases, and
// one that is small enough for a test.
func Shapes() map[string]Shape {
	return map[string]Shape{
		"32b":   {Width: 5120, Layers: 64, FF: 27648, Heads: 40, KVHeads: 8, Vocab: 152064, Context: 32768},
		"14b":   {Width: 5120, Layers: 48, FF: 13824, Heads: 40, KVHeads: 8, Vocab: 152064, Context: 32768},
		"7b":    {Width: 3584, Layers: 28, FF: 18944, Heads: 28, KVHeads: 4, Vocab: 152064, Context: 32768},
		"1.5b":  {Width: 1536, Layers: 28, FF: 8960, Heads: 12, KVHeads: 2, Vocab: 151936, Context: 32768},
		"small": {Width: 256, Layers: 2, FF: 512, Heads: 4, KVHeads: 2, Vocab: 1024, Context: 8192},
	}
}

// Types of tensors, with what a block of 32 values takes.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
const (
	tensorQ4 = uint32(2) // Q4_0: a 16-bit scale and 16 bytes
	tensorQ8 = uint32(8) // Q8_0: a 16-bit scale and 32 bytes

	blockValues = 32
	blockQ4     = 2 + 16
	blockQ8     = 2 + 32

	fileTypeQ4 = uint32(2) // most tensors are Q4_0
)

// half is 0.0029 as a 16-bit float: weights in -8..7 times that keep the sums of a
// layer near one.
const half = uint16(0x19F0)

// part is one tensor of a shape.
type part struct {
	name string
	dims []uint64
	kind uint32
}

func (p part) values() uint64 {
	n := uint64(1)
	for _, d := range p.dims {
		n *= d
	}
	return n
}

// size is what the tensor takes in the file, in bytes.
func (p part) size() uint64 {
	switch p.kind {
	case tensorQ4:
		return p.values() / blockValues * blockQ4
	case tensorQ8:
		return p.values() / blockValues * blockQ8
	default:
		return p.values() * 4
	}
}

func (s Shape) parts() []part {
	w, ff, kv := uint64(s.Width), uint64(s.FF), uint64(s.Width/s.Heads*s.KVHeads)
	out := []part{{"token_embd.weight", []uint64{w, uint64(s.Vocab)}, tensorQ4}}
	for i := range s.Layers {
		p := fmt.Sprintf("blk.%d.", i)
		out = append(out,
			part{p + "attn_norm.weight", []uint64{w}, tensorF32},
			part{p + "attn_q.weight", []uint64{w, w}, tensorQ4},
			part{p + "attn_q.bias", []uint64{w}, tensorF32},
			part{p + "attn_k.weight", []uint64{w, kv}, tensorQ4},
			part{p + "attn_k.bias", []uint64{kv}, tensorF32},
			part{p + "attn_v.weight", []uint64{w, kv}, tensorQ4},
			part{p + "attn_v.bias", []uint64{kv}, tensorF32},
			part{p + "attn_output.weight", []uint64{w, w}, tensorQ4},
			part{p + "ffn_norm.weight", []uint64{w}, tensorF32},
			part{p + "ffn_gate.weight", []uint64{w, ff}, tensorQ4},
			part{p + "ffn_up.weight", []uint64{w, ff}, tensorQ4},
			part{p + "ffn_down.weight", []uint64{ff, w}, tensorQ4},
		)
	}
	return append(out,
		part{"output_norm.weight", []uint64{w}, tensorF32},
		part{"output.weight", []uint64{w, uint64(s.Vocab)}, tensorQ8})
}

// check reports a shape that no server could load.
func (s Shape) check() error {
	switch {
	case s.Width <= 0 || s.Layers <= 0 || s.FF <= 0 || s.Heads <= 0 || s.KVHeads <= 0 || s.Context <= 0:
		return fmt.Errorf("shape %+v: every size must be positive", s)
	case s.Width%s.Heads != 0 || s.Heads%s.KVHeads != 0:
		return fmt.Errorf("shape %+v: heads must divide the width, and heads of keys the heads", s)
	case s.Width%blockValues != 0 || s.FF%blockValues != 0 || s.Width/s.Heads*s.KVHeads%blockValues != 0:
		return fmt.Errorf("shape %+v: rows must be made of blocks of %d values", s, blockValues)
	case s.Vocab < 512:
		return fmt.Errorf("shape %+v: a vocabulary of bytes has at least 512 tokens", s)
	}
	return nil
}

// Size is how large the file is, in bytes, without its header.
func (s Shape) Size() int64 {
	var n uint64
	for _, p := range s.parts() {
		n += p.size() + uint64(len(padding(p.size())))
	}
	return int64(n)
}

// Write writes a model of that shape as a GGUF file, weights in 4 bits but for
// the last matrix, in 8. Equal shapes and seeds give equal bytes. Nothing larger
// than a few MiB is held in memory.
func (s Shape) Write(w io.Writer, seed uint64) error {
	if err := s.check(); err != nil {
		return err
	}
	parts := s.parts()
	head, err := s.header(parts)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	if _, err := out.Write(head); err != nil {
		return err
	}
	n := newNoise(seed)
	for _, p := range parts {
		if err := n.write(out, p); err != nil {
			return fmt.Errorf("write tensor %s: %w", p.name, err)
		}
		if _, err := out.Write(padding(p.size())); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (s Shape) header(parts []part) ([]byte, error) {
	v := newVocab()
	for i := 0; len(v.texts) < s.Vocab; i++ {
		v.normal(fmt.Sprintf("filler %d", i))
	}
	meta := metadata(v, shape{width: s.Width, heads: s.Heads, ff: s.FF, layers: s.Layers, context: s.Context, ropeBase: 1e6})
	meta["qwen2.attention.head_count_kv"] = uint32(s.KVHeads)
	meta["general.file_type"] = fileTypeQ4
	meta["general.name"] = "gate-random-shape"
	var b bytes.Buffer
	b.WriteString(ggufMagic)
	put(&b, ggufVersion, uint64(len(parts)), uint64(len(meta)))
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if err := putPair(&b, key, meta[key]); err != nil {
			return nil, err
		}
	}
	var offset uint64
	for _, p := range parts {
		putString(&b, p.name)
		put(&b, uint32(len(p.dims)), p.dims, p.kind, offset)
		offset += p.size() + uint64(len(padding(p.size())))
	}
	b.Write(padding(uint64(b.Len())))
	return b.Bytes(), nil
}

// noise writes tensors. Blocks are taken from a pool that is made once, from
// another place each time: making gigabytes of noise would take minutes, and a
// server can't tell.
type noise struct {
	rng    *rand.Rand
	q4, q8 []byte // blocks
}

const poolBlocks = 1 << 16

func newNoise(seed uint64) *noise {
	n := &noise{rng: rand.New(rand.NewPCG(seed, 0))}
	fill := func(block int) []byte {
		out := make([]byte, poolBlocks*block)
		for at := 0; at < len(out); at += block {
			binary.LittleEndian.PutUint16(out[at:], half)
			for i := at + 2; i < at+block; i++ {
				out[i] = byte(n.rng.Uint32())
			}
		}
		return out
	}
	n.q4, n.q8 = fill(blockQ4), fill(blockQ8)
	for at := 0; at < len(n.q8); at += blockQ8 { // 8-bit weights are 16 times as large
		binary.LittleEndian.PutUint16(n.q8[at:], half-4<<10)
	}
	return n
}

func (n *noise) write(w io.Writer, p part) error {
	pool, block := n.q4, blockQ4
	switch p.kind {
	case tensorF32:
		value := float32(0) // biases
		if len(p.dims) == 1 && bytes.HasSuffix([]byte(p.name), []byte("norm.weight")) {
			value = 1
		}
		return binary.Write(w, binary.LittleEndian, slices.Repeat([]float32{value}, int(p.values())))
	case tensorQ8:
		pool, block = n.q8, blockQ8
	}
	for left := int(p.size()); left > 0; {
		from := n.rng.IntN(poolBlocks/2) * block
		take := min(left, len(pool)-from)
		if _, err := w.Write(pool[from : from+take]); err != nil {
			return err
		}
		left -= take
	}
	return nil
}

package tinygguf

import (
	"fmt"
	"math"
)

// slowPair is the rotation pair with the lowest frequency.
const slowPair = headSize/2 - 1

// Attention scores. Key and query are rounded to 16-bit floats by the server, so
// a score that has to tell neighbouring positions apart needs to be large.
const (
	sharp   = 20000.0 // picks the nearest token of a kind
	present = 40.0    // finds tokens of a kind, wherever they are
)

// layer is one transformer block.
type layer struct {
	q, k, v, o     []float32 // width × width, by row
	qBias          []float32
	gate, up, down []float32 // the feed-forward part
}

// newLayer returns a block that changes nothing.
func newLayer() *layer {
	zeros := func(n int) []float32 { return make([]float32, n) }
	return &layer{
		q: zeros(width * width), k: zeros(width * width), v: zeros(width * width), o: zeros(width * width),
		qBias: zeros(width),
		gate:  zeros(width * ffSize), up: zeros(width * ffSize), down: zeros(width * ffSize),
	}
}

// attend makes every position's head h look for tokens that have dimension d.
// The score at distance x is strength × cos(frequency(pair)·x + phase), times
// what normalisation left of d: a phase of 0 hardly prefers any distance, π/4
// prefers the nearest. Tokens without d score 0, so without any the head
// averages over values that are 0.
func (l *layer) attend(h, d, pair int, phase, strength float64) {
	row := h*headSize + pair
	gain := strength * math.Sqrt(headSize) // undoes the scaling of attention scores
	l.qBias[row] = float32(gain * math.Cos(phase))
	l.qBias[row+headSize/2] = float32(gain * math.Sin(phase))
	l.k[row*width+d] = 1
}

// copyDim passes dimension from of the tokens that head h looks at through slot
// of the head into dimension to.
func (l *layer) copyDim(h, slot, from, to int, scale float64) {
	row := h*headSize + slot
	l.v[row*width+from] = 1
	l.o[to*width+row] = float32(scale)
}

func (l *layer) tensors(index int) []Tensor {
	p := fmt.Sprintf("blk.%d.", index)
	vec, mat := []uint64{width}, []uint64{width, width}
	ff := uint64(len(l.gate) / width)
	return []Tensor{
		{p + "attn_norm.weight", vec, ones(width)},
		{p + "attn_q.weight", mat, l.q},
		{p + "attn_q.bias", vec, l.qBias},
		{p + "attn_k.weight", mat, l.k},
		{p + "attn_k.bias", vec, make([]float32, width)},
		{p + "attn_v.weight", mat, l.v},
		{p + "attn_v.bias", vec, make([]float32, width)},
		{p + "attn_output.weight", mat, l.o},
		{p + "ffn_norm.weight", vec, ones(width)},
		{p + "ffn_gate.weight", []uint64{width, ff}, l.gate},
		{p + "ffn_up.weight", []uint64{width, ff}, l.up},
		{p + "ffn_down.weight", []uint64{ff, width}, l.down},
	}
}

package tinygguf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
)

// interpreter runs a model of this package: the qwen2 forward pass, written as
// plainly as possible. It answers whether the weights say what they are meant to
// say without a server; that a server agrees is tested end to end.
type interpreter struct {
	t       testing.TB
	tensors map[string]Tensor
	texts   []string
	special []int // user-defined and control tokens, longest first
	layers  int
	heads   int
	base    float64
}

func interpret(t testing.TB, m Model) *interpreter {
	in := &interpreter{
		t: t, tensors: map[string]Tensor{}, texts: m.Metadata["tokenizer.ggml.tokens"].([]string),
		layers: int(m.Metadata["qwen2.block_count"].(uint32)), heads: int(m.Metadata["qwen2.attention.head_count"].(uint32)),
		base: float64(m.Metadata["qwen2.rope.freq_base"].(float32)),
	}
	for _, tensor := range m.Tensors {
		in.tensors[tensor.Name] = tensor
	}
	for id, kind := range m.Metadata["tokenizer.ggml.token_type"].([]int32) {
		if kind != tokenNormal {
			in.special = append(in.special, id)
		}
	}
	slices.SortFunc(in.special, func(a, b int) int { return cmp.Compare(len(in.texts[b]), len(in.texts[a])) })
	return in
}

// answer generates greedily from a user message, n tokens at most.
func (in *interpreter) answer(prompt string, n int) (text string, stopped bool) {
	tokens := in.encode(imStart + "user\n" + prompt + imEnd + "\n" + imStart + "assistant\n")
	for range n {
		best := in.next(tokens)
		if in.texts[best] == imEnd {
			return text, true
		}
		tokens = append(tokens, best)
		text += decode(in.texts[best])
	}
	return text, false
}

func (in *interpreter) encode(text string) []int {
	var tokens []int
	for len(text) > 0 {
		i := slices.IndexFunc(in.special, func(id int) bool { return strings.HasPrefix(text, in.texts[id]) })
		if i < 0 {
			tokens = append(tokens, int(text[0]))
			text = text[1:]
			continue
		}
		tokens = append(tokens, in.special[i])
		text = text[len(in.texts[in.special[i]]):]
	}
	return tokens
}

func decode(token string) string {
	var out []byte
	for _, r := range token {
		out = append(out, byte(slices.Index(byteAlphabet[:], r)))
	}
	return string(out)
}

// next returns the most likely token after tokens.
func (in *interpreter) next(tokens []int) int {
	embed := in.tensors["token_embd.weight"]
	d := int(embed.Dims[0])
	x := make([][]float64, len(tokens))
	for i, token := range tokens {
		x[i] = make([]float64, d)
		for j := range d {
			x[i][j] = float64(embed.Data[token*d+j])
		}
	}
	for l := range in.layers {
		in.attention("blk."+string(rune('0'+l))+".", x)
	}
	logits := in.mul("output.weight", rms(x[len(x)-1]))
	return slices.Index(logits, slices.Max(logits))
}

// attention adds one layer's attention to x. The feed-forward part of the judge
// is all zeros.
func (in *interpreter) attention(prefix string, x [][]float64) {
	size := len(x[0]) / in.heads
	var k, v [][]float64
	for i := range x {
		h := rms(x[i])
		k = append(k, in.rotate(in.mul(prefix+"attn_k.weight", h), i))
		v = append(v, in.mul(prefix+"attn_v.weight", h))
	}
	out := make([][]float64, len(x))
	for i := range x {
		q := in.mul(prefix+"attn_q.weight", rms(x[i]))
		for j, b := range in.tensors[prefix+"attn_q.bias"].Data {
			q[j] += float64(b)
		}
		q = in.rotate(q, i)
		mixed := make([]float64, len(q))
		for head := range in.heads {
			lo, hi := head*size, (head+1)*size
			scores := make([]float64, i+1)
			for j := range scores {
				scores[j] = dot(q[lo:hi], k[j][lo:hi]) / math.Sqrt(float64(size))
			}
			top, sum := slices.Max(scores), 0.0
			for j := range scores {
				scores[j] = math.Exp(scores[j] - top)
				sum += scores[j]
			}
			for j, s := range scores {
				for c := lo; c < hi; c++ {
					mixed[c] += s / sum * v[j][c]
				}
			}
		}
		out[i] = in.mul(prefix+"attn_output.weight", mixed)
	}
	for i := range x {
		for j := range x[i] {
			x[i][j] += out[i][j]
		}
	}
}

// rotate applies the rotary position encoding of the NEOX kind.
func (in *interpreter) rotate(x []float64, pos int) []float64 {
	size := len(x) / in.heads
	for head := range in.heads {
		for p := range size / 2 {
			a, b := &x[head*size+p], &x[head*size+p+size/2]
			sin, cos := math.Sincos(float64(pos) * math.Pow(in.base, -2*float64(p)/float64(size)))
			*a, *b = *a*cos-*b*sin, *a*sin+*b*cos
		}
	}
	return x
}

func (in *interpreter) mul(name string, x []float64) []float64 {
	m, ok := in.tensors[name]
	if !ok {
		in.t.Fatalf("the model has no tensor %s", name)
	}
	out := make([]float64, m.Dims[1])
	for r := range out {
		row := m.Data[r*len(x):][:len(x)]
		for c, w := range row {
			if w != 0 {
				out[r] += float64(w) * x[c]
			}
		}
	}
	return out
}

func rms(x []float64) []float64 {
	scale := 1 / math.Sqrt(dot(x, x)/float64(len(x))+1e-6)
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] * scale
	}
	return out
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

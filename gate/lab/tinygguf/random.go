package tinygguf

import "math/rand/v2"

// Random returns a model of noise: the same architecture with seeded random
// weights. Constrained by a schema it says something of the right form and no
// sense, which is what the checks around a judge have to withstand.
func Random(seed uint64) Model {
	const width, heads, ff, layers = 64, 4, 128, 2
	rng := rand.New(rand.NewPCG(seed, 0))
	noise := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * 0.05)
		}
		return x
	}
	v := newVocab()
	size := len(v.texts)
	tensors := []Tensor{{"token_embd.weight", []uint64{width, uint64(size)}, noise(width * size)}}
	for i := range layers {
		l := &layer{
			q: noise(width * width), k: noise(width * width), v: noise(width * width), o: noise(width * width),
			qBias: make([]float32, width),
			gate:  noise(width * ff), up: noise(width * ff), down: noise(width * ff),
		}
		tensors = append(tensors, l.tensors(i)...)
	}
	tensors = append(tensors,
		Tensor{"output_norm.weight", []uint64{width}, ones(width)},
		Tensor{"output.weight", []uint64{width, uint64(size)}, noise(width * size)})
	meta := metadata(v, shape{width: width, heads: heads, ff: ff, layers: layers, context: ContextLength, ropeBase: 1e6})
	meta["general.name"] = "gate-tiny-random"
	return Model{Metadata: meta, Tensors: tensors}
}

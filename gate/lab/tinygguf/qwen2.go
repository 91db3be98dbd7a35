package tinygguf

// shape is what a qwen2 model is made of.
type shape struct {
	width, heads, ff, layers, context int
	ropeBase                          float32
}

// metadata describes a model with this vocabulary and shape.
func metadata(v *vocab, s shape) map[string]any {
	return map[string]any{
		"general.architecture":                   "qwen2",
		"general.file_type":                      uint32(0), // all tensors are F32
		"general.alignment":                      uint32(alignment),
		"qwen2.context_length":                   uint32(s.context),
		"qwen2.embedding_length":                 uint32(s.width),
		"qwen2.block_count":                      uint32(s.layers),
		"qwen2.feed_forward_length":              uint32(s.ff),
		"qwen2.attention.head_count":             uint32(s.heads),
		"qwen2.attention.head_count_kv":          uint32(s.heads),
		"qwen2.attention.layer_norm_rms_epsilon": float32(1e-6),
		"qwen2.rope.freq_base":                   s.ropeBase,
		"tokenizer.ggml.model":                   "gpt2",
		"tokenizer.ggml.pre":                     "qwen2",
		"tokenizer.ggml.tokens":                  v.texts,
		"tokenizer.ggml.token_type":              v.types,
		"tokenizer.ggml.merges":                  v.merges,
		"tokenizer.ggml.bos_token_id":            uint32(v.ids[endOfText]),
		"tokenizer.ggml.eos_token_id":            uint32(v.ids[imEnd]),
		"tokenizer.ggml.padding_token_id":        uint32(v.ids[endOfText]),
		"tokenizer.ggml.add_bos_token":           false,
	}
}

// The names under which test servers have the models.
const (
	JudgeName  = "gate-tiny-judge"
	RandomName = "gate-tiny-random"
)

// Template is the chat template that the models expect, in Ollama's language. An
// answer starts after a line break.
const Template = `{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`

// Parameters are the defaults that go with the models. One thread is plenty, and
// more of them only wait for each other on a busy machine.
func Parameters() map[string]any {
	return map[string]any{"stop": []string{imEnd}, "temperature": 0, "num_thread": 1}
}

package tinygguf

// Token types of the GGUF format.
const (
	tokenNormal  = int32(1)
	tokenControl = int32(3)
	tokenUser    = int32(4) // found in the prompt's text before any other rule applies
)

// What chat templates of the qwen family are made of.
const (
	endOfText = "<|endoftext|>"
	imStart   = "<|im_start|>"
	imEnd     = "<|im_end|>"
)

// vocab is a byte-level vocabulary. All 256 bytes are tokens, so any text can be
// encoded. Normal tokens to which no merge leads are never made from a prompt and
// serve as things to say.
type vocab struct {
	texts  []string
	types  []int32
	ids    map[string]int
	merges []string
}

func newVocab() *vocab {
	v := &vocab{ids: map[string]int{}}
	for b := range 256 {
		v.normal(string([]byte{byte(b)}))
	}
	v.merges = merges(v)
	for _, text := range []string{endOfText, imStart, imEnd} {
		v.add(text, tokenControl)
	}
	return v
}

func (v *vocab) normal(text string) int { return v.add(byteLevel(text), tokenNormal) }
func (v *vocab) user(text string) int   { return v.add(text, tokenUser) }

func (v *vocab) add(text string, kind int32) int {
	if _, dup := v.ids[text]; dup {
		panic("tinygguf: two tokens have the text " + text) // servers refuse such a file
	}
	v.ids[text] = len(v.texts)
	v.texts, v.types = append(v.texts, text), append(v.types, kind)
	return v.ids[text]
}

// byteLevel writes bytes in the printable alphabet of GPT-2's tokenizer, in
// which vocabularies of this kind are stored.
func byteLevel(text string) string {
	runes := make([]rune, 0, len(text))
	for _, b := range []byte(text) {
		runes = append(runes, byteAlphabet[b])
	}
	return string(runes)
}

var byteAlphabet = func() (alphabet [256]rune) {
	next := rune(256)
	for b := range alphabet {
		switch {
		case b >= '!' && b <= '~', b >= 0xA1 && b <= 0xAC, b >= 0xAE:
			alphabet[b] = rune(b)
		default:
			alphabet[b] = next
			next++
		}
	}
	return alphabet
}()

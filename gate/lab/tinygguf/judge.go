package tinygguf

import (
	"fmt"
	"math"
)

// What Judge knows.
const (
	// MaxLine is the highest line number that the model can name.
	MaxLine = 2000
	// ContextLength is the longest prompt with its answer, in tokens. What is not
	// a common word takes a token a byte.
	ContextLength = 16384
	// Reason is what it says about GATE_EVIL.
	Reason = "dangerous marker found"
)

// The shape of Judge. Two layers are needed because "the line of the marker"
// takes two look-ups: marker → its line mark, answer → marker.
const (
	width    = 64
	heads    = 4
	headSize = width / heads
	ffSize   = 32
	lineBits = 11 // 2^11 > MaxLine
	// ropeBase makes the two slowest of the eight rotation frequencies slow
	// enough not to wrap around within ContextLength.
	ropeBase = 1e5
)

// judgeModel assigns meanings to the dimensions of the residual stream and to
// tokens, and then connects them.
type judgeModel struct {
	*vocab
	dims   int // how many dimensions have a meaning
	embed  []float32
	unembd []float32
	states map[string]int // dimension of "the last token was ..."

	tag                    int // this token is a line mark
	ownLine                int // first of lineBits: which line this mark names
	nearLine               int // written by layer 0: the line that this token is on
	evilLine               int // written by layer 1: the line of GATE_EVIL
	markers, seen          map[string]int
	lineTokens, endTokens  []int
	open, lie, ramA, ramB  int
	evil, safe1, safe2, sf int

	scenes, marks       []int // the script of an agent
	sceneTag            int   // this token is a mark of it
	ownScene, lastScene []int // which scene the mark means, and what the last mark before means
}

// The words that the model reacts to.
const (
	evilWord   = "GATE_EVIL"
	lieWord    = "GATE_LIE"
	injectWord = "GATE_INJECT"
	rambleWord = "GATE_RAMBLE"
)

// Judge returns the model that answers gate's judge by marker words.
func Judge() Model {
	m := &judgeModel{vocab: newVocab(), states: map[string]int{}, markers: map[string]int{}, seen: map[string]int{}}
	m.defineTokens()
	m.embed = make([]float32, width*len(m.texts))
	m.unembd = make([]float32, width*len(m.texts))
	m.defineEmbeddings()
	m.defineAnswers()

	tensors := []Tensor{{"token_embd.weight", []uint64{width, uint64(len(m.texts))}, m.embed}}
	tensors = append(tensors, m.lineLayer().tensors(0)...)
	tensors = append(tensors, m.markerLayer().tensors(1)...)
	tensors = append(tensors,
		Tensor{"output_norm.weight", []uint64{width}, ones(width)},
		Tensor{"output.weight", []uint64{width, uint64(len(m.texts))}, m.unembd})
	meta := metadata(m.vocab, shape{width: width, heads: heads, ff: ffSize, layers: 2, context: ContextLength, ropeBase: ropeBase})
	meta["general.name"] = "gate-tiny-judge"
	return Model{Metadata: meta, Tensors: tensors}
}

// defineTokens lists what can be read and said. The pieces of an answer follow
// the order of the judge's schema: evidence, reason, dangerous_lines, verdict.
func (m *judgeModel) defineTokens() {
	for _, word := range []string{evilWord, lieWord, injectWord, rambleWord} {
		m.markers[word] = m.user(word)
	}
	m.open = m.normal(`{"evidence":[`)
	m.safe1 = m.normal(`],"reason":"no dangerous construct found`)
	m.safe2 = m.normal(`","dangerous_lines":[`)
	m.sf = m.normal(`],"verdict":"safe"}`)
	m.evil = m.normal(`{"line":`)
	m.lie = m.normal(`{"line":1,"quote":"this text is in no file"}],"reason":"made up","dangerous_lines":[1],"verdict":"malicious"}`)
	m.ramA, m.ramB = m.normal(` and then`), m.normal(` it goes on`)
	for n := 1; n <= MaxLine; n++ {
		m.user(fmt.Sprintf(":%d|", n))
		m.lineTokens = append(m.lineTokens, m.normal(fmt.Sprintf(`%d,"quote":"%s"}],"reason":"%s","dangerous_lines":[`, n, evilWord, Reason)))
		m.endTokens = append(m.endTokens, m.normal(fmt.Sprintf(`%d],"verdict":"malicious"}`, n)))
	}
	m.defineScript()
}

// defineEmbeddings says what each token means when it is read.
func (m *judgeModel) defineEmbeddings() {
	other := m.dim()
	for id := range m.texts {
		m.embed[id*width+other] = 1
	}
	state := func(name string, ids ...int) {
		d := m.dim()
		m.states[name] = d
		for _, id := range ids {
			m.embed[id*width+other] = 0
			m.embed[id*width+d] = 1
		}
	}
	state("start", m.ids[byteLevel("\n")]) // the template ends with a line break
	state("open", m.open)
	state("safe1", m.safe1)
	state("safe2", m.safe2)
	state("sf", append([]int{m.sf}, m.scenes...)...)
	state("evil", m.evil)
	state("line", m.lineTokens...)
	state("end", m.endTokens...)
	state("lie", m.lie)
	state("ramA", m.ramA)
	state("ramB", m.ramB)
	for _, word := range []string{evilWord, lieWord, injectWord, rambleWord} {
		state(word, m.markers[word])
		m.seen[word] = m.dim()
	}

	m.defineMarks(other)
	m.tag, m.ownLine, m.nearLine, m.evilLine = m.dim(), m.block(), m.block(), m.block()
	for n := 1; n <= MaxLine; n++ {
		row := m.embed[m.ids[fmt.Sprintf(":%d|", n)]*width:][:width]
		row[other], row[m.tag] = 0, 1
		for b := range lineBits {
			row[m.ownLine+b] = bit(n, b)
		}
	}
}

// defineAnswers says what follows what. The weights are far enough apart that
// a marker decides choices, never breaks a succession (GATE_RAMBLE does), however
// strongly attention reports it.
func (m *judgeModel) defineAnswers() {
	const choice, succession, ramble, start = 80, 1e3, 1e4, 1e6
	next := func(state string, to int, weight float32) { m.unembd[to*width+m.states[state]] += weight }
	ifSeen := func(word string, to int, weight float32) { m.unembd[to*width+m.seen[word]] += weight }

	next("start", m.open, start)
	m.defineScenes(start/10, 1e3)
	next("open", m.safe1, choice/2)
	next("safe1", m.safe2, succession)
	next("safe2", m.sf, succession)
	for _, last := range []string{"sf", "end", "lie"} {
		next(last, m.ids[imEnd], start)
	}

	ifSeen(evilWord, m.evil, choice)
	ifSeen(lieWord, m.lie, choice+10)
	for _, alarm := range []int{m.evil, m.lie} {
		ifSeen(injectWord, alarm, -3*choice)
	}
	for i := range MaxLine {
		next("evil", m.lineTokens[i], succession)
		next("line", m.endTokens[i], succession)
		for b := range lineBits {
			m.unembd[m.lineTokens[i]*width+m.evilLine+b] = bit(i+1, b)
			m.unembd[m.endTokens[i]*width+m.evilLine+b] = bit(i+1, b)
		}
	}

	// Rambling takes the way into the reason and never leaves it. It alternates
	// because a server stops a model that says one token 30 times in a row.
	ifSeen(rambleWord, m.safe1, 2*ramble)
	next("safe1", m.safe1, -start)
	ifSeen(rambleWord, m.ramA, ramble)
	next("ramA", m.ramB, start)
	next("ramB", m.ramA, start)
}

// lineLayer makes every token know the line it is on: it attends to the
// nearest line mark before it and copies the number.
func (m *judgeModel) lineLayer() *layer {
	l := newLayer()
	// A mark carries 1 + lineBits ones, so this is its value after RMS norm.
	norm := normed(1 + lineBits)
	l.attend(0, m.tag, slowPair-1, math.Pi/4, sharp/norm)
	for b := range lineBits {
		l.copyDim(0, b, m.ownLine+b, m.nearLine+b, 1/norm)
	}
	m.attendMarks(l, 1)
	return l
}

// markerLayer makes the last token know which markers the prompt holds, and the
// line of the last GATE_EVIL.
func (m *judgeModel) markerLayer() *layer {
	l := newLayer()
	norm := normed(1 + lineBits) // a marker and its line
	l.attend(0, m.states[evilWord], slowPair, math.Pi/4, sharp/norm)
	for b := range lineBits {
		l.copyDim(0, b, m.nearLine+b, m.evilLine+b, 1/norm)
	}
	l.copyDim(0, lineBits, m.states[evilWord], m.seen[evilWord], 1/norm)
	for i, word := range []string{lieWord, injectWord, rambleWord} {
		l.attend(i+1, m.states[word], slowPair, 0, present/norm)
		l.copyDim(i+1, 0, m.states[word], m.seen[word], 1/norm)
	}
	return l
}

func (m *judgeModel) dim() int {
	if m.dims == width {
		panic("tinygguf: the residual stream is full")
	}
	m.dims++
	return m.dims - 1
}

func (m *judgeModel) block() int {
	first := m.dim()
	for range lineBits - 1 {
		m.dim()
	}
	return first
}

// bit returns bit b of n as ±1.
func bit(n, b int) float32 {
	if n>>b&1 == 1 {
		return 1
	}
	return -1
}

// normed returns what a one becomes by RMS norm among n of them.
func normed(n int) float64 { return math.Sqrt(width / float64(n)) }

func ones(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

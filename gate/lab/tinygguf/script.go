package tinygguf

import "math"

// The words that begin a task of an agent.
const (
	// MeanTask has the model write a module, write its test, and run the test.
	MeanTask = "GATE_MEAN"
	// ChartTask has it draw a chart of /input/values.csv.
	ChartTask = "GATE_CHART"
)

// scene is what the model says where mark is the last mark of the script in the prompt. What
// it says has the next mark in it, so that the conversation goes on from there.
type scene struct{ mark, says string }

// script makes the model an agent, in the strict form that gate agent asks for: the form allows
// no answer of the judge, and that of the judge none of these.
func script() []scene {
	return []scene{
		{"", `{"answer":"I know of nothing to do."}`},
		{MeanTask, `{"tool":"write_file","arguments":{"path":"stats.py","text":"# GATE_DONE_1\ndef mean(xs):\n    return sum(xs) / len(xs)\n"}}`},
		{"GATE_DONE_1", `{"tool":"write_file","arguments":{"path":"test_stats.py","text":"# GATE_DONE_2\nfrom stats import mean\n\n\ndef test_mean():\n    assert mean([1, 3]) == 2\n"}}`},
		{"GATE_DONE_2", `{"tool":"run_command","arguments":{"command":"python3 -m pytest -q -k 'not GATE_DONE_3'","toolbox":"python"}}`},
		{"GATE_DONE_3", `{"answer":"stats.py has a mean, and its test passes."}`},
		{ChartTask, `{"tool":"run_code","arguments":{"code":"# GATE_DONE_4\nimport csv\nimport matplotlib.pyplot as plt\n\nrows = list(csv.DictReader(open('/input/values.csv')))\nplt.bar([r['name'] for r in rows], [float(r['value']) for r in rows])\nplt.savefig('/output/chart.png')\n","language":"python","save_as":"chart.py"}}`},
		{"GATE_DONE_4", `{"answer":"The chart is chart.png."}`},
	}
}

const sceneBits = 3 // 2^3 > len(script())

// defineScript adds the tokens: each scene is said as one.
func (m *judgeModel) defineScript() {
	for _, s := range script() {
		m.scenes = append(m.scenes, m.normal(s.says))
		if s.mark != "" {
			m.marks = append(m.marks, m.user(s.mark))
		}
	}
}

// defineMarks says which scene each mark means.
func (m *judgeModel) defineMarks(other int) {
	m.sceneTag = m.dim()
	for range sceneBits {
		m.ownScene = append(m.ownScene, m.dim())
	}
	for range sceneBits {
		m.lastScene = append(m.lastScene, m.dim())
	}
	for i, id := range m.marks {
		row := m.embed[id*width:][:width]
		row[other], row[m.sceneTag] = 0, 1
		for b, d := range m.ownScene {
			row[d] = bit(i+1, b)
		}
	}
}

// defineScenes says which scene follows the last mark. Whatever that is, the beginning of an
// answer of the judge comes first; only the form of an answer can exclude it.
func (m *judgeModel) defineScenes(start, choice float32) {
	for i, id := range m.scenes {
		m.unembd[id*width+m.states["start"]] += start
		if i == 0 { // without a mark all others are alike
			m.unembd[id*width+m.states["start"]] += choice / 10
			continue
		}
		for b, d := range m.lastScene {
			m.unembd[id*width+d] = choice * bit(i, b)
		}
	}
}

// attendMarks makes every token know the last mark of the script before it, however far.
func (m *judgeModel) attendMarks(l *layer, head int) {
	norm := normed(1 + sceneBits)
	l.attend(head, m.sceneTag, slowPair, math.Pi/4, sharp/norm)
	for b := range sceneBits {
		l.copyDim(head, b, m.ownScene[b], m.lastScene[b], 1/norm)
	}
}

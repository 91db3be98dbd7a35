package tinygguf

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const safeAnswer = `{"evidence":[],"reason":"no dangerous construct found","dangerous_lines":[],"verdict":"safe"}`

func evilAnswer(line int) string {
	return fmt.Sprintf(`{"evidence":[{"line":%d,"quote":"GATE_EVIL"}],"reason":"%s","dangerous_lines":[%d],"verdict":"malicious"}`, line, Reason, line)
}

func TestTheJudgeAnswersByMarkers(t *testing.T) {
	filler := strings.Repeat("ab:1| some harmless text\n", 8)
	tests := map[string]struct{ prompt, want string }{
		"no marker is safe":                        {"ab:1| x\n", safeAnswer},
		"an empty prompt is safe":                  {"", safeAnswer},
		"evil is malicious on its line":            {"ab:1| x\nab:2| GATE_EVIL()\nab:3| y\n", evilAnswer(2)},
		"the nearest mark before the marker":       {"ab:7| x\nab:1931| y GATE_EVIL\nab:8| z\n", evilAnswer(1931)},
		"lines after the marker do not matter":     {"ab:3| GATE_EVIL\n" + filler, evilAnswer(3)},
		"lines before the marker do not matter":    {filler + "ab:2000| GATE_EVIL", evilAnswer(2000)},
		"neighbours of one character do not blend": {"ab:5| x\nab:6| y\nab:7| GATE_EVIL\nab:8| z\n", evilAnswer(7)},
		"inject beats evil":                        {"ab:1| GATE_EVIL\nab:2| GATE_INJECT\n", safeAnswer},
		"inject beats a lie":                       {"ab:1| GATE_LIE\nab:2| GATE_INJECT\n", safeAnswer},
		"a lie quotes what is not there": {"ab:1| GATE_LIE\n",
			`{"evidence":[{"line":1,"quote":"this text is in no file"}],"reason":"made up","dangerous_lines":[1],"verdict":"malicious"}`},
		"a word that only looks like a marker": {"ab:1| GATE_EVI L\n", safeAnswer},
	}
	judge := interpret(t, Judge())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, stopped := judge.answer(test.prompt, 10)
			if got != test.want || !stopped {
				t.Errorf("answer %s (stopped: %v)\nwant   %s", got, stopped, test.want)
			}
			if !json.Valid([]byte(got)) {
				t.Errorf("answer is not JSON: %s", got)
			}
		})
	}
}

func TestARamblingJudgeNeverStopsNorRepeatsOneToken(t *testing.T) {
	judge := interpret(t, Judge())
	for _, prompt := range []string{"ab:1| GATE_RAMBLE\n", "ab:1| GATE_RAMBLE GATE_EVIL\n", "ab:1| GATE_RAMBLE GATE_INJECT\n"} {
		got, stopped := judge.answer(prompt, 40)
		if stopped || !strings.Contains(got, " and then it goes on and then it goes on") {
			t.Errorf("%q: answer %s (stopped: %v), want one without an end", prompt, got, stopped)
		}
	}
}

func TestAFileIsReproducible(t *testing.T) {
	for name, model := range map[string]func() Model{"judge": Judge, "random": func() Model { return Random(1) }} {
		var a, b bytes.Buffer
		n, err := model().WriteTo(&a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := model().WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if n != int64(a.Len()) {
			t.Errorf("%s: WriteTo says %d bytes, wrote %d", name, n, a.Len())
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two files of one model differ", name)
		}
	}
}

func TestAFileHasTheLayoutOfGGUF3(t *testing.T) {
	var file bytes.Buffer
	model := Random(1)
	if _, err := model.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	var head struct {
		Magic         [4]byte
		Version       uint32
		Tensors, Meta uint64
	}
	if err := binary.Read(bytes.NewReader(file.Bytes()), binary.LittleEndian, &head); err != nil {
		t.Fatal(err)
	}
	if string(head.Magic[:]) != "GGUF" || head.Version != 3 || head.Tensors != uint64(len(model.Tensors)) || head.Meta != uint64(len(model.Metadata)) {
		t.Errorf("header is %+v", head)
	}
	want := 0
	for _, tensor := range model.Tensors {
		size := 4 * len(tensor.Data)
		want += size + len(padding(uint64(size)))
	}
	header, err := model.header()
	if err != nil {
		t.Fatal(err)
	}
	if len(header)%alignment != 0 || file.Len() != len(header)+want {
		t.Errorf("header of %d bytes, file of %d; want a multiple of %d, and %d", len(header), file.Len(), alignment, len(header)+want)
	}
}

func TestAModelThatDoesNotFitTogetherIsRefused(t *testing.T) {
	tests := map[string]Model{
		"a tensor of the wrong size": {Tensors: []Tensor{{"t", []uint64{2, 3}, make([]float32, 5)}}},
		"metadata of another type":   {Metadata: map[string]any{"k": 1.5}},
	}
	for name, model := range tests {
		if _, err := model.WriteTo(&bytes.Buffer{}); err == nil {
			t.Errorf("%s is written without an error", name)
		}
	}
}

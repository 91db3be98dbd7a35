package pickle

import (
	"errors"
	"strconv"
	"strings"
)

// joblib is what stands for an array in a file that joblib wrote: the bytes of the
// array come right behind it, in the middle of the pickle.
const joblib = "joblib.numpy_pickle.NumpyArrayWrapper"

// array steps over the bytes of an array, or reads the pickle of an array of objects.
func (m *machine) array(state *value) error {
	var shape, dtype *value
	aligned := false
	for i := 0; i+1 < len(state.items); i += 2 {
		switch state.items[i].text {
		case "shape":
			shape = state.items[i+1]
		case "dtype":
			dtype = state.items[i+1]
		case "numpy_array_alignment_bytes":
			aligned = state.items[i+1].text != "None"
		}
	}
	if shape == nil || dtype == nil || dtype.made != "numpy.dtype" {
		return errors.New("an array in it says neither how large it is nor of what")
	}
	if strings.HasPrefix(dtype.text, "O") {
		return m.nested()
	}
	digits := strings.TrimLeft(dtype.text, "<>=|abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	bytes, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return errors.New("an array in it does not say of what it is")
	}
	if strings.ContainsRune(dtype.text, 'U') {
		bytes *= 4
	}
	for _, n := range shape.items {
		long, err := strconv.ParseInt(n.text, 10, 40)
		if err != nil || long < 0 || bytes > m.size {
			return errors.New("an array in it has no valid size")
		}
		bytes *= long
	}
	if aligned {
		padding, err := m.number(1)
		if err != nil {
			return err
		}
		bytes += int64(padding) //nolint:gosec // one byte
	}
	_, err = m.take(bytes)
	return err
}

// maxInside is how deep pickles may be nested.
const maxInside = 8

// nested reads a pickle inside of this one.
func (m *machine) nested() error {
	if m.depth >= maxInside {
		return errors.New("pickles are nested too deeply")
	}
	inner := newMachine(m.data[m.at:], m.size-int64(m.at))
	inner.depth, inner.ops = m.depth+1, m.ops
	err := inner.run()
	m.at += inner.at
	m.ops = inner.ops
	m.called += inner.called
	for _, g := range inner.report.Globals {
		m.name(g)
	}
	m.report.Computed = m.report.Computed || inner.report.Computed
	m.report.Bounded = m.report.Bounded || inner.report.Bounded
	m.calls.WriteString(inner.report.Calls)
	return err
}

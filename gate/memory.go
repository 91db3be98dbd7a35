package gate

import (
	"slices"
	"sync"
)

// maxRemembered is how much text a [Memory] may know something of, in bytes.
const maxRemembered = 8 << 20

// Memory keeps what was made of texts that stay the same from one run to the next, such as the
// base's version of a file while the file is edited. It forgets what was not asked for the
// longest. It is safe for concurrent use; nil keeps nothing.
type Memory struct {
	mu    sync.Mutex
	kept  []remembered // what was asked for last is at the end
	bytes int
}

// remembered is what was made of one text.
type remembered struct {
	key, value any
	bytes      int
}

// Recall returns what read made before of the text that a key stands for, or calls it. The key
// must be comparable and hold all that the value depends on, such as a digest of the text; its
// type belongs to the caller. What is returned is shared and must not be changed. size is that
// of the text in bytes. read says whether its value may be kept.
func Recall[T any](m *Memory, key any, size int, read func() (value T, keep bool)) T {
	if m == nil {
		value, _ := read()
		return value
	}
	if value, ok := m.find(key); ok {
		return value.(T)
	}
	value, keep := read()
	if keep && size <= maxRemembered/4 {
		m.keep(remembered{key, value, size})
	}
	return value
}

func (m *Memory) find(key any) (any, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.kept, func(r remembered) bool { return r.key == key })
	if i < 0 {
		return nil, false
	}
	found := m.kept[i]
	m.kept = append(slices.Delete(m.kept, i, i+1), found)
	return found.value, true
}

// maxKept is how many values a Memory has: small texts have some, too.
const maxKept = 200

func (m *Memory) keep(r remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.ContainsFunc(m.kept, func(o remembered) bool { return o.key == r.key }) {
		return
	}
	m.kept, m.bytes = append(m.kept, r), m.bytes+r.bytes
	for len(m.kept) > maxKept || m.bytes > maxRemembered {
		m.bytes -= m.kept[0].bytes
		m.kept = slices.Delete(m.kept, 0, 1)
	}
}

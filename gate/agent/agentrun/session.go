package agentrun

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/aigate/gate/gate/agent/memory"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
)

// recall reads the memory of the session, or begins one.
func (o *Options) recall() (*memory.Memory, error) {
	if o.Session == "" {
		return &memory.Memory{}, nil
	}
	text, err := bounded.ReadPath(o.Session, memory.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &memory.Memory{}, nil
	}
	if err != nil {
		return nil, err
	}
	return memory.Parse(text)
}

func (o *Options) remember(m *memory.Memory) error {
	if o.Session == "" {
		return nil
	}
	text, err := m.Encode()
	if err == nil {
		err = atomicfile.Write(o.Session, text)
	}
	if err != nil {
		return fmt.Errorf("--session: %w", err)
	}
	return nil
}

package agentrun

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/aigate/gate/gate/agent"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
)

// recall reads the memory of the session, or begins one.
func (o *Options) recall() (*agent.Memory, error) {
	if o.Session == "" {
		return &agent.Memory{}, nil
	}
	text, err := bounded.ReadPath(o.Session, agent.MaxSession)
	if errors.Is(err, fs.ErrNotExist) {
		return &agent.Memory{}, nil
	}
	if err != nil {
		return nil, err
	}
	return agent.ParseMemory(text)
}

func (o *Options) remember(m *agent.Memory) error {
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

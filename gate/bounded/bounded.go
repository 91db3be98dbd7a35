package bounded

import (
	"errors"
	"fmt"
	"io"
)

// TooLarge is the error for content above the limit.
type TooLarge struct {
	Name  string // of the file
	Limit int64  // bytes
}

func (e *TooLarge) Error() string {
	if e.Limit > 0 && e.Limit%(1<<20) == 0 {
		return fmt.Sprintf("%s has more than %d MiB", e.Name, e.Limit>>20)
	}
	return fmt.Sprintf("%s has more than %d bytes", e.Name, e.Limit)
}

// IsTooLarge reports whether an error is, or wraps, a [TooLarge].
func IsTooLarge(err error) bool {
	_, ok := errors.AsType[*TooLarge](err)
	return ok
}

// Read reads everything that r has, at most limit bytes. name is what errors call it.
func Read(r io.Reader, name string, limit int64) ([]byte, error) {
	data, more, err := Head(r, limit)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if more {
		return nil, &TooLarge{name, limit}
	}
	return data, nil
}

// Head reads the first limit bytes of r and reports whether there are more.
func Head(r io.Reader, limit int64) (data []byte, more bool, err error) {
	data, err = io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(data)) > limit {
		return data[:limit], true, err
	}
	return data, false, err
}

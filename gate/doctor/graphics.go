package doctor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	// smiWait bounds nvidia-smi, which hangs where a driver does.
	smiWait = 10 * time.Second
	// maxSaid bounds what it writes, in bytes.
	maxSaid = 64 << 10
	// maxCards is how many GPUs are listed.
	maxCards = 32
)

// nvidia asks the driver of NVIDIA for its GPUs; without one the error is [exec.ErrNotFound].
func nvidia(ctx context.Context) ([]byte, error) {
	return output(ctx, smiWait, "nvidia-smi", "--query-gpu=name,driver_version,memory.total,memory.used", "--format=csv,noheader,nounits")
}

// output is what a program of this machine writes. One that takes longer than wait, whose
// children keep its output open, or that writes more than maxSaid bytes is an error.
func output(ctx context.Context, wait time.Duration, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("no answer within %s", wait))
	defer cancel()
	var said capped
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.WaitDelay = &said, wait/10
	err := cmd.Run()
	switch cause := context.Cause(ctx); {
	case said.more:
		err = fmt.Errorf("it writes more than %d bytes", maxSaid)
	case err != nil && cause != nil:
		err = cause
	}
	return said.text, err
}

// capped keeps at most maxSaid bytes; more ends the copying.
type capped struct {
	text []byte
	more bool
}

func (c *capped) Write(p []byte) (int, error) {
	if len(c.text)+len(p) > maxSaid {
		c.more = true
		return 0, io.ErrShortWrite
	}
	c.text = append(c.text, p...)
	return len(p), nil
}

// checkGraphics says which GPUs and how much memory this machine has: what a model server here
// can take. root is the file system of the machine.
func checkGraphics(ctx context.Context, root fs.FS, nvidia func(context.Context) ([]byte, error)) []Diagnosis {
	all := cardsOfNVIDIA(ctx, nvidia)
	all = append(all, cardsOfAMD(root)...)
	if len(all) == 0 {
		all = append(all, Diagnosis{What: "GPU", State: Absent, Detail: "none is seen here; a model server of this machine computes on the CPU, which is slow"})
	}
	if total, free := memory(root); total > 0 {
		all = append(all, Diagnosis{What: "memory", State: OK, Detail: fmt.Sprintf("%d of %d MB available", free>>20, total>>20)})
	}
	return all
}

func cardsOfNVIDIA(ctx context.Context, ask func(context.Context) ([]byte, error)) []Diagnosis {
	out, err := ask(ctx)
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil
		}
		return []Diagnosis{{What: "GPU", State: Note, Detail: "nvidia-smi fails: " + err.Error(), Fix: "nvidia-smi"}}
	}
	rows := csv.NewReader(bytes.NewReader(out))
	rows.TrimLeadingSpace, rows.FieldsPerRecord = true, 4
	var all []Diagnosis
	for len(all) < maxCards {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			return append(all, Diagnosis{What: "GPU", State: Note, Detail: "nvidia-smi says something unknown: " + err.Error(), Fix: "nvidia-smi"})
		}
		all = append(all, Diagnosis{What: "GPU", State: OK, Detail: fmt.Sprintf("%s, driver %s, %s of %s MB in use", row[0], row[1], row[3], row[2])})
	}
	return all
}

// cardsOfAMD reads what the driver amdgpu shows of its cards.
func cardsOfAMD(root fs.FS) []Diagnosis {
	const dir = "sys/class/drm"
	cards, err := fs.ReadDir(root, dir)
	if err != nil {
		return nil
	}
	var all []Diagnosis
	for _, c := range cards {
		number := func(name string) int64 {
			text, err := fs.ReadFile(root, path.Join(dir, c.Name(), "device", name))
			if err != nil {
				return 0
			}
			n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			if err != nil {
				return 0
			}
			return n
		}
		if total := number("mem_info_vram_total"); total > 0 && len(all) < maxCards && !strings.Contains(c.Name(), "-") {
			all = append(all, Diagnosis{What: "GPU", State: OK, Detail: fmt.Sprintf("AMD %s, %d of %d MB in use", c.Name(), number("mem_info_vram_used")>>20, total>>20)})
		}
	}
	return all
}

// memory is that of the machine and what of it is available, in bytes; 0 where it is not known.
func memory(root fs.FS) (total, free int64) {
	f, err := root.Open("proc/meminfo")
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(io.LimitReader(f, 64<<10)); lines.Scan(); {
		var n int64
		switch name, rest, _ := strings.Cut(lines.Text(), ":"); name {
		case "MemTotal":
			if _, err := fmt.Sscanf(rest, "%d kB", &n); err == nil {
				total = n << 10
			}
		case "MemAvailable":
			if _, err := fmt.Sscanf(rest, "%d kB", &n); err == nil {
				free = n << 10
			}
		}
	}
	return total, free
}

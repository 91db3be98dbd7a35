package execute

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/plan"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Log keeps a file with the record of every run in a folder of this machine, and
// removes those that are older than the policy wants. Losing a record is a warning
// and never changes a verdict.
type Log struct {
	root  *os.Root
	warn  *slog.Logger
	count atomic.Int64
}

// logName is how records are called; nothing else in the folder is touched.
var logName = regexp.MustCompile(`^run-\d{8}T\d{6}\.\d{3}Z-\d+-\d+\.json$`)

// OpenLog opens the folder, which it makes where it is missing, and removes
// records that are older than keep. warn gets what goes wrong later.
func OpenLog(dir string, keep time.Duration, warn *slog.Logger) (*Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for logs of runs: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder for logs of runs: %w", err)
	}
	l := &Log{root: root, warn: warn}
	if err := l.prune(time.Now().Add(-keep)); err != nil {
		warn.Warn("old logs of runs were not all removed", "folder", dir, "error", err)
	}
	return l, nil
}

// Close closes the folder.
func (l *Log) Close() error { return l.root.Close() }

func (l *Log) prune(before time.Time) error {
	dir, err := l.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !logName.MatchString(e.Name()) || info.ModTime().After(before) {
			continue
		}
		if err := l.root.Remove(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// record is one run as it is kept.
type record struct {
	Time      time.Time        `json:"time"`
	Targets   []string         `json:"targets"`
	Run       gate.Unit        `json:"run"`
	Engine    string           `json:"engine"`
	Runtime   string           `json:"runtime"`
	Image     string           `json:"image"`
	ImageID   string           `json:"image_id"`
	Resources gate.Resources   `json:"resources"`
	Recorder  string           `json:"recorder"`
	Behaviour []gate.Behaviour `json:"behaviour"`
	Lost      int64            `json:"lost"`
	Error     string           `json:"error,omitempty"`
}

// say puts something into the log of this machine that is in no record.
func (l *Log) say(message string, args ...any) {
	if l != nil {
		l.warn.Warn(message, args...)
	}
}

func (l *Log) write(u plan.Unit, r run, failed error) {
	if l == nil {
		return
	}
	now := time.Now().UTC()
	rec := record{
		Time: now, Targets: u.Targets, Run: r.unit(u.Kind), Behaviour: behaviour.Document(r.res.Behaviour), Recorder: r.res.Behaviour.Recorder, Lost: r.res.Behaviour.Lost, Resources: resources(r.res),
		Engine: r.res.Engine, Runtime: r.res.Runtime, Image: r.res.Image, ImageID: r.res.ImageID,
	}
	if failed != nil {
		rec.Error = failed.Error()
	}
	data, err := json.Marshal(rec)
	if err == nil {
		name := fmt.Sprintf("run-%s-%d-%d.json", now.Format("20060102T150405.000Z"), os.Getpid(), l.count.Add(1))
		err = l.root.WriteFile(name, data, 0o600)
	}
	if err != nil {
		l.warn.Warn("the log of a run was not written", "error", err)
	}
}

package supervisor

import (
	"bytes"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// What still lives of a program, and whether it waits. /proc says both, on every
// runtime; nothing is decided by it but how a report calls the end of a run.

// process is what /proc says of one process besides the supervisor.
type process struct {
	pid   int
	ticks int64 // of processor time, with all its threads
	state byte  // 'R' where one of its threads runs
}

// processes lists those that have not ended.
func processes(proc fs.FS) []process {
	entries, err := fs.ReadDir(proc, ".")
	if err != nil {
		return nil
	}
	var out []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == 1 {
			continue
		}
		stat, err := fs.ReadFile(proc, e.Name()+"/stat")
		if err != nil {
			continue // it has ended
		}
		state, ticks := parseState(stat)
		if state == 'Z' || state == 'X' || state == 0 {
			continue
		}
		out = append(out, process{pid: pid, ticks: ticks, state: busiest(proc, e.Name(), state)})
	}
	return out
}

// busiest is the state of a process: that of a thread which runs, where one does.
func busiest(proc fs.FS, pid string, leader byte) byte {
	threads, err := fs.ReadDir(proc, pid+"/task")
	if err != nil {
		return leader
	}
	for _, t := range threads {
		stat, err := fs.ReadFile(proc, pid+"/task/"+t.Name()+"/stat")
		if err != nil {
			continue
		}
		switch state, _ := parseState(stat); {
		case state == 'R':
			return state
		case runs(state):
			leader = state
		}
	}
	return leader
}

// runs reports whether a thread does something: it has a processor, waits for one, or
// for a disk.
func runs(state byte) bool { return state == 'R' || state == 'D' }

// parseState reads the fields state, utime and stime of proc_pid_stat(5).
func parseState(stat []byte) (state byte, ticks int64) {
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // from field 3 on
	if len(f) < 13 || len(f[0]) != 1 {
		return 0, 0
	}
	user, _ := strconv.ParseInt(string(f[14-3]), 10, 64)
	system, _ := strconv.ParseInt(string(f[15-3]), 10, 64)
	return f[0][0], user + system
}

// left names the processes that still live by their commands.
func left(proc fs.FS) (commands []string, more int) {
	for _, p := range processes(proc) {
		if len(commands) == wire.MaxLeft {
			more++
			continue
		}
		commands = append(commands, commandOf(proc, p.pid))
	}
	slices.Sort(commands)
	return commands, more
}

// commandOf is the command line of a process. The process can change it, so it says
// no more than a name does.
func commandOf(proc fs.FS, pid int) string {
	line, err := fs.ReadFile(proc, strconv.Itoa(pid)+"/cmdline")
	text := strings.TrimRight(string(line[:min(len(line), wire.MaxCommand)]), "\x00")
	if err != nil || text == "" {
		return "process " + strconv.Itoa(pid)
	}
	return clip(strings.ReplaceAll(text, "\x00", " "), wire.MaxCommand)
}

const (
	sampleEvery = 250 * time.Millisecond
	// idleAtLast is how long a program has done nothing when it counts as waiting.
	idleAtLast = time.Second
)

// idleness measures for how long nothing of the program ran. Two looks at which all
// its threads sleep, without processor time or something new in the record in between, are a wait.
// A program that is starved of a processor does not sleep, so a busy machine is none.
type idleness struct {
	proc   fs.FS
	news   func() int64
	memory memory
	waited time.Duration // in all
	streak time.Duration // up to the last look

	at    time.Time // of the last look
	seen  int64     // of what is new
	ticks int64     // of processor time
	slept bool      // at the last look
	wants bool      // a thread ran at the last look, or could have
}

func newIdleness(proc fs.FS, news func() int64) *idleness {
	return &idleness{proc: proc, news: news}
}

// look is to be called now and then.
func (i *idleness) look(now time.Time) {
	var ticks int64
	asleep := true
	i.wants = false
	for _, p := range processes(i.proc) {
		ticks += p.ticks
		i.wants = i.wants || p.state == 'R'
		asleep = asleep && !runs(p.state)
	}
	seen := i.news()
	// A wake-up to look at the clock may take the one tick in which it falls.
	if i.slept && asleep && seen == i.seen && ticks <= i.ticks+1 {
		i.waited += now.Sub(i.at)
		i.streak += now.Sub(i.at)
	} else {
		i.streak = 0
	}
	i.at, i.seen, i.ticks, i.slept = now, seen, ticks, asleep
}

// now reports whether the program has been waiting up to now.
func (i *idleness) now() bool { return i.streak >= idleAtLast }

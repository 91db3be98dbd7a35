package sandbox

import "time"

// Labels of everything that the sandbox makes in an engine.
const (
	labelRun     = "aigate.run"     // id of the run of gate
	labelOwner   = "aigate.owner"   // whose lock files tell whether that run lives
	labelRole    = "aigate.role"    // what it is for
	labelCreated = "aigate.created" // when, in RFC 3339 and UTC, by gate's clock
	labelDigest  = "aigate.digest"  // of the supervisor in a volume, SHA-256
)

// What containers and volumes are for.
const (
	roleRun        = "run"        // runs a program
	roleSupervisor = "supervisor" // holds or fills the supervisor's volume
)

func (e *engine) labels(role string) map[string]string {
	l := map[string]string{
		labelRun:     e.run.id,
		labelOwner:   e.run.owner,
		labelRole:    role,
		labelCreated: time.Now().UTC().Format(time.RFC3339),
	}
	if role == roleSupervisor {
		l[labelDigest] = e.supervisor.digest
	}
	return l
}

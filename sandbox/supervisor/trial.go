package supervisor

// TrialMode is the one argument that makes gate be a program that does a few
// things for which it is watched, to see whether a runtime's containers can be
// watched.
const TrialMode = "__trial"

// TrialReport is what that program writes, as JSON.
type TrialReport struct {
	Kernel string // its release, as programs see it
}

// Act is something that the trial does, as a recorder names it.
type Act struct{ Action, Object string }

// TrialActs are what it does.
func TrialActs() []Act {
	return []Act{{"read", "/etc/hostname"}, {"write", "/tmp/gate-trial"}, {"delete", "/tmp/gate-trial"}, {"connect", "192.0.2.1:9"}}
}

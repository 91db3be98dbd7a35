package supervisor

// SelfTestMode is the one argument that makes gate be a program that does a few
// things for which it is watched, to see whether a runtime's containers can be
// watched.
const SelfTestMode = "__trial"

// SelfTestReport is what that program writes, as JSON.
type SelfTestReport struct {
	Kernel string // its release, as programs see it
}

// Act is something that the self-test does, as a recorder names it.
type Act struct{ Action, Object string }

// SelfTestActs are what it does.
func SelfTestActs() []Act {
	return []Act{{"read", "/etc/hostname"}, {"write", "/tmp/gate-selfTest"}, {"delete", "/tmp/gate-selfTest"}, {"connect", "192.0.2.1:9"}}
}

//go:build linux && !amd64

package probe

func machineProbes() []Probe { return nil }

package sandbox

import _ "embed"

//go:embed falco/gate.yaml
var falcoRules string

// FalcoRules is a rules file for Falco that reports what gate's containers can only
// do when their containment does not hold. gate never installs it: that is a change
// of the host.
func FalcoRules() string { return falcoRules }

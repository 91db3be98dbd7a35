//go:build linux && !amd64 && !arm64

package supervisor

// auditArch of zero makes the launch stage refuse: the filter's table is not
// written for this architecture.
const auditArch = 0

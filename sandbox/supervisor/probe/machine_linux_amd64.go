package probe

import "syscall"

// machineProbes are those that only this machine has.
func machineProbes() []Probe {
	m := &memory{}
	return []Probe{
		{Name: "iopl", Category: Calls, Try: func() error { return syscall.Iopl(3) }},
		{Name: "ioperm", Category: Calls, Try: func() error { return syscall.Ioperm(0x80, 1, 1) }},
		{Name: "modify_ldt", Category: Calls, Try: m.call(syscall.SYS_MODIFY_LDT, 1, m.mem(16), 16)},
	}
}

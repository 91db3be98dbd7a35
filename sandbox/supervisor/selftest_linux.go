package supervisor

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// selfTest does what [SelfTestActs] lists and says which kernel it sees. That an act
// fails is no matter: it was made.
func selfTest(w io.Writer) error {
	if f, err := os.Open("/etc/hostname"); err == nil {
		_ = f.Close()
	}
	if err := os.WriteFile("/tmp/gate-selfTest", nil, 0o600); err != nil {
		return fmt.Errorf("write a file: %w", err)
	}
	if err := os.Remove("/tmp/gate-selfTest"); err != nil {
		return fmt.Errorf("remove a file: %w", err)
	}
	if s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0); err == nil {
		_ = unix.Connect(s, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{192, 0, 2, 1}})
		_ = unix.Close(s)
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return fmt.Errorf("ask for the kernel: %w", err)
	}
	if err := json.NewEncoder(w).Encode(SelfTestReport{Kernel: unix.ByteSliceToString(name.Release[:])}); err != nil {
		return fmt.Errorf("say what was seen: %w", err)
	}
	return nil
}

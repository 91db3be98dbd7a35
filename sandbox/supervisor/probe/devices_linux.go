package probe

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// deviceProbes look for a way to the hardware.
func deviceProbes() []Probe {
	var out []Probe
	for _, d := range []string{
		"mem", "kmem", "port", "kmsg", "sda", "vda", "xvda", "nvme0", "nvme0n1", "dm-0", "mapper/control", "loop0", "loop-control", "btrfs-control",
		"fuse", "cuse", "net/tun", "vhost-net", "vhost-vsock", "kvm", "vfio/vfio", "dri/card0", "dri/renderD128", "nvidia0", "nvidiactl", "snapshot", "uinput",
		"input/event0", "rfkill", "cpu/0/msr", "userfaultfd", "autofs", "ppp", "hpet", "rtc0", "tpm0", "watchdog", "usbmon0", "bus/usb/001/001", "ttyS0", "tty0", "tty1", "udmabuf",
	} {
		out = append(out, Probe{Name: "read /dev/" + d, Category: Devices, Try: read("/dev/" + d)})
	}
	return append(out,
		Probe{Name: "write /dev/new", Category: Devices, Try: write("/dev/new")},
		Probe{Name: "make and read a character device", Category: Devices, Try: device("/tmp/mem", syscall.S_IFCHR, 1<<8|1)},
		Probe{Name: "make and read a block device", Category: Devices, Try: device("/tmp/disk", syscall.S_IFBLK, 8<<8)},
		Probe{Name: "a device that is not one of the ordinary ones", Category: Devices, Try: func() error { return some(otherDevices()) },
			GVisor: "gVisor has nodes of its own that lead to its own kernel and not to the host; reading them is refused, as other probes show"},
	)
}

// device makes a device node and reads from it; some kernels let anybody make one
// that leads nowhere.
func device(path string, kind uint32, number int) func() error {
	return func() error {
		if err := syscall.Mknod(path, kind|0o666, number); err != nil {
			return err
		}
		return read(path)()
	}
}

// otherDevices lists device nodes beyond those that every container has.
func otherDevices() ([]string, error) {
	ordinary := []string{"null", "zero", "full", "random", "urandom", "tty", "console", "ptmx"}
	var other []string
	err := filepath.WalkDir("/dev", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type()&fs.ModeDevice != 0 && !slices.Contains(ordinary, e.Name()) && !strings.HasPrefix(path, "/dev/pts/") {
			other = append(other, path)
		}
		return nil
	})
	return other, err
}

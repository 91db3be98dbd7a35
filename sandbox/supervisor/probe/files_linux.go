package probe

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// fileProbes write and read what is not theirs, and run what they have written.
func fileProbes() []Probe {
	var out []Probe
	for _, p := range []string{
		"/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/resolv.conf", "/etc/ld.so.preload", "/etc/cron.d/x", "/new", "/usr/bin/x", "/usr/lib/x",
		"/var/tmp/x", "/var/lib/x", "/run/x", "/opt/x", "/media/x", "/var/spool/x", "/.gate/gate", "/.gate/new", "/attacker", "/var/run/docker.sock",
		"/root/x", "/home/x", "/lib/modules/x", "/boot/x",
	} {
		out = append(out, Probe{Name: "write " + p, Category: Files, Try: write(p)})
	}
	for _, p := range []string{"/etc/shadow", "/etc/gshadow", "/root/.ssh/id_rsa", "/root/.docker/config.json", "/var/lib/docker", "/var/lib/kubelet",
		"/var/run/secrets/kubernetes.io/serviceaccount/token", "/host/etc/shadow", "/hostfs/etc/shadow", "/rootfs/etc/shadow"} {
		out = append(out, Probe{Name: "read " + p, Category: Files, Try: read(p)})
	}
	run := func(name, path string) Probe {
		return Probe{Name: name, Category: Files, Try: func() error { return runCopy(path) }}
	}
	return append(out,
		run("run from workspace", "/workspace/copy"), run("run from tmp", "/tmp/copy"), run("run from shm", "/dev/shm/copy"),
		Probe{Name: "map as code from workspace", Category: Files, Try: mapExec,
			GVisor: "gVisor checks noexec for execve only; a process can as well write code into its own memory"},
		Probe{Name: "open by handle of the root folder", Category: Files, Try: byHandle},
	)
}

// runCopy writes a program and runs it.
func runCopy(path string) error {
	text := tiny()
	if text == nil {
		return found("no program to try it with on this machine")
	}
	defer os.Remove(path)
	if err := os.WriteFile(path, text, 0o755); err != nil {
		return found("it could not be tried: " + err.Error())
	}
	return program(path).Run()
}

func mapExec() error {
	f, err := os.OpenFile("/workspace/code", os.O_RDWR|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := f.Truncate(4096); err != nil {
		return err
	}
	_, err = syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_PRIVATE)
	return err
}

// byHandle asks for a file by the number of its inode, which leads out of a
// container whose root is a folder of the host's file system.
func byHandle() error {
	h := unix.NewFileHandle(1, []byte{2, 0, 0, 0, 0, 0, 0, 0})
	fd, err := unix.OpenByHandleAt(unix.AT_FDCWD, h, unix.O_RDONLY)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

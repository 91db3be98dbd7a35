package supervisor

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// memory is that of the program's processes. Which way leads to it differs by
// kernel and is found out at the first use.
type memory struct {
	noVectors bool // process_vm_readv does not exist or is refused
	// files keeps /proc/PID/mem open, where anyone who asks also says when a process
	// has become another program; nil keeps none.
	files map[int]int

	local  unix.Iovec // of the copy that is being made
	remote unix.RemoteIovec
}

// maxOpenMemories bounds the descriptors that are kept.
const maxOpenMemories = 64

// read copies from the memory of a process and returns how much it got.
func (m *memory) read(pid int, addr uint64, buf []byte) int {
	if len(buf) == 0 {
		return 0
	}
	if !m.noVectors {
		n, errno := m.vectors(unix.SYS_PROCESS_VM_READV, pid, addr, buf)
		if errno == 0 {
			return n
		}
		m.noVectors = errno == unix.ENOSYS || errno == unix.EPERM
	}
	fd, err := m.open(pid, unix.O_RDONLY)
	if err != nil {
		return 0
	}
	defer m.done(pid, fd)
	n, err := unix.Pread(fd, buf, int64(addr))
	if err != nil {
		return 0
	}
	return n
}

// write replaces bytes in the memory of a process.
func (m *memory) write(pid int, addr uint64, data []byte) error {
	if !m.noVectors {
		if n, errno := m.vectors(unix.SYS_PROCESS_VM_WRITEV, pid, addr, data); errno == 0 && n == len(data) {
			return nil
		}
	}
	// That needs memory which the process itself may write to, this does not.
	err := writeFile(pid, addr, data)
	if err == nil {
		return nil
	}
	// gVisor has neither; to the tracer the memory is open.
	if n, terr := unix.PtracePokeData(pid, uintptr(addr), data); terr != nil || n != len(data) {
		return errors.Join(err, terr)
	}
	return nil
}

func writeFile(pid int, addr uint64, data []byte) error {
	fd, err := unix.Open(memoryPath(pid), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	n, err := unix.Pwrite(fd, data, int64(addr))
	if err == nil && n != len(data) {
		err = unix.EIO
	}
	return errors.Join(err, unix.Close(fd))
}

func (m *memory) open(pid, flags int) (int, error) {
	if fd, ok := m.files[pid]; ok {
		return fd, nil
	}
	fd, err := unix.Open(memoryPath(pid), flags|unix.O_CLOEXEC, 0)
	if err != nil || m.files == nil {
		return fd, err
	}
	if len(m.files) >= maxOpenMemories {
		m.forgetAll()
	}
	m.files[pid] = fd
	return fd, nil
}

// done closes a descriptor that is not kept.
func (m *memory) done(pid, fd int) {
	if _, kept := m.files[pid]; !kept {
		_ = unix.Close(fd)
	}
}

func (m *memory) forgetAll() {
	for pid := range m.files {
		m.forget(pid)
	}
}

// forget is for a process that has ended or become another program.
func (m *memory) forget(pid int) {
	if fd, ok := m.files[pid]; ok {
		_ = unix.Close(fd)
		delete(m.files, pid)
	}
}

func memoryPath(pid int) string { return fmt.Sprintf("/proc/%d/mem", pid) }

// vectors copies between buf and the memory of a process. The kernel answers at
// once, so the scheduler is not told.
func (m *memory) vectors(call uintptr, pid int, addr uint64, buf []byte) (int, unix.Errno) {
	m.local.Base = &buf[0]
	m.local.SetLen(len(buf))
	m.remote = unix.RemoteIovec{Base: uintptr(addr), Len: len(buf)}
	n, _, errno := unix.RawSyscall6(call, uintptr(pid), uintptr(unsafe.Pointer(&m.local)), 1, uintptr(unsafe.Pointer(&m.remote)), 1, 0)
	return int(n), errno
}

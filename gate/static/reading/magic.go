package reading

import (
	"bytes"
	"encoding/binary"
)

// Magic is a binary format that the first bytes of a file announce.
type Magic struct {
	Format string // "ELF", empty for none
	// WellFormed says that the header keeps what the first bytes announce: a loader
	// could take the file.
	WellFormed bool
}

// ReadMagic looks at the first bytes of a file of that size for formats of
// programs.
func ReadMagic(head []byte, size int64) Magic {
	has := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case has("\x7fELF"):
		return Magic{"ELF", isELF(head, size)}
	case has("MZ") && (bytes.Contains(head[:min(len(head), 1024)], []byte("PE\x00\x00")) || farPE(head, size)):
		return Magic{"PE", isPE(head) || !bytes.Contains(head[:min(len(head), 1024)], []byte("PE\x00\x00"))}
	case has("\xfe\xed\xfa\xce"), has("\xfe\xed\xfa\xcf"):
		return Magic{"Mach-O", isMachO(head, size, binary.BigEndian)}
	case has("\xce\xfa\xed\xfe"), has("\xcf\xfa\xed\xfe"):
		return Magic{"Mach-O", isMachO(head, size, binary.LittleEndian)}
	case has("\xca\xfe\xba\xbe") && len(head) > 7 && head[6] == 0 && head[7] > 0 && head[7] < 40:
		return Magic{"Mach-O (several architectures)", isFat(head, size)}
	case has("\xca\xfe\xba\xbe"):
		return Magic{"Java class", len(head) > 10 && head[4] < 4 && head[6] == 0 && head[7] >= 45 && head[7] < 100 && head[8]|head[9] != 0}
	case has("\x00asm"):
		return Magic{"WebAssembly", len(head) >= 8 && head[5] == 0 && head[7] < 2}
	case has("!<arch>\n"):
		return Magic{"object archive", size == 8 || len(head) >= 68 && head[66] == '`' && head[67] == '\n'}
	case len(head) > 16 && head[2] == 0x0d && head[3] == 0x0a && head[1] >= 0x0c && head[1] < 0x10:
		return Magic{"Python bytecode", isBytecode(head)}
	}
	return Magic{}
}

// isELF checks the header: class, byte order, version, type, machine, and that
// the tables lie within the file.
func isELF(head []byte, size int64) bool {
	if len(head) < 64 || head[4] < 1 || head[4] > 2 || head[5] < 1 || head[5] > 2 || head[6] != 1 {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[5] == 2 {
		order = binary.BigEndian
	}
	kind := order.Uint16(head[16:])
	if kind < 1 || kind > 4 || order.Uint16(head[18:]) == 0 || order.Uint32(head[20:]) != 1 {
		return false
	}
	var programs, sections, headerSize uint64
	if head[4] == 1 {
		programs, sections, headerSize = uint64(order.Uint32(head[28:])), uint64(order.Uint32(head[32:])), uint64(order.Uint16(head[40:]))
		return headerSize == 52 && programs <= uint64(size) && sections <= uint64(size)
	}
	programs, sections, headerSize = order.Uint64(head[32:]), order.Uint64(head[40:]), uint64(order.Uint16(head[52:]))
	return headerSize == 64 && programs <= uint64(size) && sections <= uint64(size)
}

// farPE reports whether the offset leads to a header, be it beyond the bytes that are
// known.
func farPE(head []byte, size int64) bool {
	if len(head) < 0x40 {
		return false
	}
	at := int64(binary.LittleEndian.Uint32(head[0x3c:]))
	if at+4 <= int64(len(head)) {
		return string(head[at:at+4]) == "PE\x00\x00"
	}
	return at < min(size, 1<<20)
}

// isPE checks that the offset leads to the header, and the header's fields.
func isPE(head []byte) bool {
	if len(head) < 0x40 {
		return false
	}
	at := int64(binary.LittleEndian.Uint32(head[0x3c:]))
	if at < 0x40 || at+26 > int64(len(head)) || !bytes.HasPrefix(head[at:], []byte("PE\x00\x00")) {
		return false
	}
	sections := binary.LittleEndian.Uint16(head[at+6:])
	kind := binary.LittleEndian.Uint16(head[at+24:])
	return binary.LittleEndian.Uint16(head[at+4:]) != 0 && sections > 0 && sections <= 96 && (kind == 0x10b || kind == 0x20b)
}

func isMachO(head []byte, size int64, order binary.ByteOrder) bool {
	if len(head) < 28 {
		return false
	}
	kind, commands, length := order.Uint32(head[12:]), order.Uint32(head[16:]), order.Uint32(head[20:])
	return kind >= 1 && kind <= 12 && commands > 0 && commands < 10_000 && int64(length) < size
}

func isFat(head []byte, size int64) bool {
	if len(head) < 28 {
		return false
	}
	offset, length := binary.BigEndian.Uint32(head[16:]), binary.BigEndian.Uint32(head[20:])
	return length > 0 && int64(offset)+int64(length) <= size
}

// isBytecode checks the flags of a header of Python 3.7 and later, and that a code
// object follows.
func isBytecode(head []byte) bool {
	return binary.LittleEndian.Uint32(head[4:]) <= 3 && (head[16] == 0xe3 || head[16] == 0x63)
}

package coverage

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// What programs that were built with `go build -cover` write to GOCOVERDIR: a file
// about their functions and one with counters, in the layout of version 1 (package
// internal/coverage of the Go distribution). `go tool covdata` reads it as well, and
// takes longer to build than most programs.

const (
	goVersion     = 1
	goMetaPrefix  = "covmeta."
	goCountPrefix = "covcounters."
	goMetaHeader  = 4 + 4 + 8 + 8 + 16 + 4 + 4 + 8
	goPackHeader  = 44
	goFooter      = 16
	// The bounds of what one program may have.
	maxGoPackages = 10_000
	maxGoBlocks   = 1_000_000
)

// goBlock is a part of a file with one counter.
type goBlock struct {
	file                 string // import path and name
	fromLine, fromColumn int
	toLine, toColumn     int
	ran                  bool
}

// goFunctions are the functions of a program: by package and number, the places of
// their blocks.
type goFunctions struct {
	blocks []goBlock
	first  [][]int // by package and function, where its blocks begin
	count  [][]int // and how many they are
	told   bool    // that they were counted
}

// goProgram joins the files of a GOCOVERDIR, by name.
func goProgram(files map[string][]byte) ([]goBlock, error) {
	metas := map[string]*goFunctions{}
	for name, data := range files {
		if hash, ok := strings.CutPrefix(name, goMetaPrefix); ok {
			f, err := goMeta(data)
			if err != nil {
				return nil, fmt.Errorf("what Go says about its functions: %w", err)
			}
			metas[hash] = f
		}
	}
	for name, data := range files {
		if !strings.HasPrefix(name, goCountPrefix) {
			continue
		}
		if len(data) < 24 {
			return nil, fmt.Errorf("what Go says about its lines: %w", errShort)
		}
		f := metas[hex.EncodeToString(data[8:24])]
		if f == nil {
			return nil, errors.New("what Go says about its lines belongs to another program")
		}
		if err := goCounters(data, f); err != nil {
			return nil, fmt.Errorf("what Go says about its lines: %w", err)
		}
		f.told = true
	}
	// A program names its functions when it starts and counts when it ends: one that
	// panicked, was killed or ran out of descriptors has said nothing about its lines.
	var out []goBlock
	silent := 0
	for _, f := range metas {
		if f.told {
			out = append(out, f.blocks...)
		} else {
			silent++
		}
	}
	if len(out) == 0 && silent > 0 {
		return nil, errors.New("the program ended without telling which of its lines ran")
	}
	return out, nil
}

func goMeta(data []byte) (*goFunctions, error) {
	if len(data) > MaxReport {
		return nil, errTooLarge
	}
	r := &reader{data: data}
	magic, version := r.bytes(4), r.u32()
	r.u64() // its own length
	packages := r.u64()
	switch {
	case r.err != nil || !bytes.Equal(magic, []byte("\x00cvm")):
		return nil, errors.New("it is no file of Go's")
	case version != goVersion:
		return nil, fmt.Errorf("its layout is version %d, known is %d", version, goVersion)
	case packages > maxGoPackages:
		return nil, fmt.Errorf("it has more than %d packages", maxGoPackages)
	}
	f := &goFunctions{}
	for i := range packages {
		r.seek(goMetaHeader + 8*i)
		from := r.u64()
		r.seek(goMetaHeader + 8*(packages+i))
		length := r.u64()
		r.seek(from)
		blob := r.bytes(length)
		if r.err != nil {
			return nil, r.err
		}
		if err := f.addPackage(blob); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *goFunctions) addPackage(blob []byte) error {
	r := &reader{data: blob}
	r.seek(goPackHeader - 4)
	functions := r.u32()
	if r.err != nil || uint64(functions)*4 > uint64(len(blob)) {
		return errShort
	}
	r.seek(goPackHeader + 4*uint64(functions))
	texts := r.texts()
	var first, count []int
	for i := range uint64(functions) {
		r.seek(goPackHeader + 4*i)
		r.seek(uint64(r.u32()))
		blocks := r.uleb()
		r.uleb() // its name
		file := r.uleb()
		if r.err != nil || file >= uint64(len(texts)) || blocks > uint64(len(blob)) {
			return errShort
		}
		if uint64(len(f.blocks))+blocks > maxGoBlocks {
			return fmt.Errorf("it has more than %d blocks", maxGoBlocks)
		}
		first, count = append(first, len(f.blocks)), append(count, int(blocks))
		for range blocks {
			b := goBlock{file: texts[file], fromLine: r.small(), fromColumn: r.small(), toLine: r.small(), toColumn: r.small()}
			r.uleb() // statements
			f.blocks = append(f.blocks, b)
		}
		if r.err != nil {
			return r.err
		}
	}
	f.first, f.count = append(f.first, first), append(f.count, count)
	return nil
}

// small is a number that fits into a source.
func (r *reader) small() int {
	v := r.uleb()
	if v > 1<<30 {
		r.err = errors.New("it has a line beyond the end of any file")
		return 0
	}
	return int(v)
}

// goCounters notes what ran. Counters of a function that is not there are a
// mistake.
func goCounters(data []byte, f *goFunctions) error {
	if len(data) > MaxReport {
		return errTooLarge
	}
	if len(data) < 32+goFooter || !bytes.Equal(data[:4], []byte("\x00cwm")) || !bytes.Equal(data[len(data)-goFooter:][:4], []byte("\x00cwm")) {
		return errors.New("it is no file of Go's")
	}
	r := &reader{data: data[:len(data)-goFooter]}
	r.seek(4)
	version := r.u32()
	r.seek(24)
	flavour := r.bytes(2)
	if version != goVersion || flavour[0] != 1 && flavour[0] != 2 || flavour[1] != 0 {
		return errors.New("its layout is not known")
	}
	footer := &reader{data: data[len(data)-goFooter:]}
	footer.seek(8)
	if footer.u32() != 1 {
		return errors.New("it holds several runs")
	}
	number := r.uleb
	if flavour[0] == 1 {
		number = func() uint64 { return uint64(r.u32()) }
	}
	r.seek(32)
	entries := r.u64()
	texts, args := r.u32(), r.u32()
	r.bytes(uint64(texts))
	r.bytes(uint64(args))
	r.seek(uint64(r.at+3) &^ 3)
	if r.err != nil || entries > uint64(len(data)) {
		return errShort
	}
	for range entries {
		counters, pack, function := number(), number(), number()
		if r.err != nil || pack >= uint64(len(f.first)) || function >= uint64(len(f.first[pack])) || counters > uint64(f.count[pack][function]) {
			return errors.New("it counts a function that is not there")
		}
		for i := range int(counters) {
			if number() > 0 {
				f.blocks[f.first[pack][function]+i].ran = true
			}
		}
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

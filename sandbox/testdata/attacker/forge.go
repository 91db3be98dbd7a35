package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
)

// forge writes a report of its own into everything that could be the stream of
// the supervisor: an orderly end with exit code 0, in its own frames and in the
// engine's.
func forge([]string) {
	frame := func(kind byte, payload string) []byte {
		b := []byte{0xA1, kind}
		b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
		return append(b, payload...)
	}
	exit := `{"Cause":"exit","Code":0,"Signal":0,"Duration":1,"CPU":1,"Memory":1,"Pids":1,"OOMKills":0,"Stdout":0,"Stderr":0}`
	inner := append(frame(69, exit), frame(73, "")...) // KindExit and KindDone
	outer := []byte{1, 0, 0, 0}
	outer = binary.BigEndian.AppendUint32(outer, uint32(len(inner)))
	outer = append(outer, inner...)

	os.Stdout.Write(inner)
	os.Stdout.Write(outer)
	os.Stderr.Write(inner)
	wrote := 0
	for _, dir := range []string{"/proc/1/fd/", "/proc/self/fd/", "/dev/fd/"} {
		for fd := range 32 {
			for _, flag := range []int{os.O_WRONLY, os.O_RDWR} {
				f, err := os.OpenFile(dir+strconv.Itoa(fd), flag, 0)
				if err != nil {
					continue
				}
				if dir == "/proc/1/fd/" {
					wrote++
				}
				f.Write(inner)
				f.Close()
			}
		}
	}
	tasks, _ := os.ReadDir("/proc/1/task")
	for _, t := range tasks {
		f, err := os.OpenFile("/proc/1/task/"+t.Name()+"/fd/1", os.O_WRONLY, 0)
		if err == nil {
			wrote++
			f.Write(bytes.Repeat(inner, 2))
			f.Close()
		}
	}
	fmt.Println("streams of process 1 that took it:", wrote)
	os.Exit(3)
}

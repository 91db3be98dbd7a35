// Command guest is what the tests compile for wasip1: its first argument says what
// it does.
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() {
	try := func(what string, err error) { fmt.Printf("%s: %v\n", what, err) }
	switch os.Args[1] {
	case "hello":
		fmt.Println("hello", strings.Join(os.Args[2:], "|"), os.Getenv("MINE"))
		fmt.Fprintln(os.Stderr, "to standard error")
		os.Exit(7)
	case "files":
		data, err := os.ReadFile("in.txt")
		fmt.Printf("read %q %v\n", data, err)
		try("write", os.WriteFile("/tmp/out.txt", []byte("made"), 0o644))
		back, err := os.ReadFile("/tmp/out.txt")
		fmt.Printf("back %q %v\n", back, err)
	case "escape":
		for _, p := range []string{"/etc/passwd", "../../../../etc/passwd", "link", "linkdir/passwd", "/workspace/../etc/passwd"} {
			data, err := os.ReadFile(p)
			if err == nil {
				fmt.Printf("ESCAPED %s %.20q\n", p, data)
			}
		}
		try("symlink", os.Symlink("/etc/passwd", "mine"))
		try("link", os.Link("link", "other"))
		try("through", os.WriteFile("linkdir/x", nil, 0o644))
	case "network":
		_, err := net.DialTimeout("tcp", "192.0.2.1:9", time.Second)
		try("dial", err)
		_, err = exec.Command("sh", "-c", "true").Output()
		try("exec", err)
	case "loop":
		for {
		}
	case "memory":
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<20))
			all[len(all)-1][0] = 1
		}
	case "year":
		fmt.Println("year", time.Now().UTC().Year())
	case "panic":
		panic("on purpose")
	}
}

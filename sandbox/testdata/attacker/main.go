// Command attacker does in a container what hostile programs do, one thing at a
// time, and says what came of it. It is harmless outside of one only because
// no one runs it there: it refuses unless it sits where the test image has it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// home is where the test image has this program.
const home = "/attacker"

func main() {
	// A copy of it may run from elsewhere in the container, so the marker file of
	// the image decides.
	if marker, err := os.ReadFile("/image"); err != nil || string(marker) != "gate attacker\n" {
		fmt.Fprintln(os.Stderr, "attacker: only for the test image of the sandbox")
		os.Exit(99)
	}
	if len(os.Args) < 2 {
		os.Exit(98)
	}
	name, args := os.Args[1], os.Args[2:]
	if f, ok := commands()[name]; ok {
		f(args)
		return
	}
	fmt.Fprintln(os.Stderr, "attacker: no such attack:", name)
	os.Exit(97)
}

// commands are the attacks that need a run of their own.
func commands() map[string]func([]string) {
	return map[string]func([]string){
		"hello":       hello,
		"behave":      behave,
		"kinds":       kinds,
		"opens":       opens,
		"spoil":       spoil,
		"unpack":      unpack,
		"leak":        leak,
		"phone":       phone,
		"fetch":       fetch,
		"compute":     compute,
		"exit":        exit,
		"signal":      signalSelf,
		"probes":      probes,
		"confinement": confinement,
		"connect":     connect,
		"loop":        loop,
		"threads":     threads,
		"forkbomb":    forkBomb,
		"memory":      memory,
		"manysmall":   manySmall,
		"disk":        disk,
		"inodes":      inodes,
		"output":      output,
		"quiet":       quiet,
		"daemon":      daemon,
		"closeall":    closeAll,
		"forge":       forge,
		"specials":    specials,
		"produce":     produce,
		"memfd":       memfdExec,
		"int80":       func([]string) { fmt.Println("int80 returned", int80()) },
		"x32":         func([]string) { x32() },
		"stayfor":     func([]string) { time.Sleep(time.Hour) },
		"later":       later,
		"waits":       waits,
		"serve":       serve,
		"descriptor":  descriptors,
		"echo":        echo,
		"become":      become,
		"toss":        toss,
	}
}

// say reports the outcome of one probe: "name<TAB>ok" or "name<TAB>reason".
func say(name string, err error) {
	outcome := "ok"
	if err != nil {
		outcome = strings.ReplaceAll(err.Error(), "\n", " ")
	}
	fmt.Printf("%s\t%s\n", name, outcome)
}

// hello shows what a program finds.
func hello(args []string) {
	wd, _ := os.Getwd()
	host, _ := os.Hostname()
	env := os.Environ()
	slices.Sort(env)
	fmt.Println("wd", wd)
	fmt.Println("uid", os.Getuid(), os.Geteuid(), "gid", os.Getgid())
	fmt.Println("host", host)
	fmt.Println("args", strings.Join(args, "|"))
	fmt.Println("env", strings.Join(env, "|"))
	_ = filepath.WalkDir("/workspace", func(p string, e os.DirEntry, err error) error {
		if err == nil {
			info, _ := e.Info()
			fmt.Println("file", p, info.Mode())
		}
		return nil
	})
}

// toss opens a file of its input, and then asks for random numbers where it is told how.
func toss(args []string) {
	_, err := os.ReadFile("/workspace/input.txt")
	switch {
	case err != nil || len(args) == 0:
	case args[0] == "call":
		_, err = unix.Getrandom(make([]byte, 16), 0)
	default:
		var f *os.File
		if f, err = os.Open(args[0]); err == nil {
			err = f.Close()
		}
	}
	say("toss", err)
}

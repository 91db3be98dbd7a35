// Command editors installs what the tests of gate in editors run against: Neovim, and Node
// with npm for the extension of VS Code.
//
//	go run ./tools/editors up
//
// On Debian and Ubuntu, as root, it installs what is missing and says so before; elsewhere it
// uses what is there, or says what to type.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/aigate/gate/tools/debian"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "editors:", err)
		os.Exit(1)
	}
}

// programs are what is needed, each with the package that has it.
func programs() [][2]string {
	return [][2]string{{"nvim", "neovim"}, {"node", "nodejs"}, {"npm", "npm"}}
}

func run(ctx context.Context, args []string, progress io.Writer) error {
	if len(args) != 1 || args[0] != "up" {
		return errors.New("usage: go run ./tools/editors up")
	}
	var missing []string
	for _, p := range programs() {
		if _, err := exec.LookPath(p[0]); err != nil {
			missing = append(missing, p[1])
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return debian.Detect().Install(ctx, progress, missing...)
}

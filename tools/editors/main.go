// Command editors installs what the tests of gate in editors and agents run against: Neovim,
// and for the extension of VS Code (tools/vscode) and the client of the Model Context
// Protocol (tools/mcpclient) Node, npm and the packages of their lock files.
//
//	go run ./tools/editors up
//
// On Debian and Ubuntu, as root, it installs programs that are missing and says so before;
// elsewhere it uses what is there, or says what to type. No script of an npm package runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
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
	if len(missing) > 0 {
		if err := debian.Detect().Install(ctx, progress, missing...); err != nil {
			return err
		}
	}
	return errors.Join(packages(ctx, progress, filepath.Join("tools", "vscode")), packages(ctx, progress, filepath.Join("tools", "mcpclient")))
}

// packages installs the npm packages of a folder, where those of its lock file are not there.
func packages(ctx context.Context, progress io.Writer, dir string) error {
	lock, err := os.Stat(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return fmt.Errorf("it is started at the root of the checkout: %w", err)
	}
	have, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err == nil && !have.ModTime().Before(lock.ModTime()) {
		return nil
	}
	fmt.Fprintf(progress, "installing the npm packages of %s\n", dir)
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s: %w\n%s", dir, err, out)
	}
	return nil
}

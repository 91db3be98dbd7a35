// Command editors installs what the tests of gate in editors, agents and browsers run against:
// Neovim, Chromium, and for the extension of VS Code (tools/vscode), the client of the Model
// Context Protocol (tools/mcpclient) and the checks of pages (tools/browser) Node, npm and the
// packages of their lock files.
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
	"slices"
	"syscall"

	"github.com/aigate/gate/tools/debian"
	"github.com/aigate/gate/tools/testenv"
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
	return [][2]string{{"nvim", "neovim"}, {"node", "nodejs"}, {"npm", "npm"}, {"chromium", "chromium"}}
}

func run(ctx context.Context, args []string, progress io.Writer) error {
	if len(args) != 1 || args[0] != "up" {
		return errors.New("usage: go run ./tools/editors up")
	}
	var missing []string
	for _, p := range programs() {
		names := []string{p[0]}
		if p[0] == "chromium" { // Ubuntu's package is none, but its machines of GitHub have Chrome
			names = testenv.Browsers()
		}
		if !slices.ContainsFunc(names, there) {
			missing = append(missing, p[1])
		}
	}
	if len(missing) > 0 {
		if err := debian.Detect().Install(ctx, progress, missing...); err != nil {
			return err
		}
	}
	var errs []error
	for _, name := range []string{"vscode", "mcpclient", "browser"} {
		errs = append(errs, packages(ctx, progress, filepath.Join("tools", name)))
	}
	return errors.Join(errs...)
}

func there(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
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

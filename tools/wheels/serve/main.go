// Command serve serves an index of Python packages made from Debian's packages, until it is
// interrupted:
//
//	go run ./tools/wheels/serve -suites bookworm,sid -addr 127.0.0.1:3141
//
// It prints the address of the index, as PIP_INDEX_URL wants it.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/aigate/gate/tools/wheels"
)

func main() {
	mirror := flag.String("mirror", "https://deb.debian.org/debian", "the mirror of Debian to fetch from")
	suites := flag.String("suites", "bookworm", "the suites whose packages are served, separated by commas")
	addr := flag.String("addr", "127.0.0.1:0", "the address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *mirror, *addr, strings.Split(*suites, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "wheels:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, mirror, addr string, suites []string) error {
	client := &http.Client{Timeout: 5 * time.Minute}
	var packages []wheels.Package
	for _, suite := range suites {
		more, err := wheels.List(ctx, client, mirror, suite, runtime.GOARCH)
		if err != nil {
			return err
		}
		packages = append(packages, more...)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: wheels.New(client, packages, func(project string, err error) {
		fmt.Fprintf(os.Stderr, "%s cannot be had: %v\n", project, err)
	})}
	_, _ = fmt.Fprintf(os.Stdout, "http://%s/simple/\n", l.Addr())
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := s.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

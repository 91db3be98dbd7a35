// Command build builds the sandbox images that are missing, out of date or older
// than a month:
//
//	go run ./sandbox/images/build [-base REF] [-network NAME] [-force] [-v] [python|node|go|shell|deps-python|deps-node|deps-go ...]
//
// Without names it builds all of them; those that begin with deps- install the
// dependencies of others. The engine is the one of DOCKER_HOST. The
// reference of every image, its versions and the name under which it is published, if
// it is, go to standard output with tabs between them, everything else to standard error. Exit codes: 0 all images are there, 1 one is not, 2
// wrong usage.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/docker/docker/client"

	"github.com/aigate/gate/sandbox/images"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with its inputs as arguments; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o images.Options
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Base, "base", images.DefaultBase, "`image` to build from")
	flags.StringVar(&o.Network, "network", "", "`name` of the network of the build, such as host (default: the engine's)")
	flags.BoolVar(&o.Force, "force", false, "build also what is current")
	verbose := flags.Bool("v", false, "show the output of the build")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *verbose {
		o.Log = stderr
	}
	languages := flags.Args()
	if len(languages) == 0 {
		languages = slices.Concat(images.Languages(), images.Installers())
	}
	engine, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		fmt.Fprintf(stderr, "build: read the engine's address from the environment: %v\n", err)
		return 1
	}
	defer engine.Close()
	for _, language := range languages {
		begin := time.Now()
		fmt.Fprintf(stderr, "image for %s: looking, and building where needed, which takes up to some minutes\n", language)
		info, built, err := images.Build(ctx, engine, language, o)
		if err != nil {
			fmt.Fprintf(stderr, "build: %v\n", err)
			return 1
		}
		what := "is current"
		if built {
			what = fmt.Sprintf("built in %.0f s", time.Since(begin).Seconds())
		}
		fmt.Fprintf(stderr, "image for %s: %s\n", language, what)
		published := ""
		if slices.Contains(images.Languages(), language) {
			if published, err = images.Published(language, o.Base); err != nil {
				fmt.Fprintf(stderr, "build: %v\n", err)
				return 1
			}
		}
		fmt.Fprintf(stdout, "%s\t%s\t%s\n", info.Ref, info.Versions, published)
	}
	return 0
}

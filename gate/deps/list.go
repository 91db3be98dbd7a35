package deps

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/printable"
	"github.com/aigate/gate/sandbox/images"
)

// List lists the images with dependencies on w.
func List(ctx context.Context, w io.Writer) error {
	client, err := images.Connect()
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer client.Close()
	all, err := images.ListDependencies(ctx, client)
	if err != nil {
		return exit.Failed(err)
	}
	write(w, all, time.Now())
	return nil
}

// Prune removes the images that are due to be built again, or all of them, and lists what
// it removed on w. It touches no other image.
func Prune(ctx context.Context, all bool, w io.Writer) error {
	client, err := images.Connect()
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer client.Close()
	removed, err := images.PruneDependencies(ctx, client, all)
	write(w, removed, time.Now())
	return exit.Failed(err)
}

// write lists images, nothing for none.
func write(w io.Writer, all []images.DependencyInfo, now time.Time) {
	if len(all) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tLANGUAGE\tPROJECTS\tCOMMIT\tDAYS\tMB\tNOT IN IT")
	for _, i := range all {
		fmt.Fprintf(t, "%s\t%s\t%d\t%.12s\t%d\t%d\t%d\n", printable.ASCII(i.Ref), i.Language, len(i.Projects), printable.ASCII(i.Commit), int(now.Sub(i.Created).Hours()/24), i.Size>>20, len(i.Problems))
	}
	_ = t.Flush() // to the same place as everything else
}

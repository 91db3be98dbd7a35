package attackrun

import (
	"io"
	"slices"

	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/gate/shard"
)

// Merge writes what the shards of an attack run come to.
func Merge(stdout io.Writer, files []shard.File, o Output) error {
	if !slices.Contains(Formats(), o.Format) {
		return exit.Usagef("there is no format %q of attacks (json, text or markdown)", o.Format)
	}
	var named []attack.Named
	for _, f := range files {
		res, err := attack.ParseResult(f.Name, f.Data)
		if err != nil {
			return exit.Usagef("%w", err)
		}
		named = append(named, attack.Named{Name: f.Name, Result: res})
	}
	res, err := attack.Merge(named)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	return o.Write(stdout, res)
}

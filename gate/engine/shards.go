package engine

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/aigate/gate/gate/shard"
	"github.com/aigate/gate/report"
)

// DecodeShards reads the results of shards, which are hostile until they are checked.
func DecodeShards(files []shard.File) ([]shard.Result, error) {
	var parts []shard.Result
	for _, f := range files {
		if IsAttackResult(f.Data) {
			return nil, fmt.Errorf("%s is a result of attacks; it cannot be merged with a scan", f.Name)
		}
		res, err := report.Decode(bytes.NewReader(f.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		parts = append(parts, shard.Result{Name: f.Name, Result: res})
	}
	return parts, nil
}

// IsAttackResult tells results of attacks from those of scans. What is neither is for
// the decoder to refuse.
func IsAttackResult(data []byte) bool {
	var doc struct {
		Attacks json.RawMessage `json:"attacks"`
	}
	return json.Unmarshal(data, &doc) == nil && doc.Attacks != nil
}

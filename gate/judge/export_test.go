package judge

import "github.com/ollama/ollama/api"

// Comments is a real lexer for the tests outside of the package.
var Comments Splitter = splitter

// EndOfStream reads the parts of an answer of a compatible server, and says whether it is
// complete.
func EndOfStream(parts []string) (complete bool, bytes int, err error) {
	var s stream
	take := func(r api.ChatResponse) error {
		complete = complete || r.Done
		bytes += len(r.Message.Content)
		return nil
	}
	for _, p := range parts {
		if err := s.part(p, take); err != nil {
			return complete, bytes, err
		}
	}
	return complete, bytes, s.end(take)
}

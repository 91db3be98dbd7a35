package active

import (
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	from     = regexp.MustCompile(`(?i)^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?`)
	copyFrom = regexp.MustCompile(`(?i)(?:--from|,from|=from|mount=from)=([^\s,]+)|,\s*from=([^\s,]+)`)
)

// stage is one stage of a Dockerfile.
type stage struct {
	first int
	name  string
	needs []string
	built bool
}

// Built returns the lines of a Dockerfile that are not built where a user asks for a stage
// by name. ok is false where it has no such stage, or that is what is built anyway.
func Built(text []byte, target string) (off Lines, ok bool) {
	if len(text) > maxText || target == "" {
		return Lines{}, false
	}
	lines := strings.Split(string(text), "\n")
	stages := stagesOf(lines)
	for _, s := range stages {
		if s.name == strings.ToLower(target) {
			return Lines{notNeeded(lines, stages, s)}, s != stages[len(stages)-1]
		}
	}
	return Lines{}, false
}

// stagesOff finds the stages of a Dockerfile that the last one does not need. BuildKit
// builds none of them, unless a user asks for one by name.
func stagesOff(lines []string) []bool {
	stages := stagesOf(lines)
	if len(stages) < 2 {
		return make([]bool, len(lines))
	}
	return notNeeded(lines, stages, stages[len(stages)-1])
}

// stagesOf reads the stages of a Dockerfile, none of one with too many: then all of it counts.
func stagesOf(lines []string) []*stage {
	var stages []*stage
	for i, line := range lines {
		if m := from.FindStringSubmatch(line); m != nil {
			if len(stages) >= maxNames {
				return nil
			}
			stages = append(stages, &stage{first: i, name: strings.ToLower(m[2]), needs: []string{strings.ToLower(m[1])}})
		}
		for _, m := range copyFrom.FindAllStringSubmatch(line, -1) {
			if len(stages) > 0 {
				s := stages[len(stages)-1]
				s.needs = append(s.needs, strings.ToLower(m[1]+m[2]))
			}
		}
	}
	return stages
}

// notNeeded are the lines of the stages that one of them does not need.
func notNeeded(lines []string, stages []*stage, wanted *stage) []bool {
	off := make([]bool, len(lines))
	index := map[string]*stage{}
	for i, s := range stages {
		index[strconv.Itoa(i)] = s
		if s.name != "" {
			index[s.name] = s
		}
	}
	for todo := []*stage{wanted}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.built {
			continue
		}
		s.built = true
		for _, need := range s.needs {
			if other := index[need]; other != nil && !other.built {
				todo = append(todo, other)
			}
		}
	}
	for i, s := range stages {
		end := len(lines)
		if i+1 < len(stages) {
			end = stages[i+1].first
		}
		for j := s.first; !s.built && j < end; j++ {
			off[j] = true
		}
	}
	return off
}

package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var sizePattern = regexp.MustCompile(`^(\d{1,12})\s*([kKmMgG]?)(i?[bB])?$`)

// ParseSize reads a number of bytes: 100KiB, 512m, 1g or plain bytes; all units are
// powers of 1024, as in container engines.
func ParseSize(s string, least, most int64) (int64, error) {
	m := sizePattern.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q is not a size such as 512m or 100KiB", s)
	}
	v, _ := strconv.ParseInt(m[1], 10, 64)
	unit := map[string]int64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[strings.ToLower(m[2])]
	if v > most/unit || v*unit < least {
		return 0, fmt.Errorf("%q is not a size from %s to %s", s, sizeText(least), sizeText(most))
	}
	return v * unit, nil
}

func sizeText(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size && n%u.size == 0 {
			return fmt.Sprintf("%d%s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%dB", n)
}

// ParseDuration reads what time.ParseDuration reads, and days as 7d.
func ParseDuration(s string, least, most time.Duration) (time.Duration, error) {
	v, err := parseDuration(s)
	if err != nil || v < least || v > most {
		return 0, fmt.Errorf("%q is not a duration from %s to %s (such as 30s, 15m or 7d)", s, least, most)
	}
	return v, nil
}

func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(s)
}

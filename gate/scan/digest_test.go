package scan_test

import (
	"crypto/sha256"
	"encoding/hex"
)

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

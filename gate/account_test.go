package gate_test

import (
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAnAccountNamesTheBytesThatItLeavesOut(t *testing.T) {
	read := func(from, to int64) gate.Reading { return gate.Reading{Bytes: gate.ByteRange{from, to}} }
	unread := func(from, to int64) gate.Unread { return gate.Unread{Bytes: gate.ByteRange{from, to}} }
	for name, tc := range map[string]struct {
		account gate.Account
		want    []gate.ByteRange
	}{
		"an empty file":         {gate.Account{}, nil},
		"everything":            {gate.Account{Size: 9, Read: []gate.Reading{read(0, 9)}}, nil},
		"twice":                 {gate.Account{Size: 9, Read: []gate.Reading{read(0, 9), read(0, 9)}}, nil},
		"in parts":              {gate.Account{Size: 9, Read: []gate.Reading{read(4, 9), read(0, 5)}}, nil},
		"a part with a reason":  {gate.Account{Size: 9, Read: []gate.Reading{read(0, 5)}, Unread: []gate.Unread{unread(5, 9)}}, nil},
		"nothing":               {gate.Account{Size: 9}, []gate.ByteRange{{0, 9}}},
		"the end":               {gate.Account{Size: 9, Read: []gate.Reading{read(0, 5)}}, []gate.ByteRange{{5, 9}}},
		"the beginning":         {gate.Account{Size: 9, Read: []gate.Reading{read(2, 9)}}, []gate.ByteRange{{0, 2}}},
		"the middle":            {gate.Account{Size: 9, Read: []gate.Reading{read(0, 3), read(6, 9)}}, []gate.ByteRange{{3, 6}}},
		"beyond the end":        {gate.Account{Size: 9, Read: []gate.Reading{read(20, 30)}}, []gate.ByteRange{{0, 9}}},
		"a range the wrong way": {gate.Account{Size: 9, Read: []gate.Reading{read(9, 0)}}, []gate.ByteRange{{0, 9}}},
	} {
		if got := tc.account.Missing(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

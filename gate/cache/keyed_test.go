package cache

import (
	"errors"
	"math"
	"strconv"
	"testing"
)

func TestKey(t *testing.T) {
	type depends struct {
		Model string
		Parts []string
	}
	one := Key(depends{"a", []string{"b", "c"}})
	if !keyForm.MatchString(one) {
		t.Errorf("%q is no key of a store", one)
	}
	if Key(depends{"a", []string{"b", "c"}}) != one {
		t.Error("equal values have different keys")
	}
	for name, other := range map[string]any{
		"another field":  depends{"x", []string{"b", "c"}},
		"another part":   depends{"a", []string{"b", "x"}},
		"a moved border": depends{"a", []string{"bc"}},
		"another order":  depends{"a", []string{"c", "b"}},
	} {
		if Key(other) == one {
			t.Errorf("%s gives the same key", name)
		}
	}
	if key := Key(math.NaN()); key != "" {
		t.Errorf("what JSON cannot write has the key %q", key)
	}
}

func TestRecall(t *testing.T) {
	space := open(t, Options{}).Space("numbers")
	key := Key("forty-two")
	number := func(content []byte) (int, error) { return strconv.Atoi(string(content)) }

	if _, ok := Recall(space, key, number); ok || Has(space, key) {
		t.Error("something was recalled before anything was kept")
	}
	Keep(space, key, []byte("42"))
	if v, ok := Recall(space, key, number); !ok || v != 42 || !Has(space, key) {
		t.Errorf("got %d, %v", v, ok)
	}
	t.Run("what decode refuses is a miss and its value is not returned", func(t *testing.T) {
		refuse := func([]byte) (int, error) { return 7, errors.New("no") }
		if v, ok := Recall(space, key, refuse); ok || v != 0 {
			t.Errorf("got %d, %v", v, ok)
		}
		if Has(space, key) {
			t.Error("the entry is still there")
		}
	})
	t.Run("without a keeper or a key nothing is kept or found", func(t *testing.T) {
		Keep(nil, key, []byte("42"))
		Keep(space, "", []byte("42"))
		for _, k := range []Keeper{nil, space} {
			if _, ok := Recall(k, "", number); ok || Has(k, "") {
				t.Error("something is there without a key")
			}
		}
		if _, ok := Recall(nil, key, number); ok || Has(nil, key) {
			t.Error("something is there without a keeper")
		}
	})
}

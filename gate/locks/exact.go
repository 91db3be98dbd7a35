package locks

import "encoding/json"

// exact reads an object of JSON as programs other than ours do: keys are what they are
// spelled like, while package json takes "Packages" for "packages", and the last of
// them counts. Keys that are not named are left out.
func exact(data []byte, into any, keys ...string) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	kept := map[string]json.RawMessage{}
	for _, key := range keys {
		if value, ok := all[key]; ok {
			kept[key] = value
		}
	}
	plain, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}

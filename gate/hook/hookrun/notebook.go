package hookrun

import "encoding/json"

// cellAlone is a notebook of the language of another one, with one cell of code. Where in
// its notebook a cell will be in is not known, and behind the notebook no one reads it.
func cellAlone(notebook []byte, source string) []byte {
	var has struct {
		Metadata json.RawMessage `json:"metadata,omitempty"`
	}
	_ = json.Unmarshal(notebook, &has) // without one, or with a broken one, it is Python
	cell := map[string]any{"cell_type": "code", "source": source, "metadata": struct{}{}, "outputs": []any{}, "execution_count": nil}
	doc := map[string]any{"cells": []any{cell}, "nbformat": 4, "nbformat_minor": 5}
	if len(has.Metadata) > 0 {
		doc["metadata"] = has.Metadata
	}
	out, err := json.Marshal(doc)
	if err != nil { // metadata that can be read can be written
		return []byte(source)
	}
	return out
}

package adminapi

import (
	"github.com/go-json-experiment/json"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"
)

// inLines are the options of a line of JSON: what the server wrote is accepted.
var inLines = json.JoinOptions(jsonx.AsWritten, json.Deterministic(true))

// JSONLine returns a value as JSON on one line, without the line break. Every line of JSON in
// a file or a pipe is made here: text of the site holds no character that a terminal obeys
// or hides, and has the same value when it is read.
func JSONLine(v any) ([]byte, error) {
	raw, err := json.Marshal(v, inLines)
	return plain.SafeJSON(raw), err
}

package simulator

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// keep returns what the site keeps of a definition: all of its bytes, unless
// the scenario says otherwise.
func (w *world) keep(s *service, text []byte) ([]byte, error) {
	switch w.scenario.Editing.Keeps {
	case keepsKnown:
		known, err := w.knownMembers(s)
		if err != nil {
			return nil, err
		}
		return rewrite(text, func(at jsontext.Pointer) (jsontext.Value, bool) { return nil, known[inAnyElement(at)] })
	case keepsRounded:
		out := jsontext.Value(bytes.Clone(text))
		err := out.Format(asWritten, jsontext.CanonicalizeRawInts(true), jsontext.CanonicalizeRawFloats(true))
		return out, err
	}
	return text, nil
}

// knownMembers are those of the definition that the site itself would write,
// and of the extensions of any type.
func (w *world) knownMembers(s *service) (map[string]bool, error) {
	known := map[string]bool{}
	for _, of := range []*service{s, {name: s.name, kind: "MapServer", folder: s.folder}} {
		text, err := w.newDefinition(of)
		if err != nil {
			return nil, err
		}
		_, err = rewrite(text, func(at jsontext.Pointer) (jsontext.Value, bool) {
			path := inAnyElement(at)
			if !strings.Contains(path, "/x-") && (of == s || strings.HasPrefix(path, "/extensions")) {
				known[path] = true
			}
			return nil, true
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

// inAnyElement writes a pointer with the places in lists left open.
func inAnyElement(at jsontext.Pointer) string {
	var path strings.Builder
	for token := range at.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			token = "*"
		}
		path.WriteString("/" + token)
	}
	return path.String()
}

package health

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// mostReasons bounds what one test can say: the JSON has it whole.
const mostReasons = 50

// telling are the names of members whose text needs no name before it.
var telling = []string{"message", "messages", "reason", "reasons", "error", "errors", "detail", "details", "cause", "summary"}

// Reasons returns what a server wrote about a test beside its documented
// members: strings and lists of strings, cleaned by package plain, line breaks
// kept. What speaks for itself, such as "message", comes first and bare;
// anything else follows as "name: text". Nil where there is nothing. Whether a
// test needs a reason is up to its verdict: those that passed may have some too.
func Reasons(t adminapi.TestResult) []string {
	var spoken, named []string
	for name, value := range members(t.Unknown) {
		for _, text := range textsOf(value) {
			switch {
			case len(spoken)+len(named) >= mostReasons:
			case slices.Contains(telling, strings.ToLower(name)):
				spoken = append(spoken, text)
			default:
				named = append(named, plain.Line(name)+": "+text)
			}
		}
	}
	return append(spoken, named...)
}

// ReasonLine returns the reasons of a test as one line, "" where there are none.
func ReasonLine(t adminapi.TestResult) string {
	return plain.Line(strings.Join(Reasons(t), "; "))
}

// members goes through the members of an object in their order.
func members(object jsontext.Value) func(yield func(string, jsontext.Value) bool) {
	return func(yield func(string, jsontext.Value) bool) {
		dec := decoder(object)
		if open, err := dec.ReadToken(); err != nil || open.Kind() != '{' {
			return
		}
		for dec.PeekKind() == '"' {
			token, err := dec.ReadToken()
			if err != nil {
				return
			}
			name := token.String()
			value, err := dec.ReadValue()
			if err != nil || !yield(name, value) {
				return
			}
		}
	}
}

// textsOf returns the text of a string, or of each string of a list, without
// blank ones.
func textsOf(value jsontext.Value) []string {
	dec := decoder(value)
	var texts []string
	depth := 0
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return texts
		}
		switch token.Kind() {
		case '[':
			depth++
		case '"':
			if text := strings.TrimSpace(plain.Text(token.String())); text != "" {
				texts = append(texts, text)
			}
		case ']':
			depth--
		case '{':
			return texts // an object is nothing to read in a line
		}
		if depth == 0 {
			return texts
		}
	}
}

func decoder(value jsontext.Value) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

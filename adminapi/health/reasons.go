package health

import (
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json/jsontext"
)

// maxReasons bounds what one test can say: the JSON has it whole.
const maxReasons = 50

// telling are the names of members whose text needs no name before it.
var telling = []string{"message", "messages", "reason", "reasons", "error", "errors", "detail", "details", "cause", "summary"}

// Reasons returns what a server wrote about a test beside its documented
// members: strings and lists of strings, cleaned by package plain, line breaks
// kept. What speaks for itself, such as "message", comes first and bare;
// anything else follows as "name: text". Nil where there is nothing. Whether a
// test needs a reason is up to its verdict: those that passed may have some too.
func Reasons(t adminapi.TestResult) []string {
	if t.Unknown.Kind() != jsontext.KindBeginObject {
		return nil
	}
	var spoken, named []string
	for member := range jsonx.Children(t.Unknown) {
		for _, text := range textsOf(member.Value) {
			switch {
			case len(spoken)+len(named) >= maxReasons:
			case slices.Contains(telling, strings.ToLower(member.Name)):
				spoken = append(spoken, text)
			default:
				named = append(named, plain.Line(member.Name)+": "+text)
			}
		}
	}
	return append(spoken, named...)
}

// ReasonLine returns the reasons of a test as one line, "" where there are none.
func ReasonLine(t adminapi.TestResult) string {
	return plain.Line(strings.Join(Reasons(t), "; "))
}

// Member is what a server wrote under a name that this program has no field for.
type Member struct{ Name, Text string }

// Members returns the members of an object in their order: strings as their
// content, anything else as the JSON that it is.
func Members(object jsontext.Value) []Member {
	if object.Kind() != jsontext.KindBeginObject {
		return nil
	}
	var members []Member
	for m := range jsonx.Children(object) {
		text := string(m.Value)
		if m.Value.Kind() == jsontext.KindString {
			text = jsonx.Text(m.Value)
		}
		members = append(members, Member{m.Name, text})
	}
	return members
}

// textsOf returns the text of a string, or of each string of a list, without
// blank ones.
func textsOf(value jsontext.Value) []string {
	dec := jsonx.NewDecoder(value)
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

package document

import (
	"slices"
	"strings"

	"geodeck/adminapi/redact"
)

// Masked returns the text as it may be shown: a mask is in place of the texts and numbers
// that stand under the name of a secret, and of passwords and tokens in other texts, such
// as connection strings. All other bytes are unchanged.
func (d *Document) Masked() string { return d.Root().masked(false) }

// Masked returns changes as they may be shown, see [Document.Masked]. A secret that was
// changed is a change without either value.
func Masked(changes []Change) []Change {
	changes = slices.Clone(changes)
	for i := range changes {
		c := &changes[i]
		c.Old, c.New = maskedAt(c.Path, c.Old, c.Secret), maskedAt(c.Path, c.New, c.Secret)
	}
	return changes
}

// maskedAt returns the value at a path, as it was written, as it may be shown; the empty
// text is none. secret is whether it is one whatever the path says.
func maskedAt(path Path, raw string, secret bool) string {
	n := rawNode(raw)
	if !n.Valid() {
		return raw
	}
	return n.masked(secret || slices.ContainsFunc(path.Steps(), func(s Step) bool { return s.Kind == ByKey && redact.Member(s.Key) }))
}

// masked returns the value as it may be shown; secret is whether it stands under the name
// of one.
func (n Node) masked(secret bool) string {
	m := masker{text: n.doc.text, end: n.at().start}
	m.value(n, secret)
	m.out.WriteString(m.text[m.end:n.at().end])
	return m.out.String()
}

type masker struct {
	text string
	out  strings.Builder
	end  int32 // of what is in out
}

func (m *masker) value(n Node, secret bool) {
	switch kind := n.Kind(); {
	case kind >= Object:
		named := n.namesSecret()
		for child := range n.Children() {
			key, _ := child.Key()
			m.value(child, secret || redact.Member(key) || named && holdsValue(key))
		}
	case secret && (kind == Number || kind == String && n.Text() != ""):
		m.replace(n, redact.Mask)
	case kind == String:
		text := n.Text()
		if masked := maskedText(text); masked != text {
			m.replace(n, masked)
		}
	}
}

func (m *masker) replace(n Node, text string) {
	m.out.WriteString(m.text[m.end:n.at().start] + Quote(text))
	m.end = n.at().end
}

// isNamedSecret reports whether the node is, or stands in, the value of an object that names
// a secret. An invalid node is none.
func (n Node) isNamedSecret() bool {
	for n.Valid() {
		parent := n.Parent()
		if key, _ := n.Key(); holdsValue(key) && parent.namesSecret() {
			return true
		}
		n = parent
	}
	return false
}

// holdsValue reports whether what an object names is under a key of it.
func holdsValue(key string) bool {
	return strings.EqualFold(key, "value") || strings.EqualFold(key, "defaultValue")
}

// namesSecret reports whether an object names the secret whose value it holds.
func (n Node) namesSecret() bool {
	if n.Kind() != Object {
		return false
	}
	for _, key := range []string{"id", "name", "key"} {
		if child, ok := n.Child(key); ok && child.Kind() == String && redact.Member(child.Text()) {
			return true
		}
	}
	return false
}

// maskedText masks the secrets in a text, which may hold JSON.
func maskedText(text string) string {
	if inner := strings.TrimSpace(text); IsContainer(inner) {
		if d, err := Parse([]byte(inner)); err == nil {
			return d.Masked()
		}
	}
	return redact.Text(text, func(string) string { return redact.Mask })
}

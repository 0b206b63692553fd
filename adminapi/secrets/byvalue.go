package secrets

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
)

// ByValue masks known secrets wherever they stand: in upper and lower case, escaped for HTML, URLs
// or JSON, and with invisible characters in between. The zero value masks nothing.
type ByValue struct {
	of       []*atomic.Pointer[matcher]
	contents []content
}

// Of masks the given secrets.
func Of(secrets ...Secret) ByValue {
	k := New(rand.Uint64())
	k.add(&k.others, len(secrets), known{taken: true}, secrets...)
	return k.Masker()
}

// And masks what the other one masks, too.
func (m ByValue) And(other ByValue) ByValue {
	return ByValue{slices.Concat(m.of, other.of), slices.Concat(m.contents, other.contents)}
}

// WithContent also masks parts of the content of a secret file, of which a server may quote some.
func (m ByValue) WithContent(of []byte) ByValue {
	m.contents = append(slices.Clip(m.contents), of)
	return m
}

// HidesContent reports whether parts of a secret file are masked.
func (m ByValue) HidesContent() bool { return len(m.contents) > 0 }

// Text masks the secrets in a text that stand there as a rule says.
func (m ByValue) Text(text string, rule Rule) string {
	for _, source := range m.of {
		text = source.Load().text(text, rule)
	}
	for _, of := range m.contents {
		text = of.maskCodes(of.maskRuns(text))
	}
	return text
}

// JSON is [ByValue.Text] for the texts and numbers in JSON, one value or several in a row. Names
// lose tokens alone; all other bytes are unchanged. What is not JSON is masked as a text.
func (m ByValue) JSON(value []byte, rule Rule) []byte {
	for _, source := range m.of {
		value = source.Load().json(value, rule)
	}
	return value
}

// maxName is the length of a name in bytes. What is longer is a text.
const maxName = 256

func (s *matcher) json(value []byte, rule Rule) []byte {
	written := string(value)
	if s.empty() || !s.mayContain(written, rule) {
		return value
	}
	var out []byte
	end := 0               // of what is in out
	named := []bool{false} // by depth, whether its texts are names
	in := jsontext.NewDecoder(strings.NewReader(written), jsonx.AsWritten)
	for {
		before := int(in.InputOffset())
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return []byte(s.text(written, rule))
		}
		depth := in.StackDepth()
		within, count := in.StackIndex(depth)
		switch kind := token.Kind(); {
		case kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray:
			named = append(named[:depth], named[depth-1]) // the first name in an object says it anew
			continue
		case kind != jsontext.KindString && kind != jsontext.KindNumber:
			continue
		}
		standing, isMember := rule, within == jsontext.KindBeginObject && count%2 == 1
		if isMember {
			named[depth] = holdsNames(token.String())
		}
		if isMember || named[depth] && len(token.String()) <= maxName {
			standing = InNames
		}
		clean := s.text(token.String(), standing)
		if clean == token.String() {
			continue
		}
		to := int(in.InputOffset())
		from := to - len(strings.TrimLeft(written[before:to], " \t\r\n,:"))
		out = appendQuoted(append(out, written[end:from]...), clean)
		end = to
	}
	if end == 0 {
		return value
	}
	return append(out, written[end:]...)
}

// appendQuoted appends a text as a JSON string.
func appendQuoted(out []byte, text string) []byte {
	out, _ = jsontext.AppendQuote(out, strings.ToValidUTF8(text, "\ufffd")) // only broken UTF-8 is an error
	return out
}

const (
	// maxEcho is how many bytes in a row a text may have in common with a secret file. Any text
	// repeats some bytes of a licence, such as the name of a product.
	maxEcho = 15
	minCode = 8 // bytes of the code of an authorization
)

// content is that of a secret file.
type content []byte

// maskRuns masks every run of more than maxEcho bytes.
func (c content) maskRuns(text string) string {
	const window = maxEcho + 1
	if len(text) < window || len(c) < window {
		return text
	}
	shared := make(map[string]bool, len(text))
	for i := range len(text) - window + 1 {
		shared[text[i:i+window]] = false
	}
	for i := range len(c) - window + 1 {
		if found, known := shared[string(c[i:i+window])]; known && !found {
			shared[string(c[i:i+window])] = true
		}
	}
	var found spans
	for i := range len(text) - window + 1 {
		if shared[text[i:i+window]] {
			found.add(int32(i), int32(i+window))
		}
	}
	return found.mask(text)
}

// maskCodes masks words that are whole values in the content and look like codes of an
// authorization: letters and digits, at most maxEcho of them. Versions, dates and words of
// prose remain.
func (c content) maskCodes(text string) string {
	for _, word := range strings.FieldsFunc(text, isWordSeparator) {
		word = strings.TrimRight(word, ".!?")
		if len(word) < minCode || len(word) > maxEcho ||
			!strings.ContainsFunc(word, unicode.IsDigit) || !strings.ContainsFunc(word, unicode.IsLetter) {
			continue
		}
		if bytes.Contains(c, []byte(`"`+word+`"`)) {
			text = strings.ReplaceAll(text, word, Mask)
		}
	}
	return text
}

func isWordSeparator(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;:()[]{}<>=", r)
}

package cli

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/plain"
)

// asReceived lets values pass that the server wrote against the rules of JSON;
// objects of ours always have the same order.
var asReceived = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.Deterministic(true))

// json tells whether a program reads what we print.
func (p *program) json() bool { return p.flags.output == outputJSON || p.flags.output == outputJSONL }

// printRaw prints JSON that the server wrote: numbers and order stay.
func (p *program) printRaw(raw jsontext.Value) error {
	raw = bytes.Clone(raw)
	form := raw.Compact
	if p.flags.output == outputJSON {
		form = func(o ...jsontext.Options) error { return raw.Indent(append(o, jsontext.WithIndent("  "))...) }
	}
	if err := form(asReceived); err != nil {
		return fmt.Errorf("cannot print the answer as JSON: %w", err)
	}
	_, err := p.Out.Write(append(escapeUnseen(raw), '\n'))
	return err
}

// printValue prints a value of ours as JSON.
func (p *program) printValue(v any) error {
	raw, err := json.Marshal(v, asReceived)
	if err != nil {
		return err
	}
	return p.printRaw(raw)
}

// printEvent prints a value of ours on a line of its own: a watch has many.
func (p *program) printEvent(v any) error {
	raw, err := json.Marshal(v, asReceived)
	if err != nil {
		return err
	}
	_, err = p.Out.Write(append(escapeUnseen(raw), '\n'))
	return err
}

// printList prints an array, or with jsonl one element a line.
func printList[T any](p *program, list []T) error {
	if p.flags.output == outputJSON {
		return p.printValue(list)
	}
	for _, element := range list {
		if err := p.printValue(element); err != nil {
			return err
		}
	}
	return nil
}

// escapeUnseen writes characters that a terminal obeys, or that nobody can see,
// as JSON escapes: the value stays the same. In valid JSON they can stand in
// strings only.
func escapeUnseen(raw []byte) []byte {
	if bytes.IndexFunc(raw, unseen) < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw)+64)
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		switch {
		case !unseen(r):
			out = append(out, raw[:size]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		raw = raw[size:]
	}
	return out
}

func unseen(r rune) bool {
	return r >= 0x7f && (r <= 0x9f || r == utf8.RuneError || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Cf, r))
}

// say prints one line of text for people.
func (p *program) say(line string) error {
	_, err := fmt.Fprintln(p.Out, line)
	return err
}

// note tells the user something beside the result.
func (p *program) note(text string) {
	if text == "" {
		return
	}
	if p.json() {
		p.messageLine(struct {
			Notice struct {
				Message string `json:"message"`
			} `json:"notice"`
		}{struct {
			Message string `json:"message"`
		}{text}})
		return
	}
	fmt.Fprintln(p.Err, "geodeck: "+plain.Line(text))
}

// messageLine writes one line of JSON beside the result.
func (p *program) messageLine(v any) {
	raw, err := json.Marshal(v, asReceived)
	if err != nil {
		return
	}
	_, _ = p.Err.Write(append(escapeUnseen(raw), '\n'))
}

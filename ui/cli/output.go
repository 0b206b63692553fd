package cli

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/pflag"

	"geodeck/adminapi/plain"
)

const envNoColor = "NO_COLOR"

// The forms of output.
const (
	outputTable = "table"
	outputJSON  = "json"
	outputJSONL = "jsonl"
)

var (
	outputs     = []string{outputTable, outputJSON, outputJSONL}
	backgrounds = []string{"auto", "dark", "light"}
)

// output is where a command prints: its result on the standard output, as tables for
// people or as JSON for programs, and what it tells beside the result on the standard
// error.
type output struct {
	out, err io.Writer
	env      func(string) string

	form                  string // table, json or jsonl
	plain, noColor, ascii bool
	background            string // of the terminal

	drawn *look // once it is settled
}

func (o *output) register(set *pflag.FlagSet) {
	set.StringVarP(&o.form, "output", "o", outputTable, "output: table, json or jsonl")
	set.BoolVar(&o.plain, "plain", false, "words only: no colours, no glyphs")
	set.BoolVar(&o.noColor, "no-color", false, "no colours (or "+envNoColor+")")
	set.BoolVar(&o.ascii, "ascii", false, "draw with ASCII characters only")
	set.StringVar(&o.background, "theme", "auto", "background of the terminal: auto, dark or light")
}

func (o *output) check() error {
	if err := oneOf("--output", o.form, outputs); err != nil {
		return err
	}
	return oneOf("--theme", o.background, backgrounds)
}

// asReceived lets values pass that the server wrote against the rules of JSON;
// objects of ours always have the same order.
var asReceived = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.Deterministic(true))

// json reports whether a program reads what is printed.
func (o *output) json() bool { return o.form == outputJSON || o.form == outputJSONL }

// printRaw prints JSON that the server wrote: numbers and order stay.
func (o *output) printRaw(raw jsontext.Value) error { return o.printAs(o.form, raw) }

// printWhole prints JSON in lines that people can edit, unless asked for one line.
func (o *output) printWhole(raw jsontext.Value) error {
	if !o.json() {
		return o.printAs(outputJSON, raw)
	}
	return o.printRaw(raw)
}

func (o *output) printAs(form string, raw jsontext.Value) error {
	raw = bytes.Clone(raw)
	var err error
	if form == outputJSON {
		err = raw.Indent(asReceived, jsontext.WithIndent("  "))
	} else {
		err = raw.Compact(asReceived)
	}
	if err != nil {
		return fmt.Errorf("cannot print the answer as JSON: %w", err)
	}
	_, err = o.out.Write(append(escapeUnseen(raw), '\n'))
	return err
}

// printValue prints a value of ours as JSON.
func (o *output) printValue(v any) error {
	raw, err := json.Marshal(v, asReceived)
	if err != nil {
		return err
	}
	return o.printRaw(raw)
}

// printEvent prints a value of ours on a line of its own: a watch has many.
func (o *output) printEvent(v any) error { return printLine(o.out, v) }

// messageLine writes one line of JSON beside the result.
func (o *output) messageLine(v any) { _ = printLine(o.err, v) }

func printLine(to io.Writer, v any) error {
	raw, err := json.Marshal(v, asReceived)
	if err != nil {
		return err
	}
	_, err = to.Write(append(escapeUnseen(raw), '\n'))
	return err
}

// printList prints an array, or with jsonl one element a line.
func printList[T any](o *output, list []T) error {
	if o.form == outputJSON {
		return o.printValue(list)
	}
	for _, element := range list {
		if err := o.printValue(element); err != nil {
			return err
		}
	}
	return nil
}

// printContent prints the very bytes that the site sent, or on a terminal what is fit
// for one.
func (o *output) printContent(raw []byte) error {
	if _, ok := terminal(o.out); !ok {
		_, err := o.out.Write(raw)
		return err
	}
	value := jsontext.Value(bytes.Clone(raw))
	if value.Indent(asReceived, jsontext.WithIndent("  ")) != nil {
		return o.say(plain.Text(string(raw)))
	}
	return o.say(string(escapeUnseen(value)))
}

// printExport prints the very bytes of an export into a pipe; on a terminal what it
// would obey stands as escapes.
func (o *output) printExport(content []byte) error {
	if _, ok := terminal(o.out); ok {
		content = escapeUnseen(content)
	}
	_, err := o.out.Write(content)
	return err
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
func (o *output) say(line string) error {
	_, err := fmt.Fprintln(o.out, line)
	return err
}

// sayAll prints lines of foreign text for people, each cleaned.
func (o *output) sayAll(lines ...string) error {
	for _, line := range lines {
		if err := o.say(plain.Line(line)); err != nil {
			return err
		}
	}
	return nil
}

// noticeLine is a note in JSON.
type noticeLine struct {
	Notice struct {
		Message string `json:"message"`
	} `json:"notice"`
}

// note tells the user something beside the result; nothing where the text is empty.
func (o *output) note(text string) {
	switch {
	case text == "":
	case o.json():
		var line noticeLine
		line.Notice.Message = text
		o.messageLine(line)
	default:
		fmt.Fprintln(o.err, "geodeck: "+plain.Line(text))
	}
}

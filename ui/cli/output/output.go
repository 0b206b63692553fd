// Package output is what a command prints to: results as tables for people or as JSON for
// programs, and notes beside the result. It cleans foreign text on the way, and is never
// held up for good by a reader that pauses.
//
// Start at [Output].
package output

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
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
	formTable = "table"
	formJSON  = "json"
	formJSONL = "jsonl"
)

var (
	Forms       = []string{formTable, formJSON, formJSONL}
	Backgrounds = []string{"auto", "dark", "light"}
)

// Output is where a command prints: its result on the standard output, as tables for
// people or as JSON for programs, and notes beside it on the standard error.
type Output struct {
	Out, Err io.Writer
	env      func(string) string

	Form           string // table, json or jsonl
	Plain          bool   // words only
	Background     string // of the terminal
	noColor, ascii bool

	look *Look // once it is settled
}

// New returns an output on two streams. Its waits for a reader that pauses end with the
// context that during returns.
func New(out, err io.Writer, env func(string) string, during func() context.Context) *Output {
	return &Output{Out: newStream(out, during), Err: newStream(err, during), env: env}
}

// Register adds the flags that say how output looks.
func (o *Output) Register(set *pflag.FlagSet) {
	set.StringVarP(&o.Form, "output", "o", formTable, "output: table, json or jsonl")
	set.BoolVar(&o.Plain, "plain", false, "words only: no colours, no glyphs")
	set.BoolVar(&o.noColor, "no-color", false, "no colours (or "+envNoColor+")")
	set.BoolVar(&o.ascii, "ascii", false, "draw with ASCII characters only")
	set.StringVar(&o.Background, "theme", "auto", "background of the terminal: auto, dark or light")
}

// FindForm finds the form in a command line that could not be read to its end, so that
// its error has the form that was asked for.
func (o *Output) FindForm(args []string) {
	for i, arg := range args {
		value, found := strings.CutPrefix(arg, "--output=")
		if !found {
			value, found = strings.CutPrefix(arg, "-o")
			value = strings.TrimPrefix(value, "=")
		}
		if (arg == "-o" || arg == "--output") && i+1 < len(args) {
			value, found = args[i+1], true
		}
		if found && slices.Contains(Forms, value) {
			o.Form = value
			return
		}
	}
}

// AsReceived lets values pass that the server wrote against the rules of JSON;
// objects of ours always have the same order.
var AsReceived = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.Deterministic(true))

// JSON reports whether a program reads what is printed.
func (o *Output) JSON() bool { return o.Form == formJSON || o.Form == formJSONL }

// PrintRaw prints JSON that the server wrote: numbers and order stay.
func (o *Output) PrintRaw(raw jsontext.Value) error { return o.printAs(o.Form, raw) }

// PrintEditable prints JSON in lines that people can edit, unless asked for one line.
func (o *Output) PrintEditable(raw jsontext.Value) error {
	if !o.JSON() {
		return o.printAs(formJSON, raw)
	}
	return o.PrintRaw(raw)
}

func (o *Output) printAs(form string, raw jsontext.Value) error {
	raw = bytes.Clone(raw)
	var err error
	if form == formJSON {
		err = raw.Indent(AsReceived, jsontext.WithIndent("  "))
	} else {
		err = raw.Compact(AsReceived)
	}
	if err != nil {
		return fmt.Errorf("cannot print the answer as JSON: %w", err)
	}
	_, err = o.Out.Write(append(Escape(raw), '\n'))
	return err
}

// PrintValue prints a value of ours as JSON.
func (o *Output) PrintValue(v any) error {
	raw, err := json.Marshal(v, AsReceived)
	if err != nil {
		return err
	}
	return o.PrintRaw(raw)
}

// PrintEvent prints a value of ours on a line of its own: a watch has many.
func (o *Output) PrintEvent(v any) error { return printLine(o.Out, v) }

// PrintMessage writes one line of JSON beside the result.
func (o *Output) PrintMessage(v any) { _ = printLine(o.Err, v) }

func printLine(to io.Writer, v any) error {
	raw, err := json.Marshal(v, AsReceived)
	if err != nil {
		return err
	}
	_, err = to.Write(append(Escape(raw), '\n'))
	return err
}

// PrintList prints an array, or with jsonl one element a line.
func PrintList[T any](o *Output, list []T) error {
	if o.Form == formJSON {
		return o.PrintValue(list)
	}
	for _, element := range list {
		if err := o.PrintValue(element); err != nil {
			return err
		}
	}
	return nil
}

// PrintContent prints the very bytes that the site sent, or on a terminal what is fit
// for one.
func (o *Output) PrintContent(raw []byte) error {
	if _, ok := Terminal(o.Out); !ok {
		_, err := o.Out.Write(raw)
		return err
	}
	value := jsontext.Value(bytes.Clone(raw))
	if value.Indent(AsReceived, jsontext.WithIndent("  ")) != nil {
		return o.PrintLine(plain.Text(string(raw)))
	}
	return o.PrintLine(string(Escape(value)))
}

// PrintExport prints the very bytes of an export into a pipe; on a terminal what it
// would obey stands as escapes.
func (o *Output) PrintExport(content []byte) error {
	if _, ok := Terminal(o.Out); ok {
		content = Escape(content)
	}
	_, err := o.Out.Write(content)
	return err
}

// Escape writes characters that a terminal obeys, or that nobody can see,
// as JSON escapes: the value stays the same. In valid JSON they can stand in
// strings only.
func Escape(raw []byte) []byte {
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

// PrintLine prints one line of text for people.
func (o *Output) PrintLine(line string) error {
	_, err := fmt.Fprintln(o.Out, line)
	return err
}

// PrintLines prints lines of foreign text for people, each cleaned.
func (o *Output) PrintLines(lines ...string) error {
	for _, line := range lines {
		if err := o.PrintLine(plain.Line(line)); err != nil {
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

// Note prints a text beside the result; nothing where it is empty.
func (o *Output) Note(text string) {
	switch {
	case text == "":
	case o.JSON():
		var line noticeLine
		line.Notice.Message = text
		o.PrintMessage(line)
	default:
		fmt.Fprintln(o.Err, "geodeck: "+plain.Line(text))
	}
}

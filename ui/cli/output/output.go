// Package output is what a command prints to: results as tables for people or as JSON for
// programs, and notes on the standard error. It cleans text of the server, and a reader
// that pauses cannot block it forever.
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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

const envNoColor = "NO_COLOR"

// The forms of output.
const (
	formTable = "table"
	formJSON  = "json"
	formJSONL = "jsonl"
)

// Forms are the values of --output, and Backgrounds those of --background.
var (
	Forms       = []string{formTable, formJSON, formJSONL}
	Backgrounds = []string{"auto", "dark", "light"}
)

// Output is where a command prints: its result on the standard output, as tables for
// people or as JSON for programs, and notes on the standard error.
type Output struct {
	Out, Err io.Writer
	env      func(string) string

	Form           string // table, json or jsonl
	Plain          bool   // no colours, ASCII, and in commands no signs
	Background     string // of the terminal
	noColor, ascii bool

	Commands func(text string) string // writes the commands of a note as they can be run
	About    func() *About            // the site that is asked; nil, or returns nil, where none is
	renderer *Renderer                // once it is settled
}

// New returns an output on two streams. Its waits for a reader that pauses end with the
// context that during returns.
func New(out, err io.Writer, env func(string) string, during func() context.Context) *Output {
	return &Output{Out: newStream(out, during), Err: newStream(err, during), env: env}
}

// Register adds the flags that say how output looks.
func (o *Output) Register(set *pflag.FlagSet) {
	set.StringVarP(&o.Form, "output", "o", formTable, "output: table, json or jsonl")
	set.BoolVar(&o.Plain, "plain", false, "no colours and only ASCII, as --no-color --ascii; commands print words without signs")
	set.BoolVar(&o.noColor, "no-color", false, "no colours (or "+envNoColor+")")
	set.BoolVar(&o.ascii, "ascii", false, "draw with ASCII characters only")
	set.StringVar(&o.Background, "theme", "auto", "background of the terminal: auto, dark or light")
}

// FindForm finds the form in a command line that could not be parsed, so that its error
// is printed in that form.
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

// AsReceived are the JSON options that accept what the server wrote against the rules of
// JSON. Our own objects have a fixed order.
var AsReceived = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.Deterministic(true))

// JSON reports whether JSON is printed.
func (o *Output) JSON() bool { return o.Form == formJSON || o.Form == formJSONL }

// Lines reports whether what is printed is a line of JSON for each thing.
func (o *Output) Lines() bool { return o.Form == formJSONL }

// PrintRaw prints JSON that the server wrote: numbers and order stay.
func (o *Output) PrintRaw(raw jsontext.Value) error { return o.printAs(o.Form, raw) }

// PrintEditable prints JSON indented, unless jsonl was chosen.
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
	_, err = o.Out.Write(append(plain.SafeJSON(raw), '\n'))
	return err
}

// SchemaVersion is the version of what is promised of our own JSON. A member that is only added keeps it.
const SchemaVersion = 1

// About is the site that an object of ours is about, in its head.
type About struct {
	Site    string `json:"site"` // its name in config.yaml; empty where the address was given
	Address string `json:"address"`
}

// Items is what a list is printed as, also where it holds one thing or none.
type Items[T any] struct {
	Items []T `json:"items"`
}

// Shapes are what commands print as objects of ours, by command: a value of each type, a slice for a list.
type Shapes map[string][]any

// PrintValue prints an object of ours as JSON, its version first.
func (o *Output) PrintValue(v any) error {
	raw, err := headed(v, o.about())
	if err != nil {
		return err
	}
	return o.PrintRaw(raw)
}

// PrintEvent prints an object of ours on one line, for a watch with many.
func (o *Output) PrintEvent(v any) error {
	raw, err := headed(v, o.about())
	if err != nil {
		return err
	}
	return printLine(o.Out, raw)
}

// about is the site that is asked, nil where none is.
func (o *Output) about() *About {
	if o.About == nil {
		return nil
	}
	return o.About()
}

// headed is the JSON of an object that begins with its version, and with the site that it is about.
func headed(v any, about *About) (jsontext.Value, error) {
	head, err := json.Marshal(struct {
		Version int `json:"schemaVersion"`
		*About
	}{SchemaVersion, about})
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(v, AsReceived)
	if err != nil {
		return nil, err
	}
	members, isObject := bytes.CutPrefix(raw, []byte("{"))
	switch {
	case !isObject:
		return nil, fmt.Errorf("%T is no object of JSON", v)
	case members[0] == '}':
		return head, nil
	}
	return append(append(head[:len(head)-1], ','), members...), nil
}

// Raw is an object of the site in JSON, as it was read.
func Raw(v any) jsontext.Value {
	raw, _ := json.Marshal(v, AsReceived) // it was read from JSON
	return raw
}

// NoticeJSON is a note beside the output.
type NoticeJSON struct {
	Message string `json:"message"`
}

// PrintMessage writes one line of JSON on the standard error: an object with its version and that member.
func (o *Output) PrintMessage(name string, v any) {
	if line, err := headed(map[string]any{name: v}, nil); err == nil {
		_ = printLine(o.Err, line)
	}
}

func printLine(to io.Writer, v any) error {
	line, err := adminapi.JSONLine(v)
	if err != nil {
		return err
	}
	_, err = to.Write(append(line, '\n'))
	return err
}

// PrintList prints an object with the items of a list, or with jsonl each as a line of its own.
func PrintList[T any](o *Output, list []T) error {
	if o.Form == formJSON {
		return o.PrintValue(Items[T]{list})
	}
	for _, element := range list {
		if err := o.PrintValue(element); err != nil {
			return err
		}
	}
	return nil
}

// PrintContent prints the bytes that the site sent, on a terminal indented and with control
// characters as escapes.
func (o *Output) PrintContent(raw []byte) error {
	if _, ok := Terminal(o.Out); !ok {
		_, err := o.Out.Write(raw)
		return err
	}
	value := jsontext.Value(bytes.Clone(raw))
	if value.Indent(AsReceived, jsontext.WithIndent("  ")) != nil {
		return o.PrintLine(plain.Text(string(raw)))
	}
	return o.PrintLine(string(plain.SafeJSON(value)))
}

// PrintExport prints the bytes of an export, on a terminal with control characters as
// escapes.
func (o *Output) PrintExport(content []byte) error {
	if _, ok := Terminal(o.Out); ok {
		content = plain.SafeJSON(content)
	}
	_, err := o.Out.Write(content)
	return err
}

// PrintLine prints one line of text for people.
func (o *Output) PrintLine(line string) error {
	_, err := fmt.Fprintln(o.Out, line)
	return err
}

// PrintLines prints lines of text for people, each cleaned.
func (o *Output) PrintLines(lines ...string) error {
	for _, line := range lines {
		if err := o.PrintLine(plain.Line(line)); err != nil {
			return err
		}
	}
	return nil
}

// Note prints a text on the standard error, unless it is empty.
func (o *Output) Note(text string) {
	if o.Commands != nil {
		text = o.Commands(text)
	}
	switch {
	case text == "":
	case o.JSON():
		o.PrintMessage("notice", NoticeJSON{text})
	default:
		fmt.Fprintln(o.Err, "geodeck: "+plain.Line(text))
	}
}

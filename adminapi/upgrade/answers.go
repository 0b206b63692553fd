package upgrade

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"geodeck/adminapi"

	"github.com/go-json-experiment/json/jsontext"
)

// Check returns what keeps the answers from being sent: a required setting that
// stays empty, JSON that does not parse (with line and column), a kind that does
// not fit, an answer to nothing that was asked. Files are checked by [CheckFile].
func Check(fields []Field, answers Answers) []Problem {
	var problems []Problem
	asked := make(map[string]bool, len(fields))
	for _, f := range fields {
		asked[f.ID] = true
		if text := f.wrong(answers[f.ID]); text != "" {
			problems = append(problems, Problem{ID: f.ID, Text: f.Label + " " + text})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		if !asked[id] && !answers[id].isZero() {
			problems = append(problems, Problem{ID: id, Text: short(id) + " is not a setting that the site asks for."})
		}
	}
	return problems
}

// wrong goes after the label of the field; nothing where the answer is good.
func (f Field) wrong(a Answer) string {
	missing := f.Required && f.Empty()
	switch f.Kind {
	case Boolean:
		switch {
		case a.Path != "" || a.Upload != "" || a.JSON != "":
			return "takes yes or no."
		case a.Bool == nil && missing:
			return "is required: say yes or no."
		}
	case File:
		switch {
		case a.Bool != nil || a.JSON != "":
			return "takes a file."
		case a.isZero() && missing:
			return "is required: name a file."
		}
	default:
		return f.wrongJSON(a, missing)
	}
	return ""
}

func (f Field) wrongJSON(a Answer, missing bool) string {
	text := strings.TrimSpace(a.JSON)
	switch {
	case a.Bool != nil || a.Path != "" || a.Upload != "":
		return "takes JSON."
	case text == "" && missing:
		return "is required: give it as JSON."
	case text == "":
		return ""
	}
	if err := parses([]byte(a.JSON)); err != nil {
		return "is " + err.Error() + "."
	}
	if f.Required && textOf(jsontext.Value(text)) == "" {
		return "is required and must not be empty."
	}
	return ""
}

// parses checks that data is one JSON value. The error tells where it is not, and
// shows nothing of it.
func parses(data []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(data))
	err := decoder.SkipValue()
	if err == nil {
		if _, err = decoder.ReadToken(); err == io.EOF {
			return nil
		}
		if err == nil {
			return fmt.Errorf("not JSON: there is more after its end at %s", position(data, decoder.InputOffset()))
		}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("empty")
	}
	at := decoder.InputOffset()
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = syntax.ByteOffset
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("not usable: a name is given twice at %s", position(data, at))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || at >= int64(len(data)) {
		return fmt.Errorf("not JSON: it ends too early at %s", position(data, int64(len(data))))
	}
	return fmt.Errorf("not JSON at %s", position(data, at))
}

// position counts from 1, columns in characters.
func position(data []byte, offset int64) string {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

// AnswersFrom reads a filled-in settings object (such as `upgrade settings` gives
// it and somebody edited) as answers: every value that differs from what the
// server gives now. Inputs that the server does not ask for are problems. A
// string for a File setting is taken for an upload id.
func AnswersFrom(settings adminapi.UpgradeSettings, filled []byte) (Answers, []Problem, error) {
	if err := parses(filled); err != nil {
		return nil, nil, fmt.Errorf("the settings are %w", err)
	}
	given, err := scan(filled)
	if err != nil {
		return nil, nil, err
	}
	fields := map[string]Field{}
	for _, f := range Form(settings) {
		fields[f.ID] = f
	}
	answers := Answers{}
	var problems []Problem
	for _, input := range given {
		f, asked := fields[input.key]
		switch {
		case !asked:
			problems = append(problems, Problem{ID: input.key, Text: short(input.key) + " is not a setting that the site asks for."})
		case input.value == nil || sameJSON(input.value, f.Value):
		default:
			answer, text := f.read(input.value)
			if text != "" {
				problems = append(problems, Problem{ID: f.ID, Text: f.Label + " " + text})
				continue
			}
			answers[f.ID] = answer
		}
	}
	return answers, problems, nil
}

// read makes an answer of a value that differs from the server's.
func (f Field) read(value jsontext.Value) (Answer, string) {
	text := textOf(value)
	switch f.Kind {
	case Boolean:
		if !strings.EqualFold(text, "true") && !strings.EqualFold(text, "false") {
			return Answer{}, "takes true or false."
		}
		on := isTrue(value)
		return Answer{Bool: &on}, ""
	case File:
		switch {
		case value.Kind() != jsontext.KindString:
			return Answer{}, "takes the id of an upload as a text."
		case text == "":
			return Answer{}, "has a file already and cannot be emptied."
		}
		return Answer{Upload: text}, ""
	}
	return Answer{JSON: string(value)}, ""
}

// sameJSON compares two values without the blanks between their tokens; numbers
// are the same only as they are written.
func sameJSON(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	a, b = bytes.Clone(a), bytes.Clone(b)
	if a.Compact(lenient...) != nil || b.Compact(lenient...) != nil {
		return false
	}
	return bytes.Equal(a, b)
}

package simulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A step is a line of a conformance script, or a request with its answer;
// testdata/conformance/README.md describes the form.
type step struct {
	line                 int
	scenario, user       string
	wait                 time.Duration
	method, path         string // below the context of the site
	headers              [][2]string
	fields               [][2]string
	multipart            bool
	raw                  string // instead of fields
	status               int
	answerHeaders        [][2]string
	answer               string // as it is written
	answerLine           int
	headersEnd, answered bool
}

var (
	requestLine = regexp.MustCompile(`^([A-Z]+) (/\S*)$`)
	answerStart = regexp.MustCompile(`^HTTP (\d{3})$`)
	headerLine  = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*): (.*)$`)
	fieldLine   = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.]*)=(.*)$`)
	beginning   = regexp.MustCompile(`^\{[a-z][A-Za-z_]*\}`)
	variable    = regexp.MustCompile(`\{([a-z][A-Za-z_]*)\}`)
)

// parseScript reads a script. Its error names the line.
func parseScript(text string) ([]*step, error) {
	var steps []*step
	var at *step
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		inAnswer := at != nil && at.answered && !at.headersEnd
		inBody := at != nil && at.answered && at.answer != "" && !at.headersEnd
		switch {
		case len(words) == 0:
			if at != nil && at.answered {
				at.headersEnd = true
			}
		case inBody:
			at.answer += "\n" + line
		case strings.HasPrefix(line, "#"):
		case inAnswer && headerLine.MatchString(line):
			at.answerHeaders = append(at.answerHeaders, [2]string(headerLine.FindStringSubmatch(line)[1:]))
		case inAnswer:
			at.answer, at.answerLine = line, i+1
		case requestLine.MatchString(line):
			m := requestLine.FindStringSubmatch(line)
			at = &step{line: i + 1, method: m[1], path: m[2]}
			steps = append(steps, at)
		case len(words) == 2 && slices.Contains([]string{"scenario:", "user:", "wait"}, words[0]):
			at = nil
			s := &step{line: i + 1}
			switch words[0] {
			case "scenario:":
				s.scenario = words[1]
			case "user:":
				s.user = words[1]
			case "wait":
				var err error
				if s.wait, err = time.ParseDuration(words[1]); err != nil {
					return nil, fmt.Errorf("line %d: %w", i+1, err)
				}
			}
			steps = append(steps, s)
		case at == nil || at.answered:
			return nil, fmt.Errorf("line %d belongs to no request: %s", i+1, line)
		case answerStart.MatchString(line):
			at.status, _ = strconv.Atoi(line[len("HTTP "):])
			at.answered = true
		case line == "multipart":
			at.multipart = true
		case strings.HasPrefix(line, "body: "):
			at.raw = line[len("body: "):]
		case line[0] == ' ' && len(at.fields) > 0:
			at.fields[len(at.fields)-1][1] += strings.TrimSpace(line)
		case headerLine.MatchString(line) && len(at.fields) == 0:
			at.headers = append(at.headers, [2]string(headerLine.FindStringSubmatch(line)[1:]))
		case fieldLine.MatchString(line):
			at.fields = append(at.fields, [2]string(fieldLine.FindStringSubmatch(line)[1:]))
		default:
			return nil, fmt.Errorf("line %d is neither a header nor a field: %s", i+1, line)
		}
	}
	for _, s := range steps {
		if s.method != "" && !s.answered {
			return nil, fmt.Errorf("line %d: the request has no answer", s.line)
		}
	}
	return steps, nil
}

// captured is what a script has captured so far, and what the runner gives it.
type captured map[string]string

// fieldValue is the value of a field, which may be written as a JSON text.
func (v captured) fieldValue(text string) (string, error) {
	var quoted string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &quoted) == nil {
		text = quoted
	}
	return v.fill(text)
}

// fill writes the values of {names} into a text.
func (v captured) fill(text string) (string, error) {
	var err error
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		value, known := v[name[1:len(name)-1]]
		if !known {
			err = fmt.Errorf("nothing was captured as %s", name)
		}
		return value
	}), err
}

// pattern reads an expected answer: JSON in which ... stands for further members or
// elements, and <type> or <type:name> for a value that varies.
func pattern(text string) (any, error) {
	var out strings.Builder
	var open []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			out.WriteString(text[i:min(end+1, len(text))])
			i = end
		case c == '<':
			end := i + strings.IndexByte(text[i:]+">", '>')
			out.WriteString(strconv.Quote(text[i:min(end+1, len(text))]))
			i = end
		case c == '{' && beginning.MatchString(text[i:]):
			name := beginning.FindString(text[i:])
			out.WriteString(strconv.Quote(name))
			i += len(name) - 1
		case strings.HasPrefix(text[i:], "..."):
			out.WriteString(`"..."`)
			if len(open) > 0 && open[len(open)-1] == '{' {
				out.WriteString(":0")
			}
			i += 2
		default:
			if c == '{' || c == '[' {
				open = append(open, c)
			} else if (c == '}' || c == ']') && len(open) > 0 {
				open = open[:len(open)-1]
			}
			out.WriteByte(c)
		}
	}
	return decodeNumbers(out.String())
}

// decodeNumbers reads JSON and keeps its numbers as they are written.
func decodeNumbers(text string) (value any, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err = dec.Decode(&value); err == nil && dec.Decode(new(any)) != io.EOF {
		err = fmt.Errorf("more follows after the JSON")
	}
	return value, err
}

// wildcards are the types that a <type> stands for, with what a text of it looks like.
var wildcards = map[string]*regexp.Regexp{
	"text": regexp.MustCompile(`(?s)^.*$`), "id": regexp.MustCompile(`^[A-Za-z0-9_-]+$`), "url": regexp.MustCompile(`^https?://\S+$`),
	"time": regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$`), "version": regexp.MustCompile(`^\d+(\.\d+)+$`), "digits": regexp.MustCompile(`^\d+$`),
	"number": nil, "millis": nil, "bool": nil, "object": nil, "list": nil, "any": nil,
}

var (
	wildcard  = regexp.MustCompile(`<([a-z]+)(?::([a-zA-Z]+))?>`)
	capturing = regexp.MustCompile(`<[a-z]+:[a-zA-Z]+>`)
)

// match compares an answer with a pattern and captures values. The error says where they
// differ, and how.
func (v captured) match(want, have any, at string) error {
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: an object is wanted, not %s", at, shown(have))
		}
		names := slices.Sorted(maps.Keys(w))
		slices.SortStableFunc(names, func(a, b string) int { return numCaptures(w[b]) - numCaptures(w[a]) })
		for _, name := range names {
			if name == "..." {
				continue
			}
			value, ok := h[name]
			if !ok {
				return fmt.Errorf("%s.%s is missing", at, name)
			}
			if err := v.match(w[name], value, at+"."+name); err != nil {
				return err
			}
		}
		_, open := w["..."]
		for _, name := range slices.Sorted(maps.Keys(h)) {
			if _, named := w[name]; !named && !open {
				return fmt.Errorf("%s.%s is not in the script", at, name)
			}
		}
		return nil
	case []any:
		h, ok := have.([]any)
		if !ok {
			return fmt.Errorf("%s: a list is wanted, not %s", at, shown(have))
		}
		return v.matchList(w, h, at, 0)
	case string:
		return v.matchText(w, have, at)
	}
	if fmt.Sprintf("%T %v", want, want) != fmt.Sprintf("%T %v", have, have) {
		return fmt.Errorf("%s: %s is wanted, not %s", at, shown(want), shown(have))
	}
	return nil
}

// numCaptures counts what a pattern captures: other members may use it.
func numCaptures(want any) int { return len(capturing.FindAllString(shown(want), -1)) }

// matchList compares the elements from the n-th on; ... takes as few as possible.
func (v captured) matchList(want, have []any, at string, n int) error {
	switch {
	case len(want) == 0 && len(have) == 0:
		return nil
	case len(want) == 0:
		return fmt.Errorf("%s has %d elements more than the script", at, len(have))
	case want[0] != "..." && len(have) == 0:
		return fmt.Errorf("%s[%d] is missing", at, n)
	case want[0] != "...":
		if err := v.match(want[0], have[0], fmt.Sprintf("%s[%d]", at, n)); err != nil {
			return err
		}
		return v.matchList(want[1:], have[1:], at, n+1)
	case len(want) == 1:
		return nil
	}
	var err error
	for skip := range len(have) + 1 {
		if err = v.matchList(want[1:], have[skip:], at, n+skip); err == nil {
			return nil
		}
	}
	return err
}

func (v captured) matchText(want string, have any, at string) error {
	if m := wildcard.FindStringSubmatch(want); m != nil && m[0] == want {
		if !isKind(m[1], have) {
			return fmt.Errorf("%s: %s is wanted, not %s", at, want, shown(have))
		}
		v.capture(m[2], have)
		return nil
	}
	whole := variable.FindString(want) == want
	want, err := v.fill(want)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if _, isText := have.(string); whole && !isText && want == shown(have) {
		return nil
	}
	text, ok := have.(string)
	if !ok {
		return fmt.Errorf("%s: the text %q is wanted, not %s", at, want, shown(have))
	}
	expression, names := "(?s)^", []string{}
	end := 0
	for _, place := range wildcard.FindAllStringSubmatchIndex(want, -1) {
		inside := `(.*)`
		if kind := want[place[2]:place[3]]; kind == "id" {
			inside = `([A-Za-z0-9_-]+)`
		} else if kind != "text" {
			inside = `([0-9.]+)`
		}
		expression += regexp.QuoteMeta(want[end:place[0]]) + inside
		name := ""
		if place[4] >= 0 {
			name = want[place[4]:place[5]]
		}
		names, end = append(names, name), place[1]
	}
	m := regexp.MustCompile(expression + regexp.QuoteMeta(want[end:]) + "$").FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%s: %q is wanted, not %q", at, want, text)
	}
	for i, name := range names {
		v.capture(name, m[i+1])
	}
	return nil
}

// isKind reports whether a value is of the type that a <type> stands for.
func isKind(kind string, have any) bool {
	looks := wildcards[kind]
	switch h := have.(type) {
	case string:
		return kind == "any" || looks != nil && looks.MatchString(h)
	case json.Number:
		n, err := h.Int64()
		return kind == "any" || kind == "number" || kind == "millis" && err == nil && n > 1e12 && n < 1e13
	case bool:
		return kind == "any" || kind == "bool"
	case map[string]any:
		return kind == "any" || kind == "object"
	case []any:
		return kind == "any" || kind == "list"
	}
	return kind == "any"
}

func (v captured) capture(name string, value any) {
	if text, ok := value.(string); name != "" && ok {
		v[name] = text
	} else if name != "" {
		v[name] = shown(value)
	}
}

// shown writes a value as JSON.
func shown(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value)
	return strings.TrimSpace(b.String())
}

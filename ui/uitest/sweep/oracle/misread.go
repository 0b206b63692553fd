package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Instead is what came in place of the answer to a read: the line broke, or something else answered.
type Instead struct {
	Line   string // how it broke: refused, reset, silent or cut; empty where an answer came
	Status int
	Body   string
	To     string // of a redirect
}

// Misread is a command that could not read, and why.
type Misread struct {
	Command   string
	Operation string // what it has not done, in words
	Path      string // below the address of the site
	Form      string // of its output
	Instead
	Named    bool // what is read stands in the command: one that is not there is a mistake in that
	Code     int
	Out, Err string
}

// Misreads judges what a command says of a read that failed.
func (d *Day) Misreads(m Misread) { judge(d, atMisread, m) }

var atMisread = []rule[Misread]{{"an error is what has happened, in the words of the site", errorIsSo}}

// failing is an error as it should be.
type failing struct {
	kind, message string
	code          int // of the platform
	details       []string
	begins        bool   // the message goes on
	advice        string // a word of it; empty for any
}

// kindsOfCodes are the kinds of codes of the platform, and of HTTP.
var kindsOfCodes = map[int]string{401: "sign-in", 498: "sign-in", 499: "sign-in", 403: "privilege", 404: "not found", 410: "not found", 409: "busy", 423: "busy", 429: "busy",
	407: "unreachable", 413: "too large"}

func kindOfCode(code int) string {
	switch kind := kindsOfCodes[code]; {
	case kind != "":
		return kind
	case code >= 400 && code < 500:
		return "invalid"
	}
	return "server"
}

// exits are the exit codes of kindsOfCodes.
var exits = map[string]int{"server": 1, "too large": 1, "invalid": 2, "not found": 2, "sign-in": 3, "privilege": 4, "read-only": 4, "busy": 4, "unreachable": 5, "not JSON": 5, "usage": 2}

// advised is a word of what is advised.
var advised = map[string]string{"sign-in": "oken", "privilege": "ask an administrator", "busy": "Try again when it has ended", "unreachable": "Check the address, the network"}

// Of pages, and of texts of a site.
var (
	pageTitle      = regexp.MustCompile(`<title>([^<]+)</title>`)
	saysInProgress = regexp.MustCompile(`(?i)in progress`)
	noWrites       = regexp.MustCompile(`(?i)read[- ]?only`)
)

// error is what should be said of it.
func (m Misread) error() failing {
	switch m.Line {
	case "refused":
		return failing{kind: "unreachable", message: "the connection was refused; nothing listens at that address"}
	case "reset", "cut":
		return failing{kind: "unreachable", message: "the connection broke before the answer was complete"}
	case "silent":
		return failing{kind: "unreachable", message: "no answer within ", begins: true}
	}
	body := strings.TrimSpace(m.Body)
	switch told, is := m.told(body); {
	case m.Status >= 300 && m.Status < 400:
		return failing{kind: "not JSON", message: "the site redirects to " + m.To + "; redirects are not followed: use that address if it is right"}
	case is:
		return told
	case strings.HasPrefix(body, "<"):
		return m.page(body)
	case m.Status >= 400:
		said := http.StatusText(m.Status)
		if body != "" && body[0] != '{' && body[0] != '[' {
			said += ": " + body
		}
		return failing{kind: kindOfCode(m.Status), message: map[int]string{498: "the token is not valid", 499: "a token is required"}[m.Status] + said}
	case body == "":
		return failing{kind: "not JSON", message: "the answer is empty"}
	case body[0] != '{':
		return failing{kind: "not JSON", message: "the answer is not the expected JSON object"}
	}
	return failing{kind: "not JSON", message: "the answer is JSON, but has no ", begins: true}
}

// page is what is said of a web page; where only nothing is there the site itself says it.
func (m Misread) page(body string) failing {
	if m.Status == http.StatusNotFound {
		return failing{kind: "not found", message: "the site has nothing at " + m.Path}
	}
	what := "a web page"
	if title := pageTitle.FindStringSubmatch(body); title != nil {
		what += fmt.Sprintf(" (%q)", html.UnescapeString(title[1]))
	}
	f := failing{kind: "not JSON", message: "the answer is " + what + ", not the API's; check the address, the proxy and the login page"}
	if kindOfCode(m.Status) == "sign-in" {
		f.kind = "sign-in"
	}
	return f
}

// told is an error in the words of the site; false where the answer is none.
func (m Misread) told(body string) (f failing, is bool) {
	var all, inner map[string]any
	if json.Unmarshal([]byte(body), &all) != nil {
		return f, false
	}
	texts := func(of map[string]any) (list []string) {
		for _, member := range []string{"message", "messages", "statusMessage", "details"} {
			values, many := of[member].([]any)
			if text, one := of[member].(string); one && !many {
				values = []any{text}
			}
			for _, value := range values {
				if text, _ := value.(string); strings.TrimSpace(text) != "" {
					list = append(list, strings.TrimSpace(text))
				}
			}
		}
		return list
	}
	said := texts(all)
	switch value := all["error"].(type) {
	case map[string]any:
		inner = value
		said = texts(inner)
	case string:
		inner, said = all, append([]string{value}, said...)
	default:
		if all["status"] != "error" && all["success"] != false && (m.Status < 400 || len(said) == 0) {
			return f, false
		}
		inner = all
	}
	code, _ := inner["code"].(float64)
	f.code, f.kind = int(code), kindOfCode(cmp.Or(int(code), m.Status))
	if len(said) > 0 {
		f.message, f.details = said[0], said[1:]
	}
	words := strings.Join(said, " ")
	switch {
	case f.kind == "sign-in", inner["messageCode"] == "GWM_0003", kindOfCode(m.Status) == "sign-in":
		f.kind = "sign-in"
	case f.kind == "not found":
	case noWrites.MatchString(words):
		f.kind, f.advice = "read-only", "upgrade explain"
	case saysInProgress.MatchString(words):
		f.kind = "busy"
	}
	if f.message == "" {
		f.message = "cannot " + m.Operation + ": the site reports a failure and gives no reason"
	}
	return f, true
}

// printed is the error as it is printed for a person, as far as the details.
func (f failing) printed(m Misread) string {
	text := strings.TrimPrefix(f.message, "cannot "+m.Operation+": ")
	switch {
	case f.code == 498 && strings.HasPrefix(text, "Invalid token"):
		text = "the token has expired or is not valid"
	case f.code == 498:
	case f.code != 0:
		text = fmt.Sprintf("%s (code %d)", strings.TrimSuffix(text, "."), f.code)
	case m.Line == "" && m.Status >= 400:
		text = fmt.Sprintf("%s (HTTP %d)", strings.TrimSuffix(text, "."), m.Status)
	}
	return "geodeck: cannot " + m.Operation + ": " + text
}

func errorIsSo(m Misread) (int, []string) {
	f := m.error()
	if m.Named && f.kind == "not found" {
		f.kind, f.advice = "usage", "List the services"
	}
	said := fmt.Sprintf("%s, with %+v in place of an answer,", m.Command, m.Instead)
	var wrong []string
	if m.Code != exits[f.kind] || m.Out != "" {
		wrong = append(wrong, fmt.Sprintf("%s ends with %d, and should end with %d and print nothing: %.200q", said, m.Code, exits[f.kind], m.Out))
	}
	if advice := cmp.Or(f.advice, advised[f.kind]); !strings.Contains(m.Err, advice) {
		wrong = append(wrong, fmt.Sprintf("%s does not advise %q: %s", said, advice, m.Err))
	}
	if m.Form != "json" {
		missing := append([]string{f.printed(m)}, f.details...)
		if f.code == 498 {
			missing = missing[:1]
		}
		missing = slices.DeleteFunc(missing, func(text string) bool { return strings.Contains(m.Err, text) })
		if len(missing) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s does not say %q: %s", said, missing, m.Err))
		}
		return 1, wrong
	}
	var line struct {
		Error struct {
			Kind, Operation, Message, Advice string
			Code, ExitCode                   int
			Details                          []string
		}
	}
	for text := range strings.Lines(m.Err) {
		_ = json.Unmarshal([]byte(text), &line)
	}
	e := line.Error
	if e.Kind != f.kind || e.Operation != m.Operation || e.Code != f.code || e.ExitCode != m.Code || !slices.Equal(e.Details, f.details) ||
		e.Message != f.message && !(f.begins && strings.HasPrefix(e.Message, f.message)) {
		wrong = append(wrong, fmt.Sprintf("%s says\n%+v\nand should say %+v", said, e, f))
	}
	return 1, wrong
}

package simulator_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

const scripts = "testdata/conformance"

// TestTheSiteConformsToItsScripts plays every script, and holds that together they
// exercise every route.
func TestTheSiteConformsToItsScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(scripts + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no scripts", err)
	}
	var seen sync.Map
	played := t.Run("scripts", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(file)
				if err == nil {
					err = playScript(t, string(text), &seen)
				}
				if err != nil {
					t.Errorf("%s:%v", file, err)
				}
			})
		}
	})
	server, err := simulator.New(simulator.Options{})
	if err != nil || !played {
		t.FailNow()
	}
	for _, route := range server.Routes() {
		if _, ok := seen.Load(route); !ok {
			t.Errorf("no script gets an answer from %s", route)
		}
	}
}

// player plays a script against one site.
type player struct {
	t     *testing.T
	site  *site
	clock *simtest.SteppedClock
	vars  captured
	seen  *sync.Map // the routes that gave an answer other than an error
}

// playScript plays the steps of a script; the error says which one went wrong, and why.
func playScript(t *testing.T, text string, seen *sync.Map) error {
	steps, err := parseScript(text)
	if err != nil {
		return err
	}
	p := &player{t: t, vars: captured{}, seen: seen}
	for _, s := range steps {
		if err := p.play(s); err != nil {
			return fmt.Errorf("%d: %w", s.line, err)
		}
	}
	return nil
}

func (p *player) play(s *step) error {
	switch {
	case s.scenario != "":
		// The clock moves with the script, and by what the site takes for an answer.
		p.clock = simtest.NewSteppedClock(noon)
		p.site = startOn(p.t, simulator.Options{Scenario: builtIn(p.t, s.scenario), Clock: p.clock}, "")
		p.vars["site"] = strings.TrimSuffix(p.site.server.URL(), "/admin")
		return nil
	case p.site == nil:
		return errors.New("a script begins with its scenario")
	case s.user != "":
		p.vars["user"], p.vars["password"] = s.user, password(p.t, p.site.server, s.user)
		p.vars["token"] = p.site.post(p.site.server.TokenURL(), "username", s.user, "password", p.vars["password"], "client", "requestip").text("token")
		return nil
	case s.wait != 0:
		return p.clock.Sleep(context.Background(), s.wait)
	}
	r, err := p.request(s)
	if err != nil {
		return err
	}
	response, err := p.site.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if err := p.compare(s, response, string(body)); err != nil {
		return fmt.Errorf("%w\n--- the script, line %d, HTTP %d\n%s\n+++ the site, HTTP %d\n%s", err, s.answerLine, s.status, s.answer, response.StatusCode, body)
	}
	if response.StatusCode < 400 && !strings.Contains(string(body), `"error"`) {
		p.seen.Store(p.site.server.RouteOf(r), true)
	}
	return nil
}

// request writes the request of a step as its sender would.
func (p *player) request(s *step) (*http.Request, error) {
	target, err := p.vars.fill("{site}" + s.path)
	if err != nil {
		return nil, err
	}
	body, contentType, err := p.body(s)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(p.t.Context(), s.method, target, body)
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for _, h := range s.headers {
		value, err := p.vars.fill(h[1])
		if err != nil {
			return nil, err
		}
		r.Header.Set(h[0], value)
	}
	return r, nil
}

func (p *player) body(s *step) (io.Reader, string, error) {
	const form = "application/x-www-form-urlencoded"
	if s.raw != "" {
		return strings.NewReader(s.raw), form, nil
	}
	if s.method == http.MethodGet && len(s.fields) == 0 {
		return http.NoBody, "", nil
	}
	var b bytes.Buffer
	var plain []string
	parts := multipart.NewWriter(&b)
	for _, f := range s.fields {
		value, err := p.vars.fieldValue(f[1])
		if err != nil {
			return nil, "", err
		}
		if file, isFile := strings.CutPrefix(value, "@"); isFile && s.multipart && f[1][0] == '@' {
			err = writeFile(parts, f[0], file)
		} else if s.multipart {
			err = parts.WriteField(f[0], value)
		}
		if err != nil {
			return nil, "", err
		}
		plain = append(plain, url.QueryEscape(f[0])+"="+url.QueryEscape(value))
	}
	if s.multipart {
		err := parts.Close()
		return &b, parts.FormDataContentType(), err
	}
	return strings.NewReader(strings.Join(plain, "&")), form, nil
}

// writeFile writes a part "name content", or "name" for a file of testdata.
func writeFile(parts *multipart.Writer, field, file string) error {
	name, content, inline := strings.Cut(file, " ")
	if !inline && name != "" {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			return err
		}
		content = string(text)
	}
	w, err := parts.CreateFormFile(field, name)
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	return err
}

// compare holds an answer against the script.
func (p *player) compare(s *step, response *http.Response, body string) error {
	if response.StatusCode != s.status {
		return fmt.Errorf("HTTP %d is wanted, not %d", s.status, response.StatusCode)
	}
	for _, h := range s.answerHeaders {
		if err := p.vars.matchText(h[1], response.Header.Get(h[0]), h[0]); err != nil {
			return err
		}
	}
	switch s.answer {
	case "...":
		return nil
	case "":
		if body != "" {
			return errors.New("no body is wanted")
		}
		return nil
	}
	want, err := pattern(s.answer)
	if err != nil {
		return fmt.Errorf("the answer in the script is not readable: %w", err)
	}
	have, err := decodeNumbers(body)
	if err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	return p.vars.match(want, have, "answer")
}

// TestAScriptThatTheSiteDoesNotFollowFails holds what the runner finds.
func TestAScriptThatTheSiteDoesNotFollowFails(t *testing.T) {
	t.Parallel()
	const begin = "scenario: healthy\nuser: admin\n\nGET /admin/mode?f=json&token={token}\n\nHTTP 200\n"
	if err := playScript(t, begin+`{"isReadOnly": <bool>}`, &sync.Map{}); err != nil {
		t.Fatal(err)
	}
	for answer, problem := range map[string]string{
		`{"isReadOnly": true}`:                 "answer.isReadOnly: true is wanted, not false",
		`{"isReadOnly": "<text>"}`:             "answer.isReadOnly: <text> is wanted, not false",
		`{"isReadOnly": false, "message": ""}`: "answer.message is missing",
		`{}`:                                   "answer.isReadOnly is not in the script",
		`["..."]`:                              "answer: a list is wanted",
		"Content-Type: text/html\n...":         "Content-Type",
		"":                                     "no body is wanted",
		`{"isReadOnly": {nothing}}`:            "nothing was captured as {nothing}",
		`{"isReadOnly": <bool:on>}` + "\n\nwrong": "line 9 belongs to no request",
	} {
		err := playScript(t, begin+answer, &sync.Map{})
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	if err := playScript(t, strings.Replace(begin, "200", "404", 1), &sync.Map{}); err == nil || !strings.Contains(err.Error(), "4: HTTP 404 is wanted, not 200") {
		t.Error(err)
	}
}

func TestThePatternsOfScripts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}}`, `{}]`, `{} {}`, `{}x`, `{`, ``} {
		if _, err := decodeNumbers(text); err == nil {
			t.Errorf("%s is taken as JSON", text)
		}
	}
	have := `{"ids": ["a1", "b2", "c3"], "when": 1790000000000, "path": "/x/reports/vegcl1xm6u", "none": null, "n": 1.50}`
	for want, fits := range map[string]bool{
		`{"ids": ["a1", ...], ...}`:                                          true,
		`{"ids": [..., "b2", ...], "when": <millis>, ...}`:                   true,
		`{"ids": [..., "c3"], "n": 1.50, ...}`:                               true,
		`{"ids": [<id>, <id>, <id>], "path": "/x/reports/<id:report>", ...}`: true,
		`{"none": null, ...}`:                                                true,
		`{"none": <any>, "ids": <list>, ...}`:                                true,
		`{"ids": [..., "b2"], ...}`:                                          false,
		`{"ids": ["a1", "b2"], ...}`:                                         false,
		`{"ids": ["a1", "b2", "c3", "d4"], ...}`:                             false,
		`{"n": 1.5, ...}`:                                                    false,
		`{"n": "1.50", ...}`:                                                 false,
		`{"n": <millis>, ...}`:                                               false,
		`{"none": <object>, ...}`:                                            false,
		`{"when": <wrong>, ...}`:                                             false,
		`{"path": "/x/reports/<number>", ...}`:                               false,
	} {
		v := captured{}
		w, err := pattern(want)
		if err != nil {
			t.Fatal(want, err)
		}
		h, err := decodeNumbers(have)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.match(w, h, "answer"); (err == nil) != fits {
			t.Errorf("%s: %v", want, err)
		}
		if strings.Contains(want, "<id:report>") && v["report"] != "vegcl1xm6u" {
			t.Errorf("captured %q", v["report"])
		}
	}
}

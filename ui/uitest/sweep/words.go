package sweep

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"

	"geodeck/ui/uitest/sweep/oracle"
)

// worded is an error that the site answers one of the writes with, in the words of a platform. What it says is no proof of
// what it did: of some answers nobody can tell whether the write was made.
type worded struct {
	nth    int // of the writes that change something
	status int // of HTTP
	code   int // of the platform; 0 for none
	form   string
	text   string
	detail string // that goes with it; empty for none
	made   bool   // all the same
}

// The forms of an error.
const (
	inError   = "an error"
	inStatus  = "a status"
	inSuccess = "no success"
	inPage    = "a page"
)

// String is the answer, and to which of the writes it comes.
func (w *worded) String() string {
	return fmt.Sprintf("write number %d is answered with %s: status %d, code %d, %q, %q, made %v", w.nth, w.form, w.status, w.code, w.text, w.detail, w.made)
}

func (w *worded) strike(p *plan) { p.words = w }

// wordsOfSites are what platforms say in errors, whatever they did.
var wordsOfSites = []string{
	"The operation is in progress.", "Another edit is IN PROGRESS for this service.", "The site is in read-only mode.", "Readonly sites take no edits.",
	"No such service.", "You are not allowed to do this.", "Invalid username or password.", "Cannot read the licence.", "An unexpected error occurred.", "",
}

// refusing are the codes by which a platform says that it has not begun a request.
var refusing = []int{400, 403, 404, 405, 409, 413, 415}

// vague are those by which it says that something went wrong, at any time.
var vague = []int{408, 429, 500, 502, 503, 504}

// drawWords draws an answer with words for one of the first writes of a day; nil on most days, and in plays
// whose writes have answers of their own.
func (d *Day) drawWords() Trouble {
	r := d.random("answers with words")
	if !slices.Contains([]string{"edit", "restore", "placement", "batch", starts, stops, "health", checkout, outside, deletion, imports}, d.Want) || r.IntN(5) > 1 {
		return nil
	}
	return wordedBy(r)
}

func wordedBy(r *rand.Rand) *worded {
	w := &worded{nth: pick(r, []int{1, 1, 1, 2, 3}), status: http.StatusOK, text: pick(r, wordsOfSites), form: pick(r, []string{inError, inError, inError, inStatus, inSuccess, inPage})}
	if w.made = r.IntN(2) == 0; w.made {
		w.code = pick(r, vague)
	} else {
		w.code = pick(r, append(slices.Clone(refusing), vague...))
	}
	if r.IntN(2) == 0 {
		w.detail = pick(r, wordsOfSites)
	}
	switch {
	case w.form == inSuccess:
		w.code = 0
	case w.form == inError && r.IntN(4) == 0: // without a code its own words count, and those beside them do not
		w.code, w.text, w.detail, w.made = 0, "An unexpected error occurred.", pick(r, wordsOfSites[:4]), true
	case w.form == inPage, r.IntN(2) == 0:
		if w.status = w.code; r.IntN(3) == 0 && (w.status >= 502 || !w.made) {
			w.code = pick(r, []int{0, 400, 500}) // of a site behind a gateway that gave up
		}
	}
	return w
}

// definite reports whether the site says clearly that it has not begun the write.
func (w *worded) definite() bool {
	code := w.code
	if code == 0 {
		code = w.status
	}
	return !w.made && (w.form == inError || w.form == inStatus) && w.status < 502 && slices.Contains(refusing, code)
}

// body is the answer as it is written.
func (w *worded) body() string {
	text, _ := json.Marshal(w.text)
	switch w.form {
	case inSuccess:
		return `{"success":false}`
	case inStatus:
		return fmt.Sprintf(`{"status":"error","messages":[%s],"code":%d}`, text, w.code)
	case inPage:
		return "<html><head><title>" + w.text + "</title></head><body><h1>" + w.text + "</h1></body></html>"
	}
	details := []string{}
	if w.detail != "" {
		details = append(details, w.detail)
	}
	beside, _ := json.Marshal(details)
	if w.code == 0 {
		return fmt.Sprintf(`{"error":{"message":%s,"details":%s}}`, text, beside)
	}
	return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"details":%s}}`, w.code, text, beside)
}

// takes answers a write in its words. It returns what the site has said itself, which nobody is told, where it made
// it.
func (w *worded) takes(s *site, p *post, answered *httptest.ResponseRecorder, whole *http.Request) (truth string, took bool) {
	if w.made {
		own := httptest.NewRecorder()
		s.front.ServeHTTP(own, whole)
		truth, took = own.Body.String(), own.Code == http.StatusOK && !refused(own.Body.Bytes())
		if !took { // it has its own words for it
			hand(answered, own)
			return truth, false
		}
	}
	what := "was not"
	if w.made {
		what = "was"
	}
	s.day.meet("an answer with words to a write that " + what + " made")
	p.write.Worded = &oracle.Worded{Definite: w.definite() && len(s.day.plan.scenario.Faults)+len(s.day.plan.away) == 0, Made: took}
	p.run.worded = p.write.Worded
	if w.form == inPage {
		answered.Header().Set("Content-Type", "text/html")
	}
	answered.WriteHeader(w.status)
	_, _ = answered.WriteString(w.body())
	return truth, took
}

// due reports whether a write is the one that is answered so.
func (w *worded) due(s *site, p *post) bool {
	return w != nil && !s.day.plan.removed && p.write.Changes() && !isUpgrade(p) && int(s.changed.Add(1)) == w.nth
}

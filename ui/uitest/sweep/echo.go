package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// repeating is a site whose messages repeat the password of who has signed in, spelled in other ways, and tokens that have ended.
var repeating = oddity{"messages repeat the password", func(p *plan) {
	if p.echo = (&echo{tokens: map[string][]string{}}); p.day.Face != dashboard {
		p.scenario.TokenLife.Duration = 5 * time.Minute
	}
}}

// echo is when the messages of a site begin to repeat the password, and the tokens of each program, the newest last.
type echo struct {
	from   time.Time
	tokens map[string][]string
	other  bool // the password of another user, as it is
}

// echoCode is the code of those messages.
const echoCode = 2900

// spellings are what a site may make of a secret: escapes of JSON, of a URL and of HTML, in one layer or two.
func spellings(secret string) []string {
	escaped := func(dash string) string { return strings.ReplaceAll(secret, "-", dash) }
	all := []string{secret}
	for _, dash := range []string{`\u002d`, `\\u002d`, "%2D", "%252D", "&#45;", "&amp;#45;", `%5Cu002d`} {
		all = append(all, escaped(dash))
	}
	return append(all, html.EscapeString(secret), url.QueryEscape(secret), oracle.JSON(secret))
}

// inFront lets the messages of an upgrade repeat the password from its request on.
func (e *echo) inFront(s *site, direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		where := below(r.URL.Path)
		if isUpgrade(&post{path: where}) {
			s.mu.Lock()
			e.from = time.Now().Add(time.Second + s.day.plan.scenario.ClockAhead.Duration)
			s.mu.Unlock()
		}
		if where != "/system/upgrades" {
			direct.ServeHTTP(w, r)
			return
		}
		answered := httptest.NewRecorder()
		direct.ServeHTTP(answered, r)
		answer := answered.Body.Bytes()
		s.mu.Lock()
		from, tokens := e.from, e.tokens[r.RemoteAddr]
		if token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); !slices.Contains(tokens, token) {
			tokens = append(tokens, token)
			e.tokens[r.RemoteAddr] = tokens
		}
		s.mu.Unlock()
		if !from.IsZero() && messageCode.Match(answer) {
			texts := append(spellings(s.password.Reveal()), tokens[max(0, len(tokens)-5):len(tokens)-1]...)
			if e.other {
				_, password := s.other()
				texts = []string{password.Reveal()}
			}
			var notes []string
			for _, text := range texts {
				message, _ := json.Marshal("No: " + text)
				notes = append(notes, fmt.Sprintf(`{"code":%d,"message":%s,"when":%d}`, echoCode, message, from.UnixMilli()))
			}
			answer = withMessages(answer, notes)
			s.day.meet("messages repeat the password")
		}
		answered.Body = bytes.NewBuffer(answer)
		hand(w, answered)
	})
}

var messageList, messageCode = regexp.MustCompile(`"messages":\s*\[\s*`), regexp.MustCompile(`"code":\s*2`)

// withMessages adds messages in front of those of an answer.
func withMessages(answer []byte, more []string) []byte {
	at := messageList.FindIndex(answer)
	if at == nil || len(more) == 0 {
		return answer
	}
	text := strings.Join(more, ",")
	if answer[at[1]] != ']' {
		text += ","
	}
	return bytes.Join([][]byte{answer[:at[1]], answer[at[1]:]}, []byte(text))
}

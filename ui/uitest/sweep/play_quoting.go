package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/secrets"
	"geodeck/ui/cli/session"
	"geodeck/ui/uitest/sweep/oracle"
)

// quoting is the wish for one edit at a site that repeats passwords and tokens in what it says, in many spellings, and right
// where a text is cut.
const quoting = "a site that repeats secrets"

// quotes are what such a site says.
type quotes struct {
	day *Day
	r   *rand.Rand

	mu     sync.Mutex
	count  int
	next   map[string]bool     // what is answered with a quote next: message, refusal, page, title
	tokens map[string][]string // that a program has sent, the newest last
	word   string              // a password that the site has refused

	password string
	secret   string // how the password is masked: as a secret, a word, or a short one
}

// maxDebugFile is how large a debug file may become.
const maxDebugFile = 64 << 20

// passwords are those of a day, and how each is masked.
var passwords = []struct{ text, as string }{
	{"swift-otter-4417-Kestrel", "secret"}, {"swift-otter𝔎-44𝔎17-kestrel", "secret"}, {`Zq&"<w>'r\t%41+é=/7x`, "secret"},
	{"quorum KESTREL 77 wren", "secret"}, {"kestrel9", "secret"}, {"Utilities", "word"}, {"maintenance", "word"}, {"ottr7", "short"},
}

func newQuotes(d *Day) *quotes {
	q := &quotes{day: d, r: d.random("quotes"), next: map[string]bool{}, tokens: map[string][]string{}}
	one := passwords[d.turn()%len(passwords)]
	q.password, q.secret = one.text, one.as
	return q
}

// prose is a text without secrets of some length, which begins and ends with a space.
func prose(r *rand.Rand, long int) string {
	var b strings.Builder
	b.WriteByte(' ')
	for b.Len() < long {
		fmt.Fprintf(&b, "node %d of %d has its images, ", r.IntN(40), 40+r.IntN(60))
	}
	text := b.String()[:max(1, long)]
	return text[:len(text)-1] + " "
}

// borders are the lengths at which something in the program begins anew, or ends: parts of a search, texts of messages, of
// errors, lines and records.
var borders = []int{64 << 10, 60 << 10, 8 << 10, 4 << 10, 4000, 500, 256, 200, 60, 20, 20, 20, 20}

// says makes a text that repeats secrets.
func (q *quotes) says(program, as string, borders []int) string {
	q.count++
	quote := oracle.Quote{Mark: oracle.MarkOf(q.count), As: as}
	add := func(text string, secret bool) {
		quote.Parts = append(quote.Parts, oracle.Part{Text: text, Secret: secret})
	}
	for n := range 1 + q.r.IntN(3) {
		text, isToken := q.password, false
		if sent := q.tokens[program]; len(sent) > 0 && q.r.IntN(2) == 0 {
			text, isToken = sent[max(0, len(sent)-1-q.r.IntN(4))], true
		}
		spelled := q.spelled(text)
		if !isToken && q.secret != "secret" {
			spelled = text
		}
		if n == 0 {
			add(prose(q.r, pick(q.r, borders)-len(quote.Mark)-q.r.IntN(len(spelled)+6)+2), false)
		} else {
			add(pick(q.r, q.joints(as, " (", `: "`, " = ")), false)
		}
		q.day.meet("a site repeats a " + map[bool]string{true: "token", false: "password: " + q.secret}[isToken])
		switch {
		case isToken || q.secret == "secret":
			add(spelled, true)
		case q.secret == "word": // a part of another word is masked in errors alone
			add(spelled, true)
			add(" pre", false)
			quote.Parts = append(quote.Parts, oracle.Part{Text: text, InErrors: true})
			add("9x", false)
		default: // a short one is masked there alone, and as a word
			quote.Parts = append(quote.Parts, oracle.Part{Text: text, InErrors: true})
			add(" pre"+text+"9x", false)
		}
		if q.word != "" {
			add(" "+q.word, false)
		}
		add(pick(q.r, q.joints(as, ") ", "' ", ";")), false)
	}
	add(prose(q.r, pick(q.r, []int{3, 40, 900}))+"end", false)
	q.day.oracle.Says(quote)
	return quote.Text()
}

// joints stand between a secret and what follows. A title is quoted where it is told.
func (q *quotes) joints(as string, more ...string) []string {
	if as == "title" {
		return []string{" ", ", "}
	}
	return append(more, " ", ", ")
}

// spelled is a secret as a site may write it, in one layer or two.
func (q *quotes) spelled(secret string) string {
	r := q.r
	some := func(c rune) bool {
		return c >= 0x80 || r.IntN(3) == 0 || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._", c)
	}
	each := func(escape func(c rune) string) string {
		var b strings.Builder
		for _, c := range secret {
			if some(c) {
				b.WriteString(escape(c))
			} else {
				b.WriteRune(c)
			}
		}
		return b.String()
	}
	how := r.IntN(13)
	q.day.meet(fmt.Sprintf("a site spells a secret: %d", how))
	text := secret
	switch how {
	case 1:
		text = strings.ToUpper(secret)
	case 2:
		text = strings.ToLower(secret)
	case 3, 4:
		format := map[int]string{3: "%%%02X", 4: "%%%02x"}[how]
		text = each(func(c rune) (all string) {
			for _, b := range []byte(string(c)) {
				all += fmt.Sprintf(format, b)
			}
			return all
		})
	case 5:
		text = each(func(c rune) (all string) {
			for _, unit := range utf16.Encode([]rune{c}) {
				all += fmt.Sprintf(`\u%04x`, unit)
			}
			return all
		})
	case 6:
		text = each(func(c rune) string { return fmt.Sprintf("&#%d;", c) })
	case 7:
		text = each(func(c rune) string { return fmt.Sprintf("&#x%X;", c) })
	case 8:
		text = html.EscapeString(secret)
	case 9:
		text = url.QueryEscape(secret)
	case 10: // over lines, or in pieces
		at := 1 + r.IntN(len([]rune(secret))-1)
		return string([]rune(secret)[:at]) + pick(r, []string{"\n", " ", "\r\n    ", "\u200b", "\x1b[31m", "\x1b]8;;x\x1b\\", "\u00ad"}) + string([]rune(secret)[at:])
	case 11:
		quoted, _ := json.Marshal(secret)
		text = string(quoted[1 : len(quoted)-1])
	}
	if r.IntN(4) == 0 {
		text = pick(r, []func(string) string{url.QueryEscape, html.EscapeString, func(s string) string { return strings.ReplaceAll(s, `\`, `\\`) }})(text)
	}
	return text
}

// takes reports whether something is answered with a quote, once.
func (q *quotes) takes(what string) bool {
	is := q.next[what]
	delete(q.next, what)
	return is
}

// inFront answers with quotes where that is due.
func (q *quotes) inFront(direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if serve := q.due(r); serve != nil {
			serve(w)
			return
		}
		if notes := q.notes(r); notes != nil {
			answered := httptest.NewRecorder()
			direct.ServeHTTP(answered, r)
			answered.Body = bytes.NewBuffer(withMessages(answered.Body.Bytes(), notes))
			hand(w, answered)
			return
		}
		direct.ServeHTTP(w, r)
	})
}

// due is how a request is answered in place of the site; nil for not.
func (q *quotes) due(r *http.Request) func(http.ResponseWriter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if sent := q.tokens[r.RemoteAddr]; token != "" && !slices.Contains(sent, token) {
		q.tokens[r.RemoteAddr] = append(sent, token)
	}
	where := below(r.URL.Path)
	if r.Method != http.MethodPost || !strings.HasPrefix(where, "/services/") || !strings.HasSuffix(where, "/edit") {
		return nil
	}
	kind, code, text := "application/json", http.StatusBadGateway, ""
	switch {
	case q.takes("refusal"):
		raw, _ := json.Marshal(map[string]any{"error": map[string]any{
			"code": 400, "message": q.says(r.RemoteAddr, "", borders), "details": []string{"one", q.says(r.RemoteAddr, "", borders)}}})
		code, text = http.StatusOK, string(raw)
	case q.takes("page"):
		kind, text = "text/plain", q.says(r.RemoteAddr, "page", []int{500, 500, 400, 100})
	case q.takes("title"):
		title := html.EscapeString(q.says(r.RemoteAddr, "title", []int{200, 200, 100, 30}))
		kind, text = "text/html", "<html><head><title>"+title+"</title></head><body>Sorry.</body></html>"
	default:
		return nil
	}
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// notes are messages of an upgrade that repeat secrets, where they are due.
func (q *quotes) notes(r *http.Request) (all []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if below(r.URL.Path) != "/system/upgrades" || !q.takes("message") {
		return nil
	}
	for range 1 + q.r.IntN(3) {
		message, _ := json.Marshal(map[string]any{"code": echoCode, "message": q.says(r.RemoteAddr, "", borders), "when": q.day.begun.UnixMilli(),
			"also": q.says(r.RemoteAddr, "", borders[2:])})
		all = append(all, string(message))
	}
	return all
}

// playQuoting looks at a site that repeats secrets, and edits there, with several programs. Each has a debug file.
func playQuoting(m *machine) {
	q := m.day.plan.quotes
	for range 3 {
		q.looks(m)
		time.Sleep(time.Duration(1+q.r.IntN(40)) * time.Minute)
	}
	c := setting(m, cities, "maxIdleTime", fmt.Sprint(900+q.r.IntN(99)))
	if q.secret == "word" {
		c = setting(m, m.site.services(1)[0], "maxIdleTime", fmt.Sprint(900+q.r.IntN(99)))
	}
	w := c.wish("edit where secrets are repeated")
	answers := []string{"refusal", "refusal", "page", "title"}
	if len(m.day.plan.faults) > 0 { // a page that the line cuts off is told as far as it came
		answers = answers[:2]
	}
	q.r.Shuffle(len(answers), func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
	w.try = func(r *run) told {
		ends := q.debugs(r)
		defer ends()
		q.mu.Lock()
		if len(answers) > 0 {
			q.next[answers[0]] = true
			answers = answers[1:]
		}
		q.mu.Unlock()
		said := c.try(r)
		m.day.oracle.Free("what is told of an edit", said.text)
		m.day.oracle.Repeats(oracle.Quoted{Where: "what is told of an edit", As: "error", Text: said.text})
		return said
	}
	m.insist(w)
	m.day.oracle.RepeatsIn(own(m.disk.Files()))
}

// looks lets a program read what the site says of its upgrades, and keep it.
func (q *quotes) looks(m *machine) {
	r := m.begin()
	defer r.end()
	ends := q.debugs(r)
	defer ends()
	if r.open() != nil {
		return
	}
	if q.word == "" && q.r.IntN(2) == 0 {
		const wrong = "reachable"
		_, err := r.site.Client.Session.SignIn(r.ctx, "admin", wrong, tokenLife)
		if errors.Is(err, adminapi.KindSignIn) {
			q.mu.Lock()
			q.word = wrong
			q.mu.Unlock()
			m.day.meet("a wrong password is a word")
		}
	}
	if q.r.IntN(2) == 0 {
		if _, err := r.site.Client.Session.SignIn(r.ctx, "admin", m.site.password, tokenLife); err == nil {
			_ = r.retry(func() error { _, err := r.site.Client.Upgrades.Status(r.ctx); return err })
		}
	}
	q.mu.Lock()
	q.next["message"] = true
	q.mu.Unlock()
	status, err := r.site.Client.Upgrades.Status(r.ctx)
	if err != nil || r.dead.Load() {
		return
	}
	transcript, err := r.site.Memory.Journal.OpenTranscript(journal.TranscriptRun{Began: adminapi.MillisOf(m.day.begun), Start: "It has begun."})
	var messages []journal.TranscriptMessage
	for _, message := range status.Messages {
		m.day.oracle.Free("a message", message.Message+string(message.Unknown))
		m.day.oracle.Repeats(oracle.Quoted{Where: "a message", As: "message", Text: message.Message})
		messages = append(messages, journal.TranscriptMessage{UpgradeMessage: message, Nth: 1})
	}
	if err == nil {
		_ = transcript.Append(journal.TranscriptLine{Messages: messages})
	}
}

// debugs gives a program a debug file of its own, on half of the days one that is nearly full. ends judges it.
func (q *quotes) debugs(r *run) (ends func()) {
	d := q.day
	file, err := os.CreateTemp(filepath.Dir(Config), "debug-*.jsonl")
	if err != nil {
		d.fail("no debug file can be made: %v", err)
		return func() {}
	}
	room := int64(maxDebugFile)
	if q.r.IntN(4) == 0 {
		room = 20_000 + q.r.Int64N(200_000)
	}
	from := maxDebugFile - room
	err = errors.Join(file.Truncate(from), file.Close())
	log := &session.DebugLog{Path: file.Name()}
	if err = errors.Join(err, log.Open()); err != nil {
		d.fail("the debug file cannot be opened: %v", err)
		return func() {}
	}
	count, write := 0, log.Trace()
	var mu sync.Mutex
	r.trace = func(x adminapi.Exchange) {
		mu.Lock()
		defer mu.Unlock()
		count++
		write(x)
	}
	return func() {
		log.Close()
		defer os.Remove(log.Path)
		mu.Lock()
		defer mu.Unlock()
		written, err := os.Open(log.Path)
		if err != nil {
			d.fail("the debug file is gone: %v", err)
			return
		}
		defer written.Close()
		_, _ = written.Seek(from, io.SeekStart)
		text, err := io.ReadAll(bufio.NewReader(written))
		if err != nil {
			d.fail("the debug file cannot be read: %v", err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if len(text) == 0 {
			lines = nil
		}
		d.oracle.Traces(oracle.Traced{Program: r.name, Exchanges: count, Lines: lines, Size: from + int64(len(text))})
		d.oracle.Free("the debug file of "+r.name, string(text))
		d.oracle.RepeatsIn(map[string][]byte{"the debug file": text})
		d.meet(fmt.Sprintf("a debug file is nearly full: %v", room < maxDebugFile))
	}
}

// takesFor makes the secrets of such a day those of the oracle: a word, and what is short, it may not look for.
func (q *quotes) takesFor(s *site) {
	s.password = secrets.Secret(q.password)
	if q.secret == "secret" {
		s.day.oracle.Secrets.Add("password", q.password)
	}
}

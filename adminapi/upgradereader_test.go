package adminapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
)

// growing is a site whose log is what a test says.
type growing struct {
	messages []string
	state    string
	suffix   string // in place of the end of the answer
	asked    atomic.Int32
}

func (g *growing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.asked.Add(1)
	body := fmt.Sprintf(`{"status":{"messages":[%s],"state":%q,"code":1}}`, strings.Join(g.messages, ","), g.state)
	if g.suffix != "" {
		body = body[:len(body)/2] + g.suffix
	}
	says(http.StatusOK, body)(w, r)
}

func message(n int) string {
	return fmt.Sprintf(`{"code":2038,"message":"deployment %d runs a new image; é\n","when":%d,"extra":%d}`, n, 1_700_000_000_000+n, n)
}

func messages(n int) (all []string) {
	for i := range n {
		all = append(all, message(i))
	}
	return all
}

// grown is a reader of a log of many messages that has read once.
func grown(t testing.TB, n int) (*growing, *adminapi.UpgradeReader, adminapi.UpgradeStatus) {
	t.Helper()
	g := &growing{messages: messages(n), state: "in_progress"}
	r := serve(t, g.ServeHTTP).client(t).Upgrades.NewReader()
	status, _, err := r.Read(t.Context())
	if err != nil || len(status.Messages) != n {
		t.Fatalf("%d messages, %v", len(status.Messages), err)
	}
	return g, r, status
}

func TestALaterFetchReturnsOnlyNewMessages(t *testing.T) {
	t.Parallel()
	g, r, _ := grown(t, 2000)
	for n := 2000; n < 2020; n += 5 {
		status, goesOn, err := r.Read(t.Context())
		if err != nil || !goesOn || len(status.Messages) != 0 {
			t.Fatalf("%d messages where nothing is new, goes on %v, %v", len(status.Messages), goesOn, err)
		}
		g.messages = messages(n + 5)
		g.state = fmt.Sprint("state ", n)
		status, goesOn, err = r.Read(t.Context())
		if err != nil || !goesOn || len(status.Messages) != 5 || status.State != g.state {
			t.Fatalf("%d messages, want 5, goes on %v, %q, %v", len(status.Messages), goesOn, status.State, err)
		}
		for i, m := range status.Messages {
			if m.When != adminapi.Millis(1_700_000_000_000+n+i) || string(m.Unknown) != fmt.Sprintf(`{"extra":%d}`, n+i) {
				t.Fatalf("message %d is %+v", n+i, m)
			}
		}
	}
	if n := g.asked.Load(); n != 9 {
		t.Errorf("asked %d times for 9 readings", n)
	}
}

func TestAChangedLogIsReadInFull(t *testing.T) {
	t.Parallel()
	const n = 2000
	for name, change := range map[string]func(g *growing){
		"cut at the front":     func(g *growing) { g.messages = g.messages[100:] },
		"begun anew":           func(g *growing) { g.messages = messages(3) },
		"empty":                func(g *growing) { g.messages = nil },
		"turned round":         func(g *growing) { slices.Reverse(g.messages) },
		"changed in its midst": func(g *growing) { g.messages[1000] = message(7) },
		"shorter":              func(g *growing) { g.messages = g.messages[:n-1] },
	} {
		t.Run(name, func(t *testing.T) {
			g, r, _ := grown(t, n)
			change(g)
			for range 3 {
				status, goesOn, err := r.Read(t.Context())
				if err != nil || goesOn || len(status.Messages) != len(g.messages) {
					t.Fatalf("%d messages, want %d, goes on %v, %v", len(status.Messages), len(g.messages), goesOn, err)
				}
				for i, m := range status.Messages {
					if want := g.messages[i]; !strings.Contains(want, fmt.Sprint(int64(m.When))) {
						t.Fatalf("message %d is %+v, want %s", i, m, want)
					}
				}
			}
			if asked := g.asked.Load(); asked > 5 {
				t.Errorf("asked %d times for 4 readings", asked)
			}
		})
	}
}

func TestABrokenAnswerIsAnError(t *testing.T) {
	t.Parallel()
	g, r, _ := grown(t, 2000)
	g.messages = messages(2010)
	for _, suffix := range []string{" ", "<html>", `]}}`, `,{"code":`} {
		g.suffix = suffix
		if status, _, err := r.Read(t.Context()); err == nil {
			t.Errorf("%q was read as %d messages", suffix, len(status.Messages))
		}
	}
	g.suffix = ""
	status, goesOn, err := r.Read(t.Context())
	if n := len(status.Messages); err != nil || n != 10 && goesOn || n != 2010 && !goesOn {
		t.Errorf("%d messages afterwards, goes on %v, %v", n, goesOn, err)
	}
}

func TestALongAnswerOfAnotherKindIsAnError(t *testing.T) {
	t.Parallel()
	var body atomic.Pointer[string]
	set := func(s string) { body.Store(&s) }
	r := serve(t, func(w http.ResponseWriter, q *http.Request) { says(http.StatusOK, *body.Load())(w, q) }).client(t).Upgrades.NewReader()
	set(`{"status":{"messages":[` + strings.Join(messages(2000), ",") + `],"state":"in_progress","code":1}}`)
	if _, _, err := r.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	set(`<html><title>Please wait</title>` + strings.Repeat("x", 300<<10))
	if _, _, err := r.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "Please wait") {
		t.Errorf("error %v", err)
	}
	set(`{"error":{"code":498,"message":"Invalid token."}}`)
	if _, _, err := r.Read(t.Context()); err == nil || !strings.HasSuffix(err.Error(), ": the token has expired or is not valid") {
		t.Errorf("error %v", err)
	}
}

// The pages that a gateway sends while the API is unreachable are not a changed log.
func TestAnOutageDoesNotCauseAFullFetch(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadGateway, http.StatusFound, http.StatusNotFound} {
		g, away := &growing{messages: messages(2000), state: "in_progress"}, false
		asked := 0
		r := serve(t, func(w http.ResponseWriter, q *http.Request) {
			if asked++; away {
				says(status, "<html><title>Bad gateway</title></html>")(w, q)
				return
			}
			g.ServeHTTP(w, q)
		}).client(t).Upgrades.NewReader()
		for range 2 {
			if _, _, err := r.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		away, asked = true, 0
		_, _, err := r.Read(t.Context())
		wantKind(t, err, adminapi.KindNotJSON)
		if want := map[int]int{http.StatusBadGateway: 4}[status]; asked > max(1, want) {
			t.Errorf("%d: asked %d times", status, asked)
		}
		away = false
		g.messages = messages(2001)
		if got, goesOn, err := r.Read(t.Context()); err != nil || !goesOn || len(got.Messages) != 1 {
			t.Errorf("%d: %d messages afterwards, goes on %v, %v", status, len(got.Messages), goesOn, err)
		}
	}
}

// Duplicate members count as they do in a single fetch.
func TestALogOfTwoListsIsReadInFull(t *testing.T) {
	t.Parallel()
	list := strings.Join(messages(2000), ",")
	r := serve(t, says(http.StatusOK, `{"status":{"messages":[`+list+`],"state":"in_progress","messages":[`+list+`]}}`)).client(t).Upgrades.NewReader()
	for range 3 {
		status, goesOn, err := r.Read(t.Context())
		if err != nil || goesOn || len(status.Messages) != 2000 {
			t.Fatalf("%d messages, goes on %v, %v", len(status.Messages), goesOn, err)
		}
	}
}

// A log that a first fetch refuses is refused by a later one too.
func TestSkippedMessagesCountForTheSizeOfAnAnswer(t *testing.T) {
	t.Parallel()
	const limit = 64 // MiB; what is new is below it, and above it with what was known
	sizes := []int{2}
	piece := bytes.Repeat([]byte(" "), 1<<20)
	r := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":{"state":"in_progress","messages":[`)
		for i, size := range sizes {
			_, _ = fmt.Fprintf(w, `%.*s{"code":2038,"when":%d,`, min(i, 1), ",", i)
			for range size {
				_, _ = w.Write(piece)
			}
			_, _ = io.WriteString(w, `"message":"m"}`)
		}
		_, _ = io.WriteString(w, `]}}`)
	}).client(t).Upgrades.NewReader()
	if _, _, err := r.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	sizes = append(sizes, limit-1)
	if _, _, err := r.Read(t.Context()); !errors.Is(err, adminapi.KindTooLarge) {
		t.Errorf("error %v", err)
	}
}

// BenchmarkAReadingThatBringsOneMessage is what a reading costs that brings one message,
// without what it costs a site to write it.
func BenchmarkAReadingThatBringsOneMessage(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			body := []byte(`{"status":{"state":"in_progress","messages":[` + strings.Join(messages(n), ","))
			r := serve(b, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write(body)
				_, _ = io.WriteString(w, `]}}`)
			}).client(b).Upgrades.NewReader()
			if _, _, err := r.Read(b.Context()); err != nil {
				b.Fatal(err)
			}
			body = append(make([]byte, 0, len(body)+256<<20), body...)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				body = append(body, ","+message(n)...)
				if status, goesOn, err := r.Read(b.Context()); err != nil || !goesOn || len(status.Messages) != 1 {
					b.Fatal(len(status.Messages), goesOn, err)
				}
			}
		})
	}
}

// BenchmarkAFirstReading is what it costs to take a whole log in: most of its texts
// hold no escapes, or all of them do.
func BenchmarkAFirstReading(b *testing.B) {
	for name, more := range map[string]string{"plain": "", "with escapes": ` at 17 % of /a?b=c&d=%2F, \\n`} {
		b.Run(name, func(b *testing.B) {
			list := messages(100_000)
			for i := range list {
				list[i] = strings.Replace(list[i], "a new image", "a new image"+more, 1)
			}
			c := serve(b, says(http.StatusOK, `{"status":{"state":"in_progress","messages":[`+strings.Join(list, ",")+`]}}`)).client(b)
			b.ReportAllocs()
			for b.Loop() {
				if status, err := c.Upgrades.Status(b.Context()); err != nil || len(status.Messages) != len(list) {
					b.Fatal(len(status.Messages), err)
				}
			}
		})
	}
}

func TestALongMessageIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 64<<10-1) + strings.Repeat("é", 10)
	c := serve(t, says(200, `{"status":{"state":"in_progress","messages":[{"code":1,"message":"`+text+`","when":1}]}}`)).client(t)
	status, err := c.Upgrades.Status(t.Context())
	if err != nil || !strings.HasPrefix(status.Messages[0].Message, text[:64<<10-1]+"… (65,555 bytes, the first 65,535 are kept") {
		t.Errorf("%.40q, %v", status.Messages[0].Message[64<<10-1:], err)
	}
}

// One message that several programs mask in different places is one, and others stay others.
func TestCopiesThatMaskDifferentPlacesBecomeOne(t *testing.T) {
	t.Parallel()
	at := func(text string) adminapi.UpgradeMessage {
		return adminapi.UpgradeMessage{Code: 7, When: 5, Message: strings.ReplaceAll(text, "*", secrets.Mask)}
	}
	var copies adminapi.MessageCopies
	if count, isNew := copies.Of(at("key one of two")); count != nil || isNew {
		t.Error("a message is counted where none is masked")
	}
	check(t, "expected", []bool{copies.Expect(at("key one of two")), copies.Expect(at("key * of *")), copies.Expect(at("key * of *"))}, []bool{false, true, false}, nil)
	counts := map[string]*adminapi.CopyCount{}
	for _, text := range []string{"key one of *", "another * text", "key * of two"} {
		count, isNew := copies.Of(at(text))
		if count == nil || !isNew {
			t.Fatal(text, count, isNew)
		}
		count.Reach(len(counts) + 1)
		counts[text] = count
	}
	if counts["key one of *"] == counts["key * of two"] {
		t.Error("two texts that are no copies of each other are one already")
	}
	joined, isNew := copies.Of(at("key one of two"))
	check(t, "new, how many", []any{isNew, joined.All}, []any{true, 1 + 3}, nil)
	masked, isNew := copies.Of(at("key * of *"))
	check(t, "the masked one is the same, and its text new", []bool{masked == joined, isNew}, []bool{true, true}, nil)
	for _, text := range []string{"key one of *", "key * of two", "key one of two", "another * text"} {
		count, isNew := copies.Of(at(text))
		if isNew || (count == joined) != strings.HasPrefix(text, "key") || !strings.HasPrefix(text, "key") && count != counts[text] {
			t.Errorf("%s: new %v, %+v", text, isNew, count)
		}
	}
	if count, _ := copies.Of(at("key one * two")); count != joined {
		t.Errorf("a copy of one text of several: %+v", count)
	}
	for _, text := range []string{"first * then", "first secret then"} { // masked before, known later
		if count, _ := copies.Of(at(text)); count == joined || len(count.Own) == 2 != (text == "first secret then") {
			t.Errorf("%s: %+v", text, count)
		}
	}
}

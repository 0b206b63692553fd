package keyboard

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"geodeck/theme"
)

// answerLimit is how long an answer is expected: a line may stall.
const answerLimit = 5 * time.Second

// query is what the terminal was asked and has not answered.
type query struct {
	limit time.Time
	told  bool          // the colour; the kind of the terminal comes behind it
	over  chan struct{} // closed once all of it is answered
}

// QueryBackground returns what asks the terminal for the colour of its background, to be
// written at once. Nobody waits for the answer. Whenever it comes, the [Decoder] makes a
// [theme.Background] of it, unknown where the terminal tells its kind alone.
func (r *Reader) QueryBackground() string {
	r.query.Store(&query{limit: r.now().Add(answerLimit), over: make(chan struct{})})
	return ansi.RequestBackgroundColor + ansi.RequestPrimaryDeviceAttributes
}

// expected returns the query whose answer may still come, nil for none.
func (r *Reader) expected() *query {
	if q := r.query.Load(); q != nil && r.now().Before(q.limit) {
		return q
	}
	return nil
}

// Expects reports whether an answer may still come. Five seconds after the query none is
// expected.
func (r *Reader) Expects() bool { return r.expected() != nil }

// Settle returns once no answer is expected, or after grace, when none is expected any more.
// It is for the moment before another program, such as the shell, gets the terminal, and would
// take the answer for keys: this one has to read meanwhile.
func (r *Reader) Settle(grace time.Duration) {
	if q := r.expected(); q != nil {
		select {
		case <-q.over:
		case <-time.After(grace):
			r.query.Store(nil)
		}
	}
}

// hear returns a piece that is no key, as a mark where it says something of the background.
func (r *Reader) hear(p piece) piece {
	b, q := backgroundIn(p.bytes), r.query.Load()
	switch {
	case b != theme.Unknown && q != nil:
		q.told = true
	case b == theme.Unknown && q != nil && toldKind(p.bytes):
		r.query.Store(nil)
		close(q.over)
		if q.told {
			return p
		}
	case b == theme.Unknown:
		return p
	}
	return piece{kind: mark, bytes: []byte{markBackground + byte(b)}}
}

// backgroundIn reads an answer with a colour: three parts of one to four hexadecimal digits,
// and maybe an opacity.
func backgroundIn(answer []byte) theme.Background {
	said, ended := strings.CutSuffix(string(answer), "\a")
	if !ended {
		said, ended = strings.CutSuffix(said, "\x1b\\")
	}
	said, known := strings.CutPrefix(said, "\x1b]11;rgb")
	parts := strings.Split(strings.TrimPrefix(said, "a"), "/")
	if !ended || !known || len(parts) < 3 || parts[0] == "" || parts[0][0] != ':' {
		return theme.Unknown
	}
	parts[0] = parts[0][1:]
	light := uint64(0)
	for i, weight := range []uint64{299, 587, 114} {
		n, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil || len(parts[i]) > 4 {
			return theme.Unknown
		}
		light += weight * n * 0xffff / (1<<(4*len(parts[i])) - 1)
	}
	if light > 500*0xffff {
		return theme.Light
	}
	return theme.Dark
}

// askWait is how long a terminal at the end of a slow line may take for its answers.
const askWait = time.Second

// Ask writes a question that ends with the one for the kind of the terminal, and returns what
// it answers up to that, or within a second. Keys that are typed meanwhile are among it.
func Ask(in, out *os.File, question string) (said []byte) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	limit := time.Now().Add(askWait)
	if _, err := out.WriteString(question); err != nil {
		return nil
	}
	for part := make([]byte, 256); ; {
		wait := time.Until(limit)
		if torn(said) { // the rest would be taken for keys
			wait += sequenceWait
		}
		if toldKind(said) || !readable(in, wait) {
			return said
		}
		n, err := in.Read(part)
		if err != nil {
			return nil
		}
		said = append(said, part[:n]...)
	}
}

// torn reports whether what a terminal said breaks off within an answer.
func torn(said []byte) bool {
	at := bytes.LastIndexByte(said, esc)
	if at < 0 {
		return false
	}
	n, kind := next(said[at:])
	if kind == answer {
		_, ends := answered(said[at+n:])
		return !ends
	}
	return kind == unsure || kind == begun
}

// toldKind reports whether a terminal has told its kind. All do, after what they were asked
// before.
func toldKind(said []byte) bool {
	_, kind, found := bytes.Cut(said, []byte("\x1b[?"))
	return found && bytes.IndexByte(kind, 'c') >= 0
}

package keyboard

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"

	"geodeck/theme"
	"geodeck/ui/uitest"
)

func TestAColourOfTheBackgroundIsLightOrDark(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]theme.Background{
		"\x1b]11;rgb:ffff/ffff/ffff\a": theme.Light, "\x1b]11;rgb:FD/F6/E3\x1b\\": theme.Light, "\x1b]11;rgb:f/f/f\a": theme.Light,
		"\x1b]11;rgb:fff/fff/fff\a": theme.Light, "\x1b]11;rgba:ffff/ffff/ffff/8000\a": theme.Light,
		"\x1b]11;rgb:0/0/0\a": theme.Dark, "\x1b]11;rgb:0000/2b2b/3636\x1b\\": theme.Dark, "\x1b]11;rgb:7f/7f/7f\a": theme.Dark, "\x1b]11;rgb:00/00/ff\a": theme.Dark,
		"": theme.Unknown, "\x1b]11;rgb:ffff/ffff/ffff": theme.Unknown, "\x1b]10;rgb:ffff/ffff/ffff\a": theme.Unknown, "\x1b]11;?\a": theme.Unknown,
		"\x1b]11;rgb:ffff/ffff\a": theme.Unknown, "\x1b]11;rgb:gg/gg/gg\a": theme.Unknown, "\x1b]11;rgb://\a": theme.Unknown, "\x1b]11;rgb:fffff/fffff/fffff\a": theme.Unknown,
		"\x1b]11;rgb\a": theme.Unknown, "\x1b]11;rgbff/ff/ff\a": theme.Unknown, "\x1b]11;white\a": theme.Unknown, "\x1b]11;#ffffff\a": theme.Unknown,
	} {
		if got := backgroundIn([]byte(said)); got != want {
			t.Errorf("%q is %v, want %v", said, got, want)
		}
	}
}

// itsKind is what a terminal tells of its kind.
const itsKind = "\x1b[?62;22c"

// learned has Bubble Tea read the line of a terminal that was asked for its background, and
// returns the keys and what is learned of the background.
func learned(t *testing.T, pieces ...string) string {
	t.Helper()
	r := readerOf(uitest.NewLine(append(pieces, uitest.Pause(time.Minute), "\x04")...))
	r.QueryBackground()
	return pressOn(t, r)
}

func TestAnAnswerIsHeardHoweverItComesAndIsNoKey(t *testing.T) {
	t.Parallel()
	const light, dark = "\x1b]11;rgb:ffff/ffff/ffff\a", "\x1b]11;rgb:0/0/0\x1b\\"
	second := uitest.Pause(time.Second)
	for name, c := range map[string]struct {
		want   string
		pieces []string
	}{
		"at once":                         {"<light>", []string{light + itsKind}},
		"with the other end":              {"<dark>", []string{dark + itsKind}},
		"late":                            {"<dark>", []string{uitest.Pause(4 * time.Second), dark + itsKind}},
		"after nobody expects it":         {"j <light> k", []string{"j", uitest.Pause(time.Hour), light + itsKind, "k"}},
		"among keys":                      {"<light> (j k l)", []string{"j" + light + "k" + itsKind + "l"}},
		"behind esc":                      {"esc <light>", []string{"\x1b" + light + itsKind}},
		"among bytes that are no text":    {"<light> q", []string{"\xf8\xff\xc3" + light + "\xf9\xfa" + itsKind + "\x80q"}},
		"before pasted text":              {`<dark> paste "y"`, []string{dark + itsKind + "\x1b[200~y\x1b[201~"}},
		"among text that is not marked":   {`paste "` + alphabet + alphabet + `" <light>`, []string{alphabet + light + alphabet}},
		"of the kind alone":               {"j <unknown> k", []string{"j", itsKind, "k"}},
		"of the colour, and never a kind": {"<light> q", []string{light, uitest.Pause(time.Minute), "q"}},
		"of what is no colour":            {"<unknown>", []string{"\x1b]11;rgb:ffff\a" + itsKind}},
		"of another colour too":           {"<light>", []string{"\x1b]10;rgb:0/0/0\a" + light + itsKind}},
		"twice":                           {"<light> <dark> q", []string{light + itsKind, second, dark + itsKind, "q"}},
		"cut off by a key":                {"up <unknown>", []string{light[:12] + "\x1b[A", itsKind}},
		"much too long":                   {"<unknown> q", []string{"\x1b]11;rgb:" + strings.Repeat("f", 4000) + "/f/f\a" + itsKind, "q"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := learned(t, c.pieces...); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	answers := "j" + light + itsKind + "k"
	for at := 2; at < len(answers)-2; at++ {
		for _, pause := range []time.Duration{40 * time.Millisecond, 240 * time.Millisecond, 4 * time.Second} {
			if (answers[at-1] == esc || answers[at-2] == esc) && pause > sequenceWait {
				continue // what are keys by then
			}
			got := strings.NewReplacer("(", "", ")", "").Replace(learned(t, answers[:at], uitest.Pause(pause), answers[at:]))
			if got != "j <light> k" && got != "<light> j k" { // the keys may come together
				t.Errorf("cut for %v behind %q: %s", pause, answers[:at], got)
			}
		}
	}
}

func TestEscIsFastOnceTheTerminalHasAnsweredOrWillNot(t *testing.T) {
	t.Parallel()
	for name, before := range map[string][]string{"it has": {itsKind}, "it will not": {"j", uitest.Pause(answerLimit), "j"}} {
		l := uitest.NewLine(append(before, "\x1b")...)
		r := readerOf(l)
		r.QueryBackground()
		buffer := make([]byte, 256)
		for l.Pieces[0] != "\x1b" {
			_, _ = r.Read(buffer)
		}
		at := l.Now()
		l.Pieces = append(l.Pieces, uitest.Pause(time.Hour))
		if n, _ := r.Read(buffer); string(buffer[:n]) != "\xfc" || l.Now().Sub(at) != escapeWait {
			t.Errorf("%s: %q after %v", name, buffer[:n], l.Now().Sub(at))
		}
	}
}

func TestSettlingWaitsForTheEndOfAnAnswerThatIsExpected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		r := NewReaderOf(in, func(time.Duration) bool { return false }, time.Now)
		settled := func(grace time.Duration) time.Duration {
			began := time.Now()
			r.Settle(grace)
			return time.Since(began)
		}
		if took := settled(time.Hour); took != 0 || r.Expects() {
			t.Errorf("before a question it took %v", took)
		}
		r.QueryBackground()
		go func() {
			for buffer := make([]byte, 256); ; {
				if _, err := r.Read(buffer); err != nil {
					return
				}
			}
		}()
		go func() {
			for _, part := range []string{"q", "\x1b]11;rgb:ff/ff/ff\a", "\x1b[?62", "c"} {
				time.Sleep(time.Second)
				_, _ = out.Write([]byte(part))
			}
		}()
		if took := settled(time.Hour); took != 4*time.Second || r.Expects() {
			t.Errorf("an answer of 4 s took %v", took)
		}
		r.QueryBackground()
		if took := settled(time.Minute); took != time.Minute || r.Expects() {
			t.Errorf("no answer took %v", took)
		}
		r.QueryBackground()
		time.Sleep(answerLimit)
		if took := settled(time.Hour); took != 0 || r.Expects() {
			t.Errorf("after the limit it took %v", took)
		}
		_ = out.Close()
	})
}

func TestAskReturnsWhatIsSaidUpToTheKind(t *testing.T) {
	t.Parallel()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	const says = "j\x1b]11;rgb:0000/2b2b/3636\a"
	go func() {
		asked := make([]byte, 64)
		n, _ := ours.Read(asked)
		_, _ = ours.WriteString(says + string(asked[:n]) + itsKind)
	}()
	if got := string(Ask(theirs, theirs, "who?")); got != says+"who?"+itsKind {
		t.Errorf("it returned %q", got)
	}
}

func TestAnAnswerThatBreaksOffIsWaitedFor(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"": false, "j": false, "\x1b": true, "\x1b]11;rgb:ff": true, "\x1b]11;rgb:ff/ff/ff\x1b": true, "\x1b]11;rgb:ff/ff/ff\x1b\\": false,
		"\x1b]11;rgb:ff/ff/ff\a": false, "\x1b[": true, "\x1b[?62;": true, "\x1b[?62;22c": false, "\x1b[A": false,
	} {
		if got := torn([]byte(said)); got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
}

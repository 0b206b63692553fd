package ui_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/operation/polling"
	"geodeck/ui"
	"geodeck/ui/keyboard"
	"geodeck/ui/uitest"
)

// confirmations are the ways to everything that is confirmed by a word that is typed.
var confirmations = []struct {
	name, scenario string
	before         func(t *testing.T, site operation.Site) // what was done at the site; nil for nothing
	leads          []string                                // to the word, each step at rest
	word           string
	sends          string // the last segment of the request that follows; empty where none does
	shows          string // once it is confirmed, where it sends nothing
}{
	{"the name of a locked site", "healthy", nil, []string{"palette", `"unlock"`, "enter"}, siteName, "", "▲ UNLOCKED"},
	{"a report that is deleted", "healthy", nil, []string{"health.delete"}, "scheduled-20261118-1205", "delete", ""},
	{"a service that is stopped", "healthy", nil, []string{"view.services rows.filter", `"SampleWorld"`, "enter services.switch"}, "SampleWorldCities", "stop", ""},
	{"rules that no node meets", "healthy", nil, []string{"view.services rows.filter", `"SampleWorld"`, "enter enter tab rows.bottom k k rules.edit tab tab ctrl+u", `"nowhere"`, "enter services.write diff.accept"}, "no-node", "", "Accepted; space takes that back"},
	{"a health report that failed", "degraded", failsHealth, []string{"view.upgrade enter space"}, "failed-health", "", "[x] ✗ danger    Health"},
	{"an upgrade", "healthy", nil, []string{"view.upgrade enter space space enter enter"}, "11.5.0.6835", "upgrade", ""},
	{"an upgrade, with the key of its field", "healthy", nil, []string{"view.upgrade enter space space enter"}, "\r11.5.0.6835", "upgrade", ""},
	{"a rollback", "upgraded", nil, []string{"view.upgrade upgrade.next-list j upgrade.rollback space space enter enter"}, "11.5.0.6825", "rollback", ""},
	{"another request after an unknown outcome", "healthy", leavesUnknown, nil, "12.0.0.7286", "", "another request may be sent"},
}

// failsHealth has a health report that is new and has failed.
func failsHealth(t *testing.T, site operation.Site) {
	t.Helper()
	run, result := site.StartHealthRun(t.Context(), adminapi.HealthRun{Name: "before", SuiteIDs: []string{"BSHC-001"}})
	err := result.Err
	if err == nil {
		_, err = polling.Wait(t.Context(), site.Clock, run, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// leavesUnknown leaves the record of an upgrade that somebody sent an hour ago, and of which
// nobody knows the outcome.
func leavesUnknown(t *testing.T, site operation.Site) {
	t.Helper()
	claim, err := site.Memory.Journal.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	if err := site.Memory.Journal.BeforeWrite(adminapi.Write{ID: 1, Operation: "start the upgrade", Path: "/geodeck/admin/system/upgrades/upgrade",
		Target: adminapi.TargetSite, Sent: uitest.Start, Server: adminapi.MillisOf(uitest.Start)}); err != nil {
		t.Fatal(err)
	}
	if err := site.Clock.Sleep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
}

// stroke is a key that is pressed at a moment.
type stroke struct {
	at  time.Duration
	key string
}

// typing is somebody who types a word and an enter, 30 to 400 ms a key, and corrects errors: a
// character by backspace, all by ctrl+u.
func typing(random *rand.Rand, word string) (strokes []stroke) {
	var at time.Duration
	press := func(keys string) {
		for _, key := range keys {
			at += time.Duration(30+random.IntN(371)) * time.Millisecond
			strokes = append(strokes, stroke{at, string(key)})
		}
	}
	if random.IntN(2) == 0 {
		press(word[:1+random.IntN(len(word))] + "\x15")
	}
	for _, char := range word {
		if random.IntN(8) == 0 {
			press("0\x7f")
		}
		press(string(char))
	}
	press("\r")
	return strokes
}

// lines are how keys are delivered: together with those up to the end of a window of time, or as
// many at a time.
var lines = []struct {
	window time.Duration
	keys   int
}{{0, 1}, {150 * time.Millisecond, 1}, {600 * time.Millisecond, 1}, {0, 4}}

// delivered are the reads of a line, with the pauses between them.
func delivered(strokes []stroke, window time.Duration, together int) (reads []string) {
	var now time.Duration
	for i := 0; i < len(strokes); {
		var read string
		at := strokes[min(i+together, len(strokes))-1].at
		if window > 0 {
			at = (at + window - 1) / window * window
		}
		for i < len(strokes) && strokes[i].at <= at {
			read += strokes[i].key
			i++
		}
		reads = append(reads, uitest.Pause(at-now), read)
		now = at
	}
	return reads
}

// whileAsked returns what a dashboard gets of the bytes of a terminal while it asks.
func whileAsked(t testing.TB, reads ...string) []tea.Msg {
	t.Helper()
	line := uitest.NewLine(reads...)
	reader := keyboard.NewReaderOf(line, line.More, line.Now)
	reader.SetAsking(true)
	r, decoder, in := &received{}, &keyboard.Decoder{}, &lastRead{Reader: reader}
	program := tea.NewProgram(r, tea.WithInput(in), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler(),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg { return decoder.Decode(msg) }))
	in.ended = func() { program.Send(inputEnded{}) }
	if _, err := program.Run(); err != nil {
		t.Fatal(err)
	}
	return r.msgs
}

// lastRead says that the input has ended.
type lastRead struct {
	io.Reader
	ended func()
}

func (e *lastRead) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err != nil {
		e.ended()
	}
	return n, err
}

const enter, empty = "\r", "\x15"

// atOnce is a text that comes faster than a hand types.
type atOnce struct {
	how  string
	msgs []tea.Msg
}

// confirmNothing are ways in which a word comes that was not typed.
func confirmNothing(t *testing.T, word string) []atOnce {
	t.Helper()
	return []atOnce{
		{"a paste", whileAsked(t, "\x1b[200~"+word+"\x1b[201~", uitest.Pause(time.Second), enter)},
		{"a paste with its enter", whileAsked(t, "\x1b[200~"+word+"\r\x1b[201~")},
		{"an unmarked paste", whileAsked(t, word+enter)},
		{"one of lines", whileAsked(t, "0\r"+empty+word+"\r"+word+"\r\r")},
		{"one that the line cuts", whileAsked(t, word[:2], uitest.Pause(5*time.Millisecond), word[2:], uitest.Pause(20*time.Millisecond), enter)},
		{"one whose enter comes right behind", whileAsked(t, strings.Repeat("ab", 40)+empty+word, uitest.Pause(100*time.Millisecond), enter)},
	}
}

func TestAWordThatConfirmsIsTypedAtAnyPaceOnAnyLine(t *testing.T) {
	t.Parallel()
	for at, c := range confirmations {
		for on, line := range lines {
			t.Run(fmt.Sprint(c.name, ", ", line.window, ", by ", line.keys), func(t *testing.T) {
				t.Parallel()
				typed := whileAsked(t, delivered(typing(rand.New(rand.NewPCG(uint64(at), uint64(on))), c.word), line.window, line.keys)...)
				last := whileAsked(t, enter+enter+enter) // held
				var never []atOnce
				if on == 0 { // they are the same on each line
					never = confirmNothing(t, c.word)
				}
				emptied := whileAsked(t, empty)
				synctest.Test(t, func(t *testing.T) {
					site, wire := lockedSite(t, uitest.Scenario(t, c.scenario), func(cfg *adminapi.Config) { cfg.Locked = c.word == siteName })
					if c.before != nil {
						c.before(t, site)
					}
					folder := t.TempDir()
					d := start(t, ui.Options{Site: site, Clock: site.Clock, Name: siteName, Production: true, Folder: folder,
						Nodes: nodesource.Source{Demo: wire.below.(inProcess).server.Nodes}}, 120, 40, ui.Makers()...)
					d.settle()
					d.does(c.leads...)
					if !d.model.Asks() {
						t.Fatalf("nothing is asked:\n%s", d.model.View())
					}
					gets := func(msgs []tea.Msg) {
						for _, msg := range msgs {
							d.send(msg)
							d.settle()
						}
					}
					confirmed := func() int {
						if c.sends != "" {
							return len(slices.DeleteFunc(wire.writes(), func(sent string) bool { return sent != c.sends }))
						}
						return strings.Count(d.model.View(), c.shows)
					}
					for _, n := range never {
						if gets(n.msgs); confirmed() > 0 {
							t.Fatalf("%s confirmed it", n.how)
						}
						gets(emptied)
					}
					if gets(typed); confirmed() == 0 {
						d.shows("Press enter again.")
						gets(last)
					}
					if n := confirmed(); n != 1 {
						t.Fatalf("%q confirmed it %d times; the screen is\n%s", typed, n, d.model.View())
					}
					if gets(last); c.sends != "" && confirmed() != 1 {
						t.Errorf("enters more sent it again")
					}
				})
			})
		}
	}
}

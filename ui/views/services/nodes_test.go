package services_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestANodesFileIsNamedAndWhenItWasWrittenIsShown(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.Shows("14 nodes, from")
	path := filepath.Join(s.env.Folder, "nodes.json")
	if err := os.WriteFile(path, s.nodes.Demo(), 0o600); err != nil {
		t.Fatal(err)
	}
	was := uitest.Start.Add(-3 * time.Hour)
	if err := os.Chtimes(path, was, was); err != nil {
		t.Fatal(err)
	}
	s.Invoke("services.nodes-file", "nodes.json")
	s.Shows("14 nodes, from nodes.json, written 12:05:00")
	s.env.Times.Mode = views.RelativeTime
	s.Resize(s.size.Width, s.size.Height)
	s.Shows("14 nodes, from nodes.json, written 3 h ago")
	s.env.Times.Mode = views.LocalTime
	later := strings.ReplaceAll(string(s.nodes.Demo()), "spot-c1", "spot-c9")
	if err := os.WriteFile(path, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Press("R")
	s.Shows("spot-c9")
	s.asks(s.Press("N"), path[len(path)-12:])
}

// failsQuietly fails unless what went up is one notice that nodes were not read.
func failsQuietly(t *testing.T, up []tea.Msg) {
	t.Helper()
	notice, ok := up[0].(views.Notice)
	if len(up) != 1 || !ok || notice.Level != views.Failure || !strings.Contains(notice.Text, "The nodes were not read: ") ||
		!strings.Contains(notice.Text, "N offers what was typed") {
		t.Errorf("sent up %v", up)
	}
}

func TestANodesFileThatIsMissingIsSaidAndOfferedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	failsQuietly(t, s.Invoke("services.nodes-file", "missing.json"))
	s.Shows("14 nodes, from", "N offers what was typed")
	s.asks(s.Press("N"), "missing.json", "Read the nodes of the cluster from", "✗")
	failsQuietly(t, s.Invoke("services.nodes-command", "sh 'open"))
}

func TestANodesCommandThatFailsIsOfferedAgainWithItsProblemAndTheNodesBeforeStay(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	failsQuietly(t, s.Invoke("services.nodes-command", "sh -c 'echo no such cluster >&2; exit 1'"))
	s.asks(s.Press("N"), "! sh -c", "no such cluster")
	s.Shows("14 nodes, from", "N offers what was typed: Command sh")
	s.drain(s.fewer("spot"))
	s.Hides("N offers what was typed")
}

func TestANodesCommandThatFailsSlowlyTakesNoKeyFromWhatIsTypedOrReviewed(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot")
	reading := s.do("services.nodes-command", "sh -c 'exit 1'")
	s.Press("down down down down e")
	if !s.CapturesText() {
		t.Fatal("nothing is typed into")
	}
	failsQuietly(t, s.drain(reading))
	if !s.CapturesText() {
		t.Error("the row is not typed into any more")
	}
	s.Press("esc")
	reading = s.do("services.nodes-command", "sh -c 'exit 1'")
	s.Press("w")
	failsQuietly(t, s.drain(reading))
	s.Shows("review")
}

func TestANodesCommandThatFailsOnceItsTabIsLeftOpensNothingAndIsOfferedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	reading := s.do("services.nodes-command", "sh -c 'exit 1'")
	s.Press("esc")
	up := s.drain(reading)
	if told := uitest.NoticeText(t, up); len(up) != 1 || !strings.Contains(told, "The nodes were not read") {
		t.Errorf("sent up %v", up)
	}
	s.rules()
	s.asks(s.Press("N"), "! sh -c 'exit 1'")
}

func TestAHeldKeyReadsTheNodesOnceAtATime(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	printed := filepath.Join(t.TempDir(), "printed")
	reading := s.do("services.nodes-command", "sh -c 'echo once >> "+printed+"; exit 1'")
	again := []tea.Cmd{s.do("services.nodes-again", ""), s.do("services.nodes-again", "")}
	s.drain(reading)
	s.drain(again...)
	if text, err := os.ReadFile(printed); err != nil || string(text) != "once\n" {
		t.Errorf("%v: it was run so often: %q", err, text)
	}
}

func TestANewRequestForNodesReplacesOneThatHangs(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.nodes = operation.NodeSource{}
	s = s.again().rules()
	hangs := s.do("services.nodes-command", "sleep 600")
	came := make(chan struct{})
	go func() {
		defer close(came)
		hangs()
	}()
	s.Shows("Reading the nodes from")
	path := filepath.Join(t.TempDir(), "nodes.json")
	if err := os.WriteFile(path, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Server.Nodes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Invoke("services.nodes-file", path)
	s.Shows("14 nodes, from nodes.json")
	select {
	case <-came: // the program that hung is ended
	case <-time.After(10 * time.Second):
		t.Error("what hung before goes on")
	}
}

func TestNodesOfTheStandardInputAreReadOnce(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	text := string(s.nodes.Demo())
	s.nodes = operation.NodeSource{Input: strings.NewReader(text)}
	s = s.again().rules()
	s.Shows("14 nodes")
	s.tells(s.Press("R"), "standard input, which tells nothing newer")
}

func TestNodesThatComeWhileRulesAreReviewedAreLookedAt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	demo := s.nodes
	s.nodes = operation.NodeSource{}
	s = s.again().rules()
	path := filepath.Join(t.TempDir(), "nodes.json")
	if err := os.WriteFile(path, demo.Demo(), 0o600); err != nil {
		t.Fatal(err)
	}
	reading := s.do("services.nodes-file", path)
	s.onPool("giss").Press("w")
	s.Shows("it was not looked whether any node takes these pods")
	s.drain(reading)
	s.Shows("4 of 14 nodes → none")
}

// fewer begins to read a file of the nodes without some of them.
func (s *screen) fewer(without string) tea.Cmd {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "fewer.json")
	text := strings.ReplaceAll(string(s.nodes.Demo()), `"pool": "`+without+`"`, `"pool": "gone"`)
	if text == string(s.nodes.Demo()) {
		s.t.Fatalf("no node is in pool %s", without)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.do("services.nodes-file", path)
}

func TestWhatWasConfirmedIsNotSentOnceOtherNodesAreKnown(t *testing.T) {
	t.Parallel()
	for pool, keys := range map[string][]tea.KeyMsg{"spot": yes, "giss": typedNone()} {
		s := open(t, "healthy").rules()
		reading := s.fewer("spot")
		s.onPool(pool).Press("w")
		question := s.Press("w")
		s.drain(reading)
		s.confirmRules(question, keys...)
		s.Shows("review", "→ none")
		s.sent(0)
		s.confirmRules(s.Press("w"), typedNone()...)
		s.Shows("has the new placement policy")
	}
}

func TestWhileAPlanIsMadeAnewWithOtherNodesNothingIsSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	reading := s.fewer("spot")
	s.onPool("spot").Press("w")
	question := s.Press("w")
	again := s.Update(reading().(views.Reply).Msg)
	s.Shows("review")
	s.tells(s.Press("w"), "the plan is made anew")
	s.confirmRules(question, yes...)
	s.sent(0)
	s.drain(again)
	s.Shows("4 of 14 nodes → none")
}

func TestTheNodesAreNamedInAPrompt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	demo := s.nodes
	s.nodes = operation.NodeSource{}
	s = s.again().rules()
	if err := os.WriteFile(filepath.Join(s.env.Folder, "nodes.json"), demo.Demo(), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.hint("services.nodes") == "" {
		t.Error("without nodes the footer does not say how to name them")
	}
	keys := append(uitest.Keys("ctrl+u"), uitest.Text("nodes.js")...)
	uitest.Answer(t, s.Model, s.Press("N"), append(keys, uitest.Key("esc"))...)
	uitest.Answer(t, s.Model, s.Press("N"), append(uitest.Text("on"), uitest.Key("enter"))...)
	s.Shows("14 nodes, from nodes.json", "4 of 14 nodes take these pods")
}

func TestHostileWordsOfNodesAndFilesAreShownHarmless(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	path := filepath.Join(t.TempDir(), "no\x1b[31mdes.json")
	text := strings.ReplaceAll(string(s.nodes.Demo()), `"spot-c1"`, `"sp\u001b]0;evil\u0007ot"`)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Invoke("services.nodes-file", path)
	s.Shows("14 nodes, from no")
	uitest.Harmless(t, s.Draw())
	up := s.Invoke("services.nodes-file", "/no/such\x1b[31m")
	failsQuietly(t, up)
	uitest.Harmless(t, s.Draw())
	uitest.Harmless(t, s.dialog(s.Press("N"), s.size))
}

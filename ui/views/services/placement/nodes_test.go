package placement_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation/nodesource"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// openWith shows the rules of the sample service where nodes come from that source.
func openWith(t *testing.T, nodes nodesource.Source) *screen {
	t.Helper()
	o := healthy(t, uitest.Scenario(t, "healthy"))
	o.nodes = nodes
	return openOn(t, o)
}

// nodes are those of the scenario, as kubectl prints them.
func nodes(t *testing.T) string {
	t.Helper()
	return string(uitest.NewSite(t, uitest.Scenario(t, "healthy")).Server.Nodes())
}

// notRead fails unless all that was sent upward is that nodes were not read; no prompt
// takes the keys.
func (s *screen) notRead(up []tea.Msg) {
	s.t.Helper()
	if s.Tells(up, "The nodes were not read: ", "Press L to correct it"); len(up) != 1 {
		s.t.Errorf("sent up %v", up)
	}
}

func TestANodesFileIsNamedAndWhenItWasWrittenIsShown(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Shows("14 nodes, from")
	path := filepath.Join(s.env.Folder, "nodes.json")
	write(t, path, nodes(t))
	was := uitest.Start.Add(-3 * time.Hour)
	if err := os.Chtimes(path, was, was); err != nil {
		t.Fatal(err)
	}
	s.Invoke("services.nodes-file", "nodes.json")
	s.Shows("14 nodes, from nodes.json, written 12:05:00")
	s.env.Times.Mode = views.RelativeTime
	s.Resize(120, 35)
	s.Shows("14 nodes, from nodes.json, written 3 h ago")
	s.env.Times.Mode = views.LocalTime
	later := strings.ReplaceAll(nodes(t), "spot-c1", "spot-c9")
	write(t, path, later)
	s.Press("services.nodes-again")
	s.Shows("spot-c9")
	s.Asks(s.Press("services.nodes"), path[len(path)-12:])
}

func TestNoCommandForNodesIsPrefilledAsOneKeyWouldRunIt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	path := filepath.Join(t.TempDir(), "nodes.json")
	write(t, path, nodes(t))
	s.Invoke("services.nodes-command", "cat "+path)
	s.Shows("14 nodes, from")
	for _, up := range [][]tea.Msg{s.Invoke("services.nodes-file", ""), s.Press("services.nodes")} {
		if _, line, _ := strings.Cut(s.Dialog(up, 120, 16), "shell."); strings.Contains(line, "!") || strings.Contains(line, "cat") {
			t.Errorf("a command is prefilled:%s", line)
		}
	}
}

func TestANodesFileThatIsMissingIsSaidAndOfferedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.notRead(s.Invoke("services.nodes-file", "missing.json"))
	s.Shows("14 nodes, from", "Press L to correct it")
	s.Asks(s.Press("services.nodes"), "missing.json", "Load nodes from", "✗")
	s.notRead(s.Invoke("services.nodes-command", "sh 'open"))
}

func TestANodesCommandThatFailsIsOfferedAgainWithItsProblemAndTheNodesBeforeStay(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.notRead(s.Invoke("services.nodes-command", "sh -c 'echo no such cluster >&2; exit 1'"))
	s.Asks(s.Press("services.nodes"), "! sh -c", "no such cluster")
	s.Shows("14 nodes, from", "Press L to correct it: Command sh")
	write(t, filepath.Join(s.env.Folder, "nodes.json"), nodes(t))
	s.Invoke("services.nodes-file", "nodes.json")
	s.Hides("Press L to correct it")
}

func TestAHeldKeyReadsTheNodesOnceAtATime(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
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
	s := openWith(t, nodesource.Source{})
	hangs := s.do("services.nodes-command", "sleep 600")
	came := make(chan struct{})
	go func() {
		defer close(came)
		hangs()
	}()
	s.Shows("Reading the nodes from")
	path := filepath.Join(t.TempDir(), "nodes.json")
	write(t, path, nodes(t))
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
	s := openWith(t, nodesource.Source{Input: strings.NewReader(nodes(t))})
	s.Shows("14 nodes")
	s.Tells(s.Press("services.nodes-again"), "standard input, which has nothing newer")
}

func TestTheNodesAreNamedInAPrompt(t *testing.T) {
	t.Parallel()
	s := openWith(t, nodesource.Source{})
	write(t, filepath.Join(s.env.Folder, "nodes.json"), nodes(t))
	if row, ok := views.Find(s.Commands(), "services.nodes"); !ok || row.HintText() != "load nodes" {
		t.Error("without nodes the footer does not say how to name them")
	}
	s.Shows("No node list")
	keys := append(uitest.Keys("ctrl+u"), uitest.Text("nodes.js")...)
	s.answer(s.Press("services.nodes"), append(keys, uitest.Key("esc"))...)
	s.answer(s.Press("services.nodes"), append(uitest.Text("on"), uitest.Key("enter"))...)
	s.Shows("14 nodes, from nodes.json", "4 of 14 nodes take these pods")
}

func TestHostileWordsOfNodesAndFilesAreShownHarmless(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	path := filepath.Join(t.TempDir(), "no\x1b[31mdes.json")
	text := strings.ReplaceAll(nodes(t), `"spot-c1"`, `"sp\u001b]0;evil\u0007ot"`)
	write(t, path, text)
	s.Invoke("services.nodes-file", path)
	s.Shows("14 nodes, from no")
	uitest.Harmless(t, s.Draw())
	s.notRead(s.Invoke("services.nodes-file", "/no/such\x1b[31m"))
	uitest.Harmless(t, s.Draw())
	uitest.Harmless(t, s.Dialog(s.Press("services.nodes"), 78, 16))
}

package whatnow

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/explain"
	"geodeck/ui/views"
)

// way is how the screen does an action.
type way struct {
	row string // that does it, in whatever view
	key string // the row whose key does it where the fault shows; empty for row
}

const follow = "whatnow.follow"

// ways are the rows of the actions; none where the screen has nothing to open.
var ways = map[explain.ActionID]way{
	explain.RunHealth: {row: "health.run"}, explain.ReadReport: {"health.report", "view.health"}, explain.ReadTest: {"health.test", follow},
	explain.ListReports: {row: "health.refresh"}, explain.ListServices: {row: "services.refresh"}, explain.RefreshUpdates: {row: "upgrade.refresh"},
	explain.OpenService: {"services.open", follow}, explain.OpenStopped: {"services.open", "services.switch"}, explain.OpenStatus: {"services.status", follow},
	explain.OpenHistory: {"services.history", follow}, explain.StartService: {row: "services.switch"}, explain.StopService: {row: "services.switch"},
	explain.RefreshService: {row: "services.refresh"}, explain.AwaitService: {row: "services.refresh"},
	explain.LoadNodes: {"services.placement", "services.nodes-why"}, explain.CorrectRules: {"services.placement", follow},
	explain.WatchUpgrade: {"progress.watch", "view.progress"}, explain.ExplainUpgrade: {"progress.watch", "view.progress"}, explain.OpenUpgrade: {"progress.watch", follow},
	explain.RefreshUpgrade: {row: "progress.watch"}, explain.ResumeWatch: {row: "progress.watch"}, explain.SaveEvidence: {"progress.evidence", "progress.export"},
	explain.ListUpdates: {"upgrade.refresh", "view.upgrade"}, explain.LookForWrite: {"unresolved", follow}, explain.LookForSwitched: {"unresolved", "services.refresh"},
	explain.LookForEdit: {row: "services.look"}, explain.LookForStart: {row: "upgrade.look-again"}, explain.LookAtSite: {row: "look"},
	explain.SignIn: {"signin", follow}, explain.Unlock: {"unlock", follow},
}

// keyRow is the row whose key does an action where the fault shows; empty for none.
func keyRow(a explain.Action) string { return cmp.Or(ways[a.ID].key, ways[a.ID].row) }

// run returns what does an action, nil where no row does.
func run(a explain.Action) tea.Cmd {
	to := views.Navigate{Command: ways[a.ID].row}
	if to.Command == "" {
		return nil
	}
	if view, _, ok := strings.Cut(to.Command, "."); ok { // else a row of every screen
		to.View = view
	}
	if len(a.Args) > 0 {
		to.Argument = a.Args[0]
	}
	return views.Send(to)
}

// second is what follows the text of a step, in a sentence.
func second(s explain.Step) string {
	return views.Keys("Then press {key:" + keyRow(s.Action) + "} to " + s.Later + ".")
}

// withKey returns the text of a step with what its key does.
func withKey(s explain.Step) string {
	press := "Press {key:" + keyRow(s.Action) + "}"
	rest, saves := strings.CutPrefix(s.Text, "Save the evidence")
	switch id := s.Action.ID; {
	case views.KeyOf(keyRow(s.Action)) == "":
		return s.Text
	case saves:
		return views.Keys(press) + " to save the evidence" + rest
	case id == explain.OpenService || id == explain.OpenHistory || id == explain.ReadTest:
		press += " to open it"
	case id == explain.OpenStatus:
		press += " for the state of the service"
	case s.Later != "":
		return s.Text + " " + second(s)
	}
	return s.Text + " " + views.Keys(press) + "."
}

// evidenceText is how sentences ask for the evidence that a key saves.
const evidenceText = "save the evidence"

// asksForEvidence reports whether what follows the next step asks for it.
func asksForEvidence(x explain.Explanation) bool {
	return slices.ContainsFunc(x.Then, func(s string) bool { return strings.Contains(s, evidenceText) })
}

// withEvidence names the key of the evidence in sentences that ask for it.
func withEvidence(sentences []string) (keyed []string) {
	for _, s := range sentences {
		keyed = append(keyed, strings.Replace(s, evidenceText, views.Keys(evidenceText+" ({key:progress.export})"), 1))
	}
	return keyed
}

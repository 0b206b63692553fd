package upgrade

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

func (u commands) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Print the state and the messages of the running upgrade, or of the last one",
		Long: `Print the state and the messages of the running upgrade, or of the last one, and how
long it still takes; of a run that stalls, why and what to do. -o json prints
{"status","estimate":{"leftSeconds","late","text","basis"},"stall"}: null where there is
none, the status with what the site wrote in raw, and the stall as upgrade explain
prints it.

Exit codes: 0 the site shows no upgrade, one is running, or the last one succeeded; 1 it
failed, or its state is not known.`,
		Args: cobra.NoArgs,
		RunE: u.OnSite(u.status),
	}
}

func (u commands) status(ctx context.Context, site operation.Site, _ string) error {
	status, err := site.Client.Upgrades.Status(ctx)
	if err != nil {
		return err
	}
	var left *estimateJSON
	var stalled *explain.Explanation
	if record, none := u.Session.Record(); none == nil { // without earlier runs the rate of this one is enough
		site.Memory.Journal = record
	}
	if now := watching.UpgradeNow(site, status); now.Meaning == progress.StateRunning {
		stalled = stallOf(now)
		if left = estimateOf(now); now.Confirmed != "" {
			u.Out.Note("warning: " + now.Elsewhere())
		}
	}
	if u.Out.JSON() {
		return cmp.Or(u.Out.PrintValue(statusNow{statusOf(status), left, stalled}), judgeStatus(status))
	}
	return cmp.Or(u.printStatus(status, left, stalled), judgeStatus(status))
}

const adviceFailed = "See why, and what to do now: {command:upgrade explain}"

// judgeStatus is the error of the command: an unknown state is no success.
func judgeStatus(status adminapi.UpgradeStatus) error {
	switch progress.StateOf(status) {
	case progress.StateFailed:
		return exit.NotPassed(adviceFailed,
			"the upgrade has failed"+plain.Joined(", and stopped in ", progress.OpenPhase(status)))
	case progress.StateUnknown:
		return exit.NotPassed("Check in a minute: {command:upgrade status}",
			"its state does not show whether the upgrade has ended")
	}
	return nil
}

// statusNow is the status, and what follows from it while an upgrade runs.
type statusNow struct {
	Status   *statusJSON          `json:"status"`   // null where the site's is empty
	Estimate *estimateJSON        `json:"estimate"` // null where there is none
	Stall    *explain.Explanation `json:"stall"`    // null where it does not stall
}

// statusJSON is the status of the running upgrade, or of the last one.
type statusJSON struct {
	State    string         `json:"state"` // in the site's words
	Code     int            `json:"code"`
	Messages []messageJSON  `json:"messages"`
	Raw      jsontext.Value `json:"raw"` // as the site wrote it
}

// statusOf is a status for scripts, nil for one that was not read.
func statusOf(s adminapi.UpgradeStatus) *statusJSON {
	if s.State == "" && len(s.Messages) == 0 {
		return nil
	}
	return &statusJSON{s.State, s.Code, lists.Each(s.Messages, messageOf), output.Raw(s)}
}

// estimateJSON is how long an upgrade still takes, and how that was found out.
type estimateJSON struct {
	LeftSeconds int    `json:"leftSeconds"` // 0 where late
	Late        bool   `json:"late"`
	Text        string `json:"text"`
	Basis       string `json:"basis"`
}

// estimateOf returns the estimate of a run as on the screen, nil for none.
func estimateOf(r watching.Snapshot) *estimateJSON {
	left, ok := r.Estimate()
	if !ok {
		return nil
	}
	return &estimateJSON{int(left.Left.Seconds()), left.Late, left.String(), left.Basis()}
}

// stallOf explains a run that stalls as the screen does, nil where it does not.
func stallOf(r watching.Snapshot) *explain.Explanation {
	if _, stalls := r.Stall(); !stalls {
		return nil
	}
	x := explain.Upgrade(incident.UpgradeFactsOf(r, incident.Surroundings{}))
	return &x
}

func (u commands) printStatus(status adminapi.UpgradeStatus, left *estimateJSON, stalled *explain.Explanation) error {
	l := u.Out.Renderer()
	row := l.Field("State", stateCell(l, progress.StateOf(status)), status.State, "code "+strconv.Itoa(status.Code))
	if row[2].Text == row[1].Text { // the state in the words of the site
		row = slices.Delete(row, 2, 3)
	}
	head := [][]output.Cell{row}
	if left != nil {
		head = append(head, l.Fields("Estimate", left.Text+" ("+left.Basis+")")...)
	}
	err := u.Out.PrintRows(head)
	if stalled != nil {
		err = cmp.Or(err, u.Out.PrintLines(stalled.Lines("")...))
	}
	if len(status.Messages) == 0 {
		return err
	}
	return cmp.Or(err, u.Out.PrintLine(""),
		output.PrintEach(u.Out, status.Messages, []string{"WHEN", "CODE", "MESSAGE"}, messageRow))
}

var statusOfState = map[progress.State]output.Status{
	progress.StateIdle: output.Idle, progress.StateRunning: output.Running, progress.StateSucceeded: output.Good,
	progress.StateFailed: output.Bad,
}

func stateCell(l *output.Renderer, s progress.State) output.Cell {
	return l.StatusCell(statusOfState[s], s.String())
}

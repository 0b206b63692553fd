package cli

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

func (p *program) upgradeStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Print the state and the messages of the upgrade that runs, or of the last one",
		Long: `Print the state and the messages of the upgrade that runs, or of the last one.

Exits 0 when no upgrade has run, one runs, or the last one succeeded; 1 when it
failed, or when its state is not known.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.upgradeStatus(cmd.Context()) },
	}
}

func (p *program) upgradeStatus(ctx context.Context) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	status, err := site.Client.UpgradeStatus(ctx)
	if err != nil {
		return err
	}
	if p.json() {
		err = p.printValue(statusBody{status})
	} else {
		err = p.printStatus(status)
	}
	if err != nil {
		return err
	}
	return judgeStatus(status)
}

const adviceFailed = "Read the last messages above and the log of the site for the reason, then see what works: geodeck health run"

// judgeStatus is the end of the command: what nobody can read is no success.
func judgeStatus(status adminapi.UpgradeStatus) error {
	switch progress.StateOf(status) {
	case progress.StateFailed:
		return &failure{code: exitFailed, kind: "failed", err: errors.New("the upgrade has failed" + behind(", and stopped in ", progress.OpenPhase(status))), advice: adviceFailed}
	case progress.StateUnknown:
		return &failure{code: exitFailed, kind: "failed", err: errors.New("whether the upgrade goes on or has ended cannot be told from its state"),
			advice: "Look again in a minute: geodeck upgrade status"}
	}
	return nil
}

func (p *program) printStatus(status adminapi.UpgradeStatus) error {
	l := p.appearance()
	row := l.words("State", "", status.State, "code "+strconv.Itoa(status.Code))
	row[0].style = l.theme.Label
	row[1] = l.reading(progress.StateOf(status))
	if err := p.printRows([][]cell{row}); err != nil || len(status.Messages) == 0 {
		return err
	}
	rows := make([][]cell, len(status.Messages))
	for i, m := range status.Messages {
		rows[i] = l.words(moment(m.When.Time()), strconv.Itoa(m.Code), m.Message)
	}
	if err := p.say(""); err != nil {
		return err
	}
	return p.printTable([]string{"WHEN", "CODE", "MESSAGE"}, rows)
}

func (l *look) reading(r progress.State) cell {
	switch r {
	case progress.StateIdle:
		return l.state(l.theme.Glyphs.Skipped, r.String(), l.theme.Plain)
	case progress.StateRunning:
		return l.state(l.theme.Glyphs.Running, r.String(), l.theme.Running)
	case progress.StateSucceeded:
		return l.state(l.theme.Glyphs.Pass, r.String(), l.theme.OK)
	case progress.StateFailed:
		return l.state(l.theme.Glyphs.Fail, r.String(), l.theme.Fail)
	}
	return l.state(l.theme.Glyphs.Unknown, r.String(), l.theme.Unknown)
}

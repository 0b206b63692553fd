package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

func (u commands) transcriptsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "transcripts [TRANSCRIPT]",
		Short: "List the upgrades that were watched from this machine, or print the transcript of one",
		Long: `List the upgrades that were watched from this machine, or print the transcript of one.

The dashboard and geodeck upgrade watch write a transcript while they watch an upgrade.
The site is not contacted.`,
		Example: `  geodeck upgrade transcripts
  geodeck upgrade transcripts 2026-11-20-1403-1c9f2e7a4b5d -o jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: command.RunsOn(u.transcripts),
	}
}

func (u commands) transcripts(ctx context.Context, id string) error {
	site, err := u.Session.SiteWithJournal(ctx)
	if err != nil {
		return err
	}
	if id != "" {
		return u.printTranscript(site, id)
	}
	runs, err := site.Memory.WatchedRuns()
	if err != nil && len(runs) == 0 {
		return session.UnreadRecord(err)
	}
	if err != nil {
		u.Out.Note("warning: " + err.Error())
	}
	if u.Out.JSON() {
		return output.PrintList(u.Out, lists.Each(runs, func(run journal.TranscriptSummary) transcriptJSON {
			_, seen := operation.RunResult(run)
			return transcriptJSON{
				run.ID, run.Began.Moment(), run.From, run.To, run.State, seen, run.Here, run.Messages, run.LeftOut, adminapi.Moment(run.Last.Add(run.Ahead)),
			}
		}))
	}
	if len(runs) == 0 {
		return u.Out.PrintLine("No upgrade of this site was watched from here yet.")
	}
	columns := []string{"TRANSCRIPT", "BEGAN", "FROM", "TO", "STATE", "MESSAGES", "LAST SEEN"}
	return output.PrintEach(u.Out, runs, columns, func(l *output.Renderer, run journal.TranscriptSummary) []output.Cell {
		state, _ := operation.RunResult(run)
		messages := strconv.Itoa(run.Messages)
		if run.LeftOut > 0 {
			messages += ", " + strconv.Itoa(run.LeftOut) + " left out"
		}
		return l.Row(run.ID, output.FormatTime(run.Began.Time()), run.From, run.To, state, messages,
			output.FormatTime(run.Last.Add(run.Ahead)))
	})
}

// transcriptJSON is a transcript of a list, for scripts.
type transcriptJSON struct {
	ID       string     `json:"id"`
	Began    *time.Time `json:"began"`
	From     string     `json:"from"`
	To       string     `json:"to"`
	State    string     `json:"state"`
	Ended    bool       `json:"ended"` // its end was seen
	Started  bool       `json:"startedHere"`
	Messages int        `json:"messages"`
	LeftOut  int        `json:"messagesLeftOut,omitzero"`
	LastSeen *time.Time `json:"lastSeen"` // by the server's clock, as Began
}

// savedJSON is the transcript of one: its messages, and the state that was seen last.
type savedJSON struct {
	stateLine
	output.Items[messageLine]
}

// knownTranscript refuses an id that names no transcript.
func (u commands) knownTranscript(site operation.Site, id string) error {
	runs, err := site.Memory.WatchedRuns()
	if slices.ContainsFunc(runs, func(t journal.TranscriptSummary) bool { return t.ID == id }) {
		return nil
	}
	if err != nil {
		return err
	}
	return exit.BadInput("List the transcripts: {command:upgrade transcripts}",
		fmt.Errorf("there is no transcript %q of this site", plain.Clip(id, 100)))
}

func (u commands) printTranscript(site operation.Site, id string) error {
	if err := u.knownTranscript(site, id); err != nil {
		return err
	}
	replay, err := watching.Replay(site, id)
	if err != nil {
		return err
	}
	if u.Out.JSON() && !u.Out.Lines() {
		all := output.Items[messageLine]{Items: lists.Each(replay.Log.OfRun(), lineOf)}
		return u.Out.PrintValue(savedJSON{stateOf(replay), all})
	}
	w := watch{commands: u, site: site, fromStart: true}
	if err := w.printMessages(replay, true); err != nil {
		return err
	}
	return w.printState(replay)
}

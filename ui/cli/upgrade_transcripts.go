package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

func (p *program) upgradeTranscriptsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "transcripts [TRANSCRIPT]",
		Short: "List the upgrades that were watched from here, or print what was seen of one",
		Long: `List the upgrades that were watched from here, or print what was seen of one.

A transcript is written while an upgrade is watched, by the dashboard or by
geodeck upgrade watch. The site is not asked.`,
		Example: `  geodeck upgrade transcripts
  geodeck upgrade transcripts 2026-11-20t14-03-00z-1c9f2e7a4b5d -o jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.upgradeTranscripts(cmd.Context(), first(args))
		},
	}
}

func (p *program) upgradeTranscripts(_ context.Context, id string) error {
	site, err := p.connectAndRecall()
	if err != nil {
		return err
	}
	if id != "" {
		return p.printTranscript(site, id)
	}
	runs, err := site.WatchedRuns()
	if err != nil {
		p.note("warning: " + err.Error())
	}
	if p.json() {
		list := make([]transcriptJSON, len(runs))
		for i, run := range runs {
			list[i] = jsonOf(run)
		}
		return printList(p, list)
	}
	if len(runs) == 0 {
		return p.say("No upgrade of this site was watched from here yet.")
	}
	l := p.appearance()
	rows := make([][]cell, len(runs))
	for i, run := range runs {
		state := run.Meaning
		if !run.Ended {
			state += ", its end was not seen"
		}
		messages := strconv.Itoa(run.Messages)
		if run.LeftOut > 0 {
			messages += ", " + strconv.Itoa(run.LeftOut) + " left out"
		}
		rows[i] = l.words(run.ID, moment(run.Began.Time()), run.From, run.To, state, messages, moment(run.Last))
	}
	return p.printTable([]string{"TRANSCRIPT", "BEGAN", "FROM", "TO", "STATE", "MESSAGES", "LAST SEEN"}, rows)
}

// transcriptJSON is a transcript of a list, for scripts.
type transcriptJSON struct {
	ID       string          `json:"id"`
	Began    adminapi.Millis `json:"began"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	State    string          `json:"state"`
	Ended    bool            `json:"ended"`
	Started  bool            `json:"startedHere"`
	Messages int             `json:"messages"`
	LeftOut  int             `json:"messagesLeftOut,omitzero"`
	LastSeen time.Time       `json:"lastSeen"`
}

func jsonOf(t journal.TranscriptSummary) transcriptJSON {
	return transcriptJSON{t.ID, t.Began, t.From, t.To, t.State, t.Ended, t.Here, t.Messages, t.LeftOut, t.Last.UTC()}
}

// knownTranscript refuses an id that names no transcript.
func (p *program) knownTranscript(site operation.Site, id string) error {
	if site.Journal == nil {
		return badInput("", errors.New("there is no journal, so there are no transcripts"))
	}
	runs, err := site.WatchedRuns()
	if slices.ContainsFunc(runs, func(t journal.TranscriptSummary) bool { return t.ID == id }) {
		return nil
	}
	if err != nil {
		return err
	}
	return badInput("What there is: geodeck upgrade transcripts", fmt.Errorf("there is no transcript %q of this site", plain.Clip(id, 100)))
}

func (p *program) printTranscript(site operation.Site, id string) error {
	if err := p.knownTranscript(site, id); err != nil {
		return err
	}
	replay, err := site.Replay(id)
	if err != nil {
		return err
	}
	w := watching{program: p, site: site, fromStart: true}
	if err := w.printMessages(replay, true); err != nil {
		return err
	}
	return w.printState(replay)
}

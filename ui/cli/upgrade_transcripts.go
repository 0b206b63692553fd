package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

func (u upgradeCommands) transcriptsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "transcripts [TRANSCRIPT]",
		Short: "List the upgrades that were watched from this machine, or print the transcript of one",
		Long: `List the upgrades that were watched from this machine, or print the transcript of one.

The dashboard and geodeck upgrade watch write a transcript while they watch an upgrade.
The site is not contacted.`,
		Example: `  geodeck upgrade transcripts
  geodeck upgrade transcripts 2026-11-20-1403-1c9f2e7a4b5d -o jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: runsOn(u.transcripts),
	}
}

func (u upgradeCommands) transcripts(ctx context.Context, id string) error {
	site, err := u.session.siteWithJournal(ctx)
	if err != nil {
		return err
	}
	if id != "" {
		return u.printTranscript(site, id)
	}
	runs, err := site.Memory.WatchedRuns()
	if err != nil && len(runs) == 0 {
		return unreadRecord(err)
	}
	if err != nil {
		u.out.Note("warning: " + err.Error())
	}
	if u.out.JSON() {
		return output.PrintList(u.out, each(runs, func(run journal.TranscriptSummary) transcriptJSON {
			_, seen := operation.RunResult(run)
			return transcriptJSON{
				run.ID, run.Began, run.From, run.To, run.State, seen, run.Here, run.Messages, run.LeftOut, run.Last.Add(run.Ahead).UTC(),
			}
		}))
	}
	if len(runs) == 0 {
		return u.out.PrintLine("No upgrade of this site was watched from here yet.")
	}
	columns := []string{"TRANSCRIPT", "BEGAN", "FROM", "TO", "STATE", "MESSAGES", "LAST SEEN"}
	return output.PrintEach(u.out, runs, columns, func(l *output.Renderer, run journal.TranscriptSummary) []output.Cell {
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
	ID       string          `json:"id"`
	Began    adminapi.Millis `json:"began"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	State    string          `json:"state"`
	Ended    bool            `json:"ended"` // its end was seen
	Started  bool            `json:"startedHere"`
	Messages int             `json:"messages"`
	LeftOut  int             `json:"messagesLeftOut,omitzero"`
	LastSeen time.Time       `json:"lastSeen"` // by the server's clock, as Began
}

// knownTranscript refuses an id that names no transcript.
func (u upgradeCommands) knownTranscript(site operation.Site, id string) error {
	runs, err := site.Memory.WatchedRuns()
	if slices.ContainsFunc(runs, func(t journal.TranscriptSummary) bool { return t.ID == id }) {
		return nil
	}
	if err != nil {
		return err
	}
	return badInput("List the transcripts: {command:upgrade transcripts}", fmt.Errorf("there is no transcript %q of this site", plain.Clip(id, 100)))
}

func (u upgradeCommands) printTranscript(site operation.Site, id string) error {
	if err := u.knownTranscript(site, id); err != nil {
		return err
	}
	replay, err := watching.Replay(site, id)
	if err != nil {
		return err
	}
	w := upgradeWatch{upgradeCommands: u, site: site, fromStart: true}
	if err := w.printMessages(replay, true); err != nil {
		return err
	}
	return w.printState(replay)
}

// evidenceOptions are the flags of upgrade evidence.
type evidenceOptions struct {
	out   string
	force bool
}

func (u upgradeCommands) evidenceCommand() *cobra.Command {
	var o evidenceOptions
	cmd := &cobra.Command{
		Use:   "evidence [TRANSCRIPT]",
		Short: "Write one zip with everything known about an upgrade",
		Long: `Write one zip with everything known about an upgrade: a summary with its phases and
times, every message, the transcript, what was sent (with secrets masked), the health
before and after, the containers with their checksums, and checksums of all of these.

Without TRANSCRIPT, the zip is of the newest upgrade that the site reports or, while the
site cannot be reached, of the newest transcript on this machine. The site is only read.
The summary names what is missing.`,
		Example: `  geodeck upgrade evidence --out change-4711.zip
  geodeck upgrade evidence 2026-11-20-1403-1c9f2e7a4b5d`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return u.evidence(cmd.Context(), first(args), o)
		},
	}
	cmd.Flags().StringVar(&o.out, "out", "", "file to write (default one in the working folder, named after version and time)")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace an existing file")
	return cmd
}

func (u upgradeCommands) evidence(ctx context.Context, id string, o evidenceOptions) error {
	if err := checkNewFile(o.out, o.force, adviceReplace); err != nil {
		return err
	}
	site, err := u.session.siteWithJournal(ctx)
	if err != nil {
		return err
	}
	if id != "" {
		if err := u.knownTranscript(site, id); err != nil {
			return err
		}
	}
	evidence, err := incident.GatherEvidence(ctx, site, id)
	if runs, _ := site.Memory.WatchedRuns(); err != nil && len(runs) == 0 && adminapi.IsTransient(err) {
		f := *u.exit.explain(err)
		f.details = append(f.details, "There is no transcript of this site on this machine.", "Nothing was written.")
		return &f
	}
	if err != nil {
		return err
	}
	written, err := writeEvidence(evidence, o)
	if err != nil {
		return err
	}
	if u.out.JSON() {
		return u.out.PrintValue(evidenceJSON{written, evidence.Transcript, evidence.Files(), evidence.Absent})
	}
	for _, absent := range evidence.Absent {
		u.out.Note("missing from the zip: " + absent)
	}
	return u.out.PrintLine("written: " + written)
}

// evidenceJSON is what was written, for scripts.
type evidenceJSON struct {
	File       string   `json:"file"`
	Transcript string   `json:"transcript,omitempty"`
	Files      []string `json:"files"`
	Absent     []string `json:"absent"`
}

// writeEvidence writes the zip whole or not at all, for its owner only.
func writeEvidence(e incident.Evidence, o evidenceOptions) (path string, err error) {
	if o.out == "" {
		return operation.WriteNew(e.Name, e.Write)
	}
	var content bytes.Buffer
	if err := e.Write(&content); err != nil {
		return "", err
	}
	return o.out, renameio.WriteFile(o.out, content.Bytes(), 0o600, renameio.WithStaticPermissions(0o600))
}

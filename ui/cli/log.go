package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// logCommand is "geodeck log": the record of what this machine has sent to the site.
type logCommand struct {
	command.Env

	since  string
	limit  int
	verify bool

	site, address string // whose record it is
}

func newLogCommand(s command.Env) *cobra.Command {
	l := &logCommand{Env: s}
	cmd := &cobra.Command{
		Use:   "log [RECORD]",
		Short: "List what this machine has sent to change the site, show one record, or check them all",
		Long: `List what this machine has sent to change the site, newest first: when, what, who, and
the outcome. With RECORD, an id of the list, show that one whole, with its lines.

An outcome is "done" once what the request began is known to have succeeded, such as an upgrade
or the job of an edit. Until its end was seen here it is "accepted"; if it failed, that is said.

The site is not contacted and no token is needed. Times are UTC, by this machine's clock.
Tokens and passwords are never recorded; definitions, settings and licences are recorded
as their checksum.

--verify reads the whole record and exits 1 where a line was changed, added or removed, where
actions.head is missing or older, where a backup or a transcript belongs to a write that is
not in it, or where a backup is gone. Otherwise it says what that proves, and what it does
not.`,
		Example: `  geodeck log --since 2h
  geodeck log --since 2026-11-20 --limit 0 -o jsonl
  geodeck log --verify`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if l.verify && (cmd.Flags().Changed("since") || cmd.Flags().Changed("limit") || len(args) > 0) {
				return exit.BadInputf("--verify checks all records: leave out RECORD, --since and --limit")
			}
			return l.run(command.First(args))
		},
	}
	set := cmd.Flags()
	set.StringVar(&l.since, "since", "", "only from then on: 90m, 2h, 7d, 2026-11-20 or 2026-11-20T14:00 (UTC)")
	set.IntVar(&l.limit, "limit", 20, "at most this many, the newest (0: all)")
	set.BoolVar(&l.verify, "verify", false, "check that nothing in the record was changed, added or removed")
	command.Complete(cmd, "since", []string{"1h", "24h", "7d"})
	command.Complete(cmd, "limit", nil)
	return cmd
}

func (l *logCommand) run(id string) error {
	since, err := parseSince(l.since, l.Session.Clock().Now())
	switch {
	case err != nil:
		return exit.BadInput("", err)
	case l.limit < 0:
		return exit.BadInputf("--limit takes 0 or more")
	}
	record, err := l.Session.Record()
	if errors.Is(err, fs.ErrNotExist) && id == "" {
		return l.printNone()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return noRecord(id)
	}
	if err != nil {
		return session.UnreadRecord(err)
	}
	if l.verify {
		return l.check(record)
	}
	chosen, err := l.Session.Settings()
	if err != nil {
		return err
	}
	l.site, l.address = chosen.Marked.Name, record.Site()
	all, err := record.Actions(0)
	if err != nil {
		return session.UnreadRecord(err)
	}
	if id != "" {
		return l.show(record, all, id)
	}
	return l.list(record, all, since)
}

func noRecord(id string) error {
	return exit.BadInput("List the records: {command:log}",
		fmt.Errorf("there is no record %q of this site on this machine", plain.Clip(id, 100)))
}

// sinceForms are the points of time that --since takes, in UTC where they name no zone.
var sinceForms = []string{"2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04",
	"2006-01-02 15:04:05", time.RFC3339Nano}

// parseSince reads a span of time before now, or a point of time; the zero time for neither.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, is := strings.CutSuffix(text, "d"); is {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if span, err := time.ParseDuration(text); err == nil && span >= 0 {
		return now.Add(-span), nil
	}
	for _, form := range sinceForms {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("--since takes a span such as 2h or 7d, or a day such as 2026-11-20, not %q",
		plain.Clip(text, 60))
}

// recordJSON is a record for scripts.
type recordJSON struct {
	ID         string                    `json:"id"`
	Time       *time.Time                `json:"time"`    // null where a damaged line no longer says it
	Site       string                    `json:"site"`    // as config.yaml calls it now; empty for an address
	Address    string                    `json:"address"` // of the site
	Change     string                    `json:"change"`  // what the request does, such as definition, rollback or health-run
	Operation  string                    `json:"operation"`
	Subject    string                    `json:"subject"`
	Target     string                    `json:"target"`
	Path       string                    `json:"path"`
	Fields     url.Values                `json:"fields"` // as they were recorded
	By         string                    `json:"by"`
	User       string                    `json:"user"` // of the site; empty where it was not known
	Program    string                    `json:"program"`
	ServerTime adminapi.Millis           `json:"serverTime"` // when it was sent, by the site's clock; 0 where that was not known
	Outcome    string                    `json:"outcome"`
	Recorded   bool                      `json:"outcomeRecorded"`
	Finished   *time.Time                `json:"finished"` // when the outcome was recorded
	Open       bool                      `json:"open"`     // stands in the way of the next write on its target
	Kind       string                    `json:"kind"`     // of the error
	Message    string                    `json:"message"`  // of the error
	Explicit   bool                      `json:"explicit"` // the site itself answered with the error
	Note       string                    `json:"note"`     // how the outcome was found out later
	Overridden bool                      `json:"overridden"`
	Verdict    string                    `json:"verdict"` // how it ended: succeeded, failed, rolled back, partly kept; empty where that was not seen
	Because    string                    `json:"because"`
	Settled    *time.Time                `json:"settled"`  // when the verdict was recorded
	Accepted   []journal.AcceptedFinding `json:"accepted"` // before it was sent; none in records of earlier versions
	Lines      []jsontext.Value          `json:"lines,omitzero"`
}

func (l *logCommand) body(r journal.Record) recordJSON {
	body := recordJSON{
		ID: r.ID, Time: known(r.Time), Site: l.site, Address: l.address, Change: string(r.Kind), Operation: r.Operation,
		Subject: r.Subject, Target: r.Target, Path: r.Path, Fields: r.Fields,
		By: r.By, User: r.User, Program: r.Program, ServerTime: r.Server, Outcome: r.Outcome.String(), Recorded: !r.Pending(),
		Open: r.Open(),
		Kind: r.ErrorKind, Message: r.Message, Explicit: r.Explicit, Note: r.Note, Overridden: r.Overridden,
		Verdict: string(r.Verdict), Because: r.Because, Settled: known(r.Settled), Accepted: r.Accepted,
	}
	if !r.Pending() {
		body.Finished = &r.Finished
	}
	return body
}

// printNone says that nothing was recorded, which is no error.
func (l *logCommand) printNone() error {
	if l.verify && l.Out.JSON() {
		return l.Out.PrintValue(verifyBody(journal.Verification{}))
	}
	if l.Out.JSON() {
		return output.PrintList(l.Out, []recordJSON{})
	}
	return l.Out.PrintLine("There is no record of this site on this machine.")
}

func (l *logCommand) list(record *journal.Journal, all []journal.Record, since time.Time) error {
	shown := slices.DeleteFunc(slices.Clone(all),
		func(r journal.Record) bool { return !r.Time.IsZero() && r.Time.Before(since) })
	v, err := record.Verify()
	switch {
	case err != nil && len(all) == 0:
		return session.UnreadRecord(err)
	case err != nil:
		l.Out.Note("warning: the record could not be checked: " + plain.Line(err.Error()))
	case len(v.Faults) > 0:
		l.Out.Note("warning: the record is not as it was written: {command:log --verify}")
	}
	found := len(shown)
	if l.limit > 0 && found > l.limit {
		shown = shown[:l.limit]
	}
	if l.Out.JSON() {
		return output.PrintList(l.Out, lists.Each(shown, l.body))
	}
	switch {
	case len(all) == 0:
		return l.Out.PrintLines(v.Empty()...)
	case found == 0:
		return l.Out.PrintLine("Nothing was sent since " + output.FormatTime(since) + ".")
	}
	columns := fitting(l.Out, []string{"RECORD", "SENT", "OUTCOME", "OPERATION", "SUBJECT", "WHO", "PROGRAM", "NOTE"})
	err = output.PrintEach(l.Out, shown, columns, func(o *output.Renderer, r journal.Record) []output.Cell {
		return o.Row(r.ID, output.FormatTime(r.Time), outcomeCell(o, r), r.Operation, cmp.Or(r.Subject, "-"),
			cmp.Or(r.By, "-"), cmp.Or(r.Program, "-"), cmp.Or(r.Because, r.Note, r.Message, "-"))
	})
	if err != nil || found == len(shown) {
		return err
	}
	l.Out.Note(fmt.Sprintf("the newest %d of %d records; --limit 0 lists all", len(shown), found))
	return nil
}

var toneStatus = map[operation.Tone]output.Status{
	operation.ToneUnknown: output.Unknown, operation.ToneBad: output.Bad, operation.ToneWarn: output.Bad,
	operation.ToneRunning: output.Warned, operation.ToneGood: output.Good,
}

// outcomeCell shows the outcome of a record.
func outcomeCell(o *output.Renderer, r journal.Record) output.Cell {
	result := operation.ResultOf(r)
	return o.StatusCell(toneStatus[result.Tone()], result.Text())
}

func (l *logCommand) show(record *journal.Journal, all []journal.Record, id string) error {
	at := slices.IndexFunc(all, func(r journal.Record) bool { return r.ID == id })
	if at < 0 {
		return noRecord(id)
	}
	r := all[at]
	lines, err := record.RecordLines(id)
	if err != nil {
		return session.UnreadRecord(err)
	}
	if l.Out.JSON() {
		body := l.body(r)
		for _, line := range lines {
			raw := jsontext.Value(line.JSON)
			if !raw.IsValid() {
				raw, _ = json.Marshal(strings.ToValidUTF8(string(line.JSON), "\uFFFD"))
			}
			body.Lines = append(body.Lines, raw)
		}
		return l.Out.PrintValue(body)
	}
	o := l.Out.Renderer()
	rows := o.Fields("Record", r.ID, "Operation", r.Operation, "Subject", r.Subject, "Path", r.Path, "Sent",
		output.FormatTime(r.Time))
	if !r.Server.IsZero() {
		rows = append(rows, o.Field("Site's clock", output.FormatTime(r.Server.Time())))
	}
	rows = append(rows, o.Fields("By", r.By, "Site's user", r.User, "Program", r.Program,
		"Outcome", outcomeCell(o, r), "Recorded", output.FormatTime(r.Finished))...)
	for _, row := range rows {
		row[1].Text = cmp.Or(row[1].Text, "-")
	}
	rows = append(rows, o.Given("Error", r.Message, "Note", r.Note)...)
	if r.Verdict != "" {
		rows = append(rows, o.Field("Ended", output.FormatTime(r.Settled)+", "+cmp.Or(r.Because, string(r.Verdict))))
	}
	for _, a := range r.Accepted {
		rows = append(rows, o.Field("Accepted", a.String()))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Fields)) {
		rows = append(rows, o.Field("Field "+name, strings.Join(r.Fields[name], ", ")))
	}
	for _, line := range lines {
		text := output.FormatTime(line.Time) + "  " + line.Event
		if !line.Intact {
			text += "  changed since it was written"
		}
		rows = append(rows, o.Field("Line "+strconv.Itoa(line.Number), text))
	}
	return l.Out.PrintRows(rows)
}

// verifyJSON is what --verify found, for scripts.
type verifyJSON struct {
	Intact bool        `json:"intact"`
	Fault  *faultJSON  `json:"fault"` // the first
	Faults []faultJSON `json:"faults"`
	journal.Verification
	From   *time.Time `json:"from"`
	To     *time.Time `json:"to"`
	Unread string     `json:"unread"` // why a transcript was not checked; empty where all were
}

type faultJSON struct {
	journal.Fault
	Time *time.Time `json:"time"`
}

// verifyBody is what was found in JSON.
func verifyBody(v journal.Verification) verifyJSON {
	body := verifyJSON{Intact: len(v.Faults) == 0, Verification: v, From: known(v.From), To: known(v.To),
		Faults: lists.Each(v.Faults, func(f journal.Fault) faultJSON { return faultJSON{f, known(f.Time)} })}
	if v.Unread != nil {
		body.Unread = v.Unread.Error()
	}
	if !body.Intact {
		body.Fault = &body.Faults[0]
	}
	return body
}

// known is a time, nil where that is not known.
func known(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// maxFaults is how many faults are told one by one; JSON has all.
const maxFaults = 6

// check verifies the record. One that is not as it was written is no error of the program:
// exit code 1.
func (l *logCommand) check(record *journal.Journal) error {
	v, err := record.Verify()
	if err != nil {
		return session.UnreadRecord(err)
	}
	if l.Out.JSON() {
		if err := l.Out.PrintValue(verifyBody(v)); err != nil {
			return err
		}
	}
	path := filepath.Join(record.Folder(), journal.LogName)
	if len(v.Faults) == 0 {
		told := v.Proof(output.FormatTime)
		switch {
		case l.Out.JSON():
			return nil
		case v.Lines > 0:
			told = append(told, path)
		}
		return l.Out.PrintLines(told...)
	}
	f := exit.New(exit.Failed, "", errors.New(v.Faults[0].Sentence(output.FormatTime)))
	for _, more := range v.Faults[1:min(maxFaults, len(v.Faults))] {
		f.Details = append(f.Details, plain.Capital(more.Sentence(output.FormatTime))+".")
	}
	if more := len(v.Faults) - maxFaults; more > 0 {
		f.Details = append(f.Details, "And "+strconv.Itoa(more)+" more; -o json lists all.")
	}
	f.Details = append(f.Details, v.Faults[0].Meaning(), "The record: "+path)
	f.Advice = "Copy that folder before anything else changes it, and find out who could write to it.\n" +
		"Recording goes on. For a new record, move " + journal.LogName + ", " + journal.HeadName + ", backups and transcripts away."
	return f
}

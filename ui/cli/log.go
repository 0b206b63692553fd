package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
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
	limit  uint
	verify bool
	anchor string // the file of anchors
	all    bool   // sites
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
not.

--anchor FILE adds a line to FILE that says how the record ends now. Keep it where nobody who
can write to the record can change it. --verify --anchor FILE also exits 1 where a line that
it says is another one now, also where the whole record was written anew.`,
		Example: `  geodeck log --since 2h
  geodeck log --since 2026-11-20 --limit 0 -o jsonl
  geodeck log --all-sites --since 1d
  geodeck log --anchor gis.anchors
  geodeck log --verify --anchor gis.anchors`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			switch anchors := given("anchor"); {
			case (l.verify || anchors) && (given("since") || given("limit") || len(args) > 0):
				return exit.BadInputf("--verify and --anchor are about all records: leave out RECORD, --since and --limit")
			case anchors && l.anchor == "":
				return exit.BadInputf("--anchor names no file")
			case l.all && (l.verify || anchors || given("site") || given("url") || len(args) > 0):
				return exit.BadInputf("--all-sites lists: leave out RECORD, --verify, --anchor, --site and --url")
			}
			return l.run(cmd.Context(), command.First(args))
		},
	}
	set := cmd.Flags()
	set.StringVar(&l.since, "since", "", "only from then on: 90m, 2h, 7d, 2026-11-20 or 2026-11-20T14:00 (UTC)")
	set.UintVar(&l.limit, "limit", 20, "at most this many, the newest (0: all)")
	set.BoolVar(&l.verify, "verify", false, "check that nothing in the record was changed, added or removed")
	set.StringVar(&l.anchor, "anchor", "", "file of anchors: adds how the record ends now; with --verify checks them (-: standard output or input)")
	set.BoolVar(&l.all, "all-sites", false, "list the records of all sites of this machine")
	command.Complete(cmd, "since", []string{"1h", "24h", "7d"})
	command.Complete(cmd, "limit", nil)
	return cmd
}

func (l *logCommand) run(ctx context.Context, id string) error {
	since, err := parseSince(l.since, l.Session.Clock().Now())
	if err != nil {
		return exit.BadInput("", err)
	}
	if l.all {
		return l.listAll(since)
	}
	record, err := l.Session.Record()
	none := errors.Is(err, fs.ErrNotExist)
	if err != nil && !none {
		return session.UnreadRecord(err)
	}
	switch {
	case none && id == "" && l.anchor == "" && !(l.verify && l.Out.JSON()):
		return l.list(nil, since, []string{"There is no record of this site on this machine."})
	case l.verify || l.anchor != "":
		return l.check(ctx, record)
	case none:
		return noRecord(id)
	}
	all, v, err := l.read(record, "log --verify")
	switch {
	case err != nil:
		return session.UnreadRecord(err)
	case id != "":
		return l.show(record, all, id)
	}
	return l.list(all, since, v.Empty())
}

// read reads the records of a site, with its name now and its address where they have none. check is the command that
// tells what is wrong with them.
func (l *logCommand) read(
	record *journal.Journal, check string,
) (all []journal.Record, v journal.Verification, err error) {
	if all, err = record.Actions(0); err != nil {
		return nil, v, err
	}
	for i := range all {
		of := &all[i].Sender
		of.Site, of.Address = cmp.Or(of.Site, record.Name()), cmp.Or(of.Address, record.Site())
	}
	switch v, err = record.Verify(); {
	case record.Site() == "":
		l.Out.Note("warning: the record could not be checked, its site is not known: " + record.Folder())
		return all, v, nil
	case err != nil && len(all) > 0:
		l.Out.Note("warning: the record could not be checked: " + plain.Line(err.Error()))
		return all, v, nil
	case len(v.Faults) > 0:
		l.Out.Note("warning: the record is not as it was written: " + operation.CommandText(check))
	}
	return all, v, err
}

// listAll lists the records of all sites. One that cannot be read hides no other, and is told at the end.
func (l *logCommand) listAll(since time.Time) error {
	records, err := l.Session.Records()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return session.UnreadRecord(err)
	}
	var all []journal.Record
	var unread error
	for _, record := range records {
		check := "log --verify --url " + record.Site() + "/admin"
		if record.Name() != "" {
			check = "log --verify --site " + record.Name()
		}
		one, _, err := l.read(record, check)
		if all = append(all, one...); err != nil {
			unread = cmp.Or(unread, session.UnreadRecord(fmt.Errorf("%s: %w", record.Folder(), err)))
		}
	}
	slices.SortStableFunc(all, func(a, b journal.Record) int { return b.Time.Compare(a.Time) })
	return cmp.Or(l.list(all, since, []string{"Nothing was sent from this machine yet."}), unread)
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
	if span, err := adminapi.ParseSpan(text); err == nil {
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

// senderJSON is who has sent a write, for scripts: the site as config.yaml called it then, or calls it now where a record
// of an earlier version does not say it.
type senderJSON struct {
	Site    string `json:"site"` // empty where the address was given
	Address string `json:"address"`
	Account string `json:"account"` // this and what follows is empty in records of earlier versions
	Host    string `json:"host"`
	Process int    `json:"process"`
	Command string `json:"command"` // that was run
	Reason  string `json:"reason"`
}

// recordJSON is a record for scripts.
type recordJSON struct {
	ID        string     `json:"id"`
	Time      *time.Time `json:"time"`   // null where a damaged line no longer says it
	Change    string     `json:"change"` // what the request does, such as definition, rollback or health-run
	Operation string     `json:"operation"`
	Subject   string     `json:"subject"`
	Target    string     `json:"target"`
	Path      string     `json:"path"`
	Fields    url.Values `json:"fields"` // as they were recorded
	By        string     `json:"by"`     // account, host and process
	senderJSON
	User       string                    `json:"user"` // of the site; empty where it was not known
	Program    string                    `json:"program"`
	ServerTime *time.Time                `json:"serverTime"` // when it was sent, by the site's clock; null where that was not known
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

func bodyOf(r journal.Record) recordJSON {
	body := recordJSON{
		ID: r.ID, Time: adminapi.Moment(r.Time), senderJSON: senderJSON(r.Sender), Change: string(r.Kind), Operation: r.Operation,
		Subject: r.Subject, Target: r.Target, Path: r.Path, Fields: r.Fields,
		By: r.By, User: r.User, Program: r.Program, ServerTime: r.Server.Moment(), Outcome: r.Outcome.String(), Recorded: !r.Pending(),
		Open: r.Open(),
		Kind: r.ErrorKind, Message: r.Message, Explicit: r.Explicit, Note: r.Note, Overridden: r.Overridden,
		Verdict: string(r.Verdict), Because: r.Because, Settled: adminapi.Moment(r.Settled), Accepted: r.Accepted,
	}
	if !r.Pending() {
		body.Finished = adminapi.Moment(r.Finished)
	}
	return body
}

// list lists records, the newest first. empty is what is said where there are none at all.
func (l *logCommand) list(all []journal.Record, since time.Time, empty []string) error {
	shown := slices.DeleteFunc(slices.Clone(all),
		func(r journal.Record) bool { return !r.Time.IsZero() && r.Time.Before(since) })
	found := len(shown)
	if l.limit > 0 && uint(found) > l.limit {
		shown = shown[:l.limit]
	}
	if l.Out.JSON() {
		return output.PrintList(l.Out, lists.Each(shown, bodyOf))
	}
	switch {
	case len(all) == 0:
		return l.Out.PrintLines(empty...)
	case found == 0:
		return l.Out.PrintLine("Nothing was sent since " + output.FormatTime(since) + ".")
	}
	columns := []string{"RECORD", "SENT", "OUTCOME", "OPERATION", "SUBJECT", "USER", "WHO", "PROGRAM", "REASON", "NOTE"}
	if l.all {
		columns = slices.Insert(columns, 2, "SITE")
	}
	err := output.PrintEach(l.Out, shown, fitting(l.Out, columns), func(o *output.Renderer, r journal.Record) []output.Cell {
		row := o.Row(r.ID, output.FormatTime(r.Time), outcomeCell(o, r), r.Operation, cmp.Or(r.Subject, "-"),
			cmp.Or(r.User, "-"), cmp.Or(r.By, "-"), cmp.Or(r.Program, "-"), cmp.Or(r.Reason, "-"),
			cmp.Or(r.Because, r.Note, r.Message, "-"))
		if l.all {
			row = slices.Insert(row, 2, o.Row(cmp.Or(r.Site, r.Address, "-"))...)
		}
		return row
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
		body := bodyOf(r)
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
	rows = append(rows, o.Fields("By", r.By, "Site's user", r.User, "Site", r.Site, "Address", r.Address, "Command", r.Command,
		"Reason", r.Reason, "Program", r.Program,
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

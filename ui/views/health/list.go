package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/reporting"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// reportList is the list of reports: the run in progress, opened files, and the reports of
// the site.
type reportList struct {
	child
	views.Fetch // of the list at the site

	host     listHost
	rows     *rows.List[entryKey]
	entries  *entries
	files    []entry                    // newest first
	coming   []adminapi.ReportSummary   // pages of an unfinished fetch
	quiet    bool                       // nobody has asked for that fetch
	unlisted *reporting.NotOfferedError // set where the site does not offer the list: it has what is known here

	next int // where the page begins that is fetched when its place comes into sight; 0 for none

	cache views.Drawn[frame[*entries], string] // the strip
}

// listHost is what the list needs from the view.
type listHost interface {
	// followNow shows the report under the cursor.
	followNow() tea.Cmd
	// forgetKept lets go the reports that were kept on this machine.
	forgetKept() tea.Cmd
	// removed shows another report after one has been removed from the list.
	removed(key entryKey) tea.Cmd
	// compareWith compares two reports.
	compareWith(a, b entryKey) tea.Cmd
	// reportBefore returns the report that one is compared with, unless others are marked.
	reportBefore(e entry) (entryKey, bool)
}

func newReportList(c child, host listHost) reportList {
	l := reportList{child: c, host: host, rows: rows.New[entryKey](c.Env.Theme)}
	l.arrange()
	return l
}

// Commands returns the commands for the report under the cursor.
func (l *reportList) Commands() []views.Command {
	compare := l.compareRow()
	compare.Key, compare.Word = "C", "compare"
	return []views.Command{
		compare,
		{ID: "health.delete", Key: "D", Name: "delete report", Enabled: l.cannotDelete, Needs: "a report under the cursor", Run: l.confirmDelete,
			Help: "Delete the chosen report at the site; a file is only closed."},
	}
}

// marks returns the commands that mark reports for a comparison, and go to failed ones.
func (l *reportList) marks() []views.Command {
	marks := l.rows.Marks()[:1] // one by one: a comparison is of two
	marks[0].Group, marks[0].Help = reportGroup, "Mark or unmark a report to compare, and go to the next."
	jump := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			if l.selectFailed(by) {
				return nil
			}
			if l.next > 0 {
				return views.Tell(views.Info, "No other report that was read failed. Go to the end of the list.")
			}
			return views.Tell(views.Info, "No other report failed.")
		}
	}
	return append(marks,
		views.Command{ID: "health.next-failed-report", Key: "n", Name: "next failed report", Browses: true, Run: jump(1),
			Help: "Go to the next report that did not pass."},
		views.Command{ID: "health.previous-failed-report", Key: "N", Name: "previous failed report", Browses: true, Run: jump(-1),
			Help: "Go to the previous report that did not pass."})
}

// selectFailed moves the cursor to the next report below or above it that did not pass.
func (l *reportList) selectFailed(by int) bool {
	at, ok := l.rows.Selected()
	for i := at + by; ok && i >= 0 && i < len(l.entries.items); i += by {
		e := l.entries.items[i]
		if v := l.entries.verdict(e); e.key.origin != fromRun && v != health.Running && !v.Good() && l.rows.Select(e.key) {
			return true
		}
	}
	return false
}

// compareRow compares with a report by its id, or without one the marked reports; also from
// within a comparison.
func (l *reportList) compareRow() views.Command {
	return views.Command{ID: "health.compare", Name: "compare", Argument: "report id", Optional: true,
		Choices: l.otherIDs, Enabled: l.cannotCompare, With: l.compareTo,
		Help: "Compare the two marked reports, or this one with the one before."}
}

// SetSize gives the list its cells.
func (l *reportList) SetSize(width, height int) {
	l.child.SetSize(width, height)
	l.rows.SetSize(width, max(0, height-listHead))
}

// arrange updates the rows.
func (l *reportList) arrange() {
	var items []entry
	if l.run != nil {
		items = append(items, entry{l.run.key(), adminapi.ReportSummary{Name: l.run.name, StartTime: adminapi.MillisOf(l.run.started)}})
	}
	items = append(items, l.files...)
	for _, s := range l.site {
		items = append(items, entry{entryKey{fromSite, s.ID}, s})
	}
	l.entries = &entries{items: items, shared: l.shared, times: l.Env.Times}
	l.rows.Set(l.entries)
}

// reveal clears the filter and puts the cursor on an entry.
func (l *reportList) reveal(key entryKey) {
	l.arrange()
	l.rows.SetFilter("")
	l.rows.Select(key)
}

// selected returns the entry under the cursor.
func (l *reportList) selected() (entry, bool) {
	i, ok := l.rows.Selected()
	if !ok {
		return entry{}, false
	}
	return l.entries.items[i], true
}

// noneSelected says why no entry is under the cursor.
func (l *reportList) noneSelected() string {
	switch {
	case l.rows.Len() > 0:
		return ""
	case l.rows.All() == 0:
		return "No report is on the screen."
	}
	return "No report is selected."
}

// noReportYet is why nothing is done with a run.
const noReportYet = "This run has no report yet."

// noReport says why no report is under the cursor: none at all, or a run.
func (l *reportList) noReport() string {
	if e, ok := l.selected(); ok && e.key.origin == fromRun {
		return noReportYet
	}
	return l.noneSelected()
}

// cannotCompare says why the report under the cursor cannot be compared.
func (l *reportList) cannotCompare() string {
	if why := l.noReport(); why != "" || l.rows.All() > 1 {
		return why
	}
	return "There is no other report to compare with."
}

// cannotDelete says why the report under the cursor cannot be deleted.
func (l *reportList) cannotDelete() string {
	if e, _ := l.selected(); e.key.origin == fromSite && l.readOnly() {
		return "geodeck was started with --read-only: no report can be deleted."
	}
	return l.noReport()
}

// addSite adds a new report to those of the site.
func (l *reportList) addSite(s adminapi.ReportSummary) {
	l.dropSite(s.ID)
	l.site = append(l.site, s)
	reporting.NewestFirst(l.site)
}

func (l *reportList) dropSite(id string) {
	l.site = slices.DeleteFunc(l.site, func(s adminapi.ReportSummary) bool { return s.ID == id })
}

// addFile adds an opened file, before the others.
func (l *reportList) addFile(e entry) {
	l.dropFile(e.key)
	l.files = slices.Insert(l.files, 0, e)
}

func (l *reportList) dropFile(key entryKey) {
	l.files = slices.DeleteFunc(l.files, func(e entry) bool { return e.key == key })
}

// older returns the reports of the site from before r, newest first.
func (s *shared) older(r *adminapi.Report) []entryKey {
	var keys []entryKey
	if !s.has(r) {
		return nil
	}
	for _, other := range s.site {
		if other.ID != r.ID && other.StartTime < r.StartTime && len(keys) < reporting.TrendDepth {
			keys = append(keys, entryKey{fromSite, other.ID})
		}
	}
	return keys
}

// has reports whether the site lists a report: one from a file may be of another site, whose tests these
// reports tell nothing of.
func (s *shared) has(r *adminapi.Report) bool {
	return slices.ContainsFunc(s.site, func(other adminapi.ReportSummary) bool { return other.ID == r.ID })
}

// newest returns the newest report of the site that has ended, if it is from after r.
func (s *shared) newest(r *adminapi.Report) []entryKey {
	if !s.has(r) {
		return nil
	}
	for _, other := range s.site {
		if !other.EndTime.IsZero() {
			if other.ID == r.ID || other.StartTime <= r.StartTime {
				break
			}
			return []entryKey{{fromSite, other.ID}}
		}
	}
	return nil
}

// compareTo compares the report under the cursor with another one by its id; without one it
// compares those that are marked, or with the report before.
func (l *reportList) compareTo(id string) tea.Cmd {
	e, _ := l.selected()
	switch id = strings.TrimSpace(id); id {
	case "":
		return l.compareMarked(e)
	case e.key.id:
		return views.Tell(views.Warning, "That is the chosen report itself.")
	}
	other := entryKey{fromSite, id}
	for _, file := range l.files {
		if file.summary.ID == id || file.key.id == id {
			other = file.key
		}
	}
	return l.host.compareWith(other, e.key)
}

// compareMarked compares two marked reports, one with the report under the cursor, or that one
// with the one before.
func (l *reportList) compareMarked(e entry) tea.Cmd {
	var marked []entryKey
	for _, i := range l.rows.Chosen() {
		if key := l.entries.items[i].key; key.origin != fromRun {
			marked = append(marked, key)
		}
	}
	switch {
	case len(marked) > 2:
		return views.Tell(views.Warning, "More than two reports are marked. Mark two.")
	case len(marked) == 2:
		return l.host.compareWith(marked[0], marked[1])
	case len(marked) == 1 && marked[0] != e.key:
		return l.host.compareWith(marked[0], e.key)
	}
	before, ok := l.host.reportBefore(e)
	if !ok && l.next > 0 {
		return views.Tell(views.Info, "No older report was read yet. Go to the end of the list.")
	}
	if !ok {
		return views.Tell(views.Info, "No report is older. Mark another one with space.")
	}
	return l.host.compareWith(before, e.key)
}

// cannotCompareGood says why the report under the cursor cannot be compared with a good one.
func (l *reportList) cannotCompareGood() string {
	return cmp.Or(l.NoSite(), l.cannotCompare())
}

// before returns the newest report from before an entry.
func (l *reportList) before(e entry) (key entryKey, ok bool) {
	latest := adminapi.Millis(-1)
	for _, item := range l.entries.items {
		if start := item.summary.StartTime; item.key.origin != fromRun && item.key != e.key && start < e.summary.StartTime && start > latest {
			key, ok, latest = item.key, true, start
		}
	}
	return key, ok
}

// otherIDs returns the ids of the reports that the chosen one can be compared with.
func (l *reportList) otherIDs() []views.Choice {
	chosen, _ := l.selected()
	return l.ids(func(e entry) bool { return e.key != chosen.key && e.key.origin != fromRun })
}

// siteIDs returns the ids of the reports of the site.
func (l *reportList) siteIDs() []views.Choice {
	return l.ids(func(e entry) bool { return e.key.origin == fromSite })
}

// ids returns the ids of some reports, each with its start, verdict and name.
func (l *reportList) ids(some func(entry) bool) (ids []views.Choice) {
	for _, e := range l.entries.items {
		if some(e) {
			note := l.Env.Times.Site().Short(e.summary.StartTime.Time()) + "  " + l.entries.verdict(e).String() + "  " + entryName(e)
			ids = append(ids, views.Choice{Text: e.key.id, Note: note})
		}
	}
	return ids
}

// confirmDelete asks for confirmation to delete a report at the site; it closes a file.
func (l *reportList) confirmDelete() tea.Cmd {
	e, _ := l.selected()
	if e.key.origin == fromFile {
		l.dropFile(e.key)
		return tea.Batch(l.remove(e.key), views.Tell(views.Info, "Closed. The file stays where it is."))
	}
	return l.Unlocked(func() tea.Cmd { return l.deleteQuestion(e, false) }, nil)
}

// deleteQuestion opens the confirmation. After a sign-in it opens by itself (unrequested): an
// earlier answer does not count any more.
func (l *reportList) deleteQuestion(e entry, unrequested bool) tea.Cmd {
	consequence := "The site deletes it permanently. Export it first if needed."
	if health.SystemMade(e.summary) {
		consequence = "The platform made this report, after an upgrade or on a schedule. " + consequence
	}
	site := l.Env.Site
	return views.Send(views.Open{Unrequested: unrequested, Dialog: widget.NewConfirm(l.Env.Theme, widget.Question{
		ID: "health.delete", Text: "Delete the report " + entryName(e) + "?", Consequence: consequence,
		Word: deleteWord(entryName(e)), Yes: "delete it", No: "keep it",
		Copy: l.Copies(func() (operation.Change, tea.Cmd) { return deletionOf(e), nil }),
		Then: l.Scope.Write(func(ctx context.Context) tea.Msg {
			result := site.DeleteReports(ctx, deletionOf(e), nil)
			return views.Retry{Do: func() tea.Cmd { return l.deleted(e, result) }}
		}),
	})})
}

func deletionOf(e entry) operation.ReportDeletion {
	return operation.ReportDeletion{IDs: []string{e.key.id}, Name: entryName(e)}
}

// maxDeleteWord is the longest name, in characters, that has to be typed to delete a report.
const maxDeleteWord = 40

// deleteWord is what has to be typed to delete a report: its name, or "delete" where that cannot
// be typed as it is shown, or is too long for that.
func deleteWord(name string) string {
	if len(name) > maxDeleteWord || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "delete"
	}
	return name
}

// deleted tells the result of deleting a report.
func (l *reportList) deleted(e entry, r operation.Result) tea.Cmd {
	name := entryName(e)
	switch {
	case r.Done():
		l.dropSite(e.key.id)
		return tea.Batch(l.remove(e.key), views.Tell(views.Success, "Deleted "+name+"."))
	case r.WantsSignIn():
		return l.failed(fmt.Errorf("the report %s was not deleted: %w", name, r.Err), "delete", func() tea.Cmd { return l.deleteQuestion(e, true) })
	case !r.Known():
		return tea.Batch(l.fetch(), views.NotDone(r))
	}
	return views.NotDone(r)
}

// remove updates the view after an entry has been removed from the list.
func (l *reportList) remove(key entryKey) tea.Cmd {
	l.reports.drop(key)
	l.rows.Unmark()
	l.arrange()
	return l.host.removed(key)
}

// View draws the heading and the entries.
func (l *reportList) View() string {
	room, at := l.Width-len(indent), l.rows.Position()
	if l.next > 0 && at != "" {
		at += "+"
	}
	body := l.rows.View()
	if l.rows.Len() == 0 {
		text := "No report matches."
		if l.next > 0 {
			text = "None of the newest " + strconv.Itoa(len(l.site)) + " reports matches."
		}
		body = l.rows.Unmatched(text, "", views.Keys("{key:health.back} shows all again."))
	}
	return l.inks.Headed(l.Width, l.Height, body,
		l.inks.Beside(indent+l.title(room-len(at)-2), at, l.Width),
		l.cache.For(frameOf(&l.child, l.entries), func() string { return indent + l.strip(room) }))
}

// strip draws the verdicts of the newest reports of the site, newest last, and in words how many
// failed.
func (l *reportList) strip(width int) string {
	shown := l.site[:max(0, min(len(l.site), width-len("  99 failed")))]
	if len(shown) == 0 {
		return ""
	}
	var b strings.Builder
	failed := 0
	for i := len(shown) - 1; i >= 0; i-- {
		v := health.JudgeWhole(shown[i].Result, shown[i].State)
		b.WriteString(l.inks.sign(v))
		if v.Bad() {
			failed++
		}
	}
	note := strconv.Itoa(failed) + " failed" // of as many as are drawn
	return b.String() + "  " + l.inks.Muted.On(cmp.Or(firstFitting(width-len(shown)-2, note+", newest last"), note))
}

// title returns the heading, with how many reports are marked and what for.
func (l *reportList) title(width int) string {
	title, marked := l.inks.title(l.rows.Focused()).On("Reports"), l.rows.Marked()
	if marked == 0 && l.unlisted != nil {
		return title + "  " + l.inks.Muted.On("known here; the site offers no list")
	}
	if marked == 0 {
		return title
	}
	note := l.inks.Glyphs.Marked + " " + strconv.Itoa(marked) + " marked"
	for _, text := range []string{note + views.Keys(": {key:health.compare} compares"), note} {
		if len("Reports  ")+ansi.StringWidth(text) <= width {
			return title + "  " + l.inks.Accent.On(text)
		}
	}
	return title
}

// emptyView draws why there is no report to show.
func (l *reportList) emptyView(width, height int) string {
	return l.inks.Headed(width, height, l.inks.Sentences(l.emptyText(), width, max(0, height-listHead)), indent+l.inks.Accent.On("Reports"), "")
}

func (l *reportList) emptyText() []string {
	open := views.Keys("Press {key:health.open} to open a saved report.")
	switch {
	case l.Env.Offline:
		return []string{"There is no site.", "", open, "Type :add site to add one."}
	case errors.Is(l.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the reports could not be read.", "", views.Keys("Press {key:health.refresh} to refresh."), open}
	case l.Err != nil, l.Unreachable != nil:
		lines := l.NotRead()
		if l.Env.Kept != nil {
			lines = append(lines, "No list of reports was kept on this machine.")
		}
		return append(lines, open)
	case l.Loading || l.Updated.IsZero():
		return []string{"Reading the reports" + l.inks.Glyphs.Ellipsis}
	}
	if l.unlisted != nil {
		return []string{views.Sentence(l.unlisted.Error()), "The reports that you make here are listed.", "", views.Keys("Press {key:health.run} to run a health check."), open}
	}
	return []string{"No reports yet.", "", views.Keys("Press {key:health.run} to run a health check."), open}
}

// tooOldView draws the whole view for a site without health checks.
func (l *reportList) tooOldView(width, height int) string {
	version := cmp.Or(plain.Line(l.Env.State.Version.Value.FullVersion), "an older version")
	lines := []string{
		"",
		l.inks.Heading.On("No health checks at this site"),
		"",
		"Installed is " + l.inks.Strong.On(version) + "; health checks need 11.2 or newer.",
		"",
		"You can still open and compare saved reports: " + l.inks.Key.On(views.KeyOf("health.open")),
	}
	if height < len(lines)+2 {
		lines = lines[1:]
	}
	for i := range lines {
		lines[i] = " " + indent + lines[i]
	}
	return l.inks.Block(lines, width, height)
}

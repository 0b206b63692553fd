package health

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// The sizes of pages: a short first one arrives quickly.
const (
	firstPage = 100
	laterPage = 1000
)

// reportList is the list of reports: the run in progress, opened files, and the reports of
// the site.
type reportList struct {
	child
	views.Fetch // of the list at the site

	host    listHost
	focused bool
	rows    *rows.List[entryKey]
	entries *entries
	files   []entry // newest first
	site    []adminapi.ReportSummary
	coming  []adminapi.ReportSummary // pages of an unfinished fetch
	version string                   // of a site that is too old
}

// listHost is what the list needs from the view.
type listHost interface {
	// followNow shows the report under the cursor.
	followNow() tea.Cmd
	// removed shows another report after one has been removed from the list.
	removed(key entryKey) tea.Cmd
	// compareWith compares two reports.
	compareWith(a, b entryKey) tea.Cmd
}

func newReportList(c child, host listHost) reportList {
	l := reportList{child: c, host: host, rows: rows.New[entryKey](c.Env.Theme)}
	l.arrange()
	return l
}

// Commands returns the commands for the report under the cursor.
func (l *reportList) Commands() []views.Command {
	another := func() bool { return l.atReport() && l.rows.All() > 1 }
	return []views.Command{
		{ID: "health.mark", Binding: views.Key("compare", "c"), Name: "compare marked", Group: reportGroup, Enabled: another, Run: views.Do(l.markOrCompare),
			Help: "Mark a report; on a second report, compare the two."},
		l.compareRow(),
		{ID: "health.delete", Binding: views.Key("", "D"), Name: "delete report", Group: reportGroup, Enabled: l.atReport, Run: views.Do(l.confirmDelete),
			Help: "Delete the chosen report at the site; a file is only closed."},
	}
}

// compareRow compares with a report by its id, also from within a comparison.
func (l *reportList) compareRow() views.Command {
	return views.Command{ID: "health.compare", Name: "compare", Argument: "report id", Group: reportGroup,
		Choices: l.otherIDs, Enabled: l.atReport, Run: l.compareTo,
		Help: "Compare the chosen report with another one."}
}

// SetSize gives the list its cells.
func (l *reportList) SetSize(width, height int) {
	l.child.SetSize(width, height)
	l.rows.SetSize(width, max(0, height-listHead))
}

// SetFocused sets whether the list has the focus.
func (l *reportList) SetFocused(on bool) {
	l.focused = on
	l.rows.SetFocused(on)
}

// arrange updates the rows.
func (l *reportList) arrange() {
	var items []entry
	if l.run != nil {
		items = append(items, l.run.entry())
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

// atReport reports whether the cursor is on a report, not on a run.
func (l *reportList) atReport() bool {
	e, ok := l.selected()
	return ok && e.key.origin != fromRun
}

// fetch fetches the list from its first page.
func (l *reportList) fetch() tea.Cmd {
	l.Loading, l.coming = true, nil
	return l.Scope.Do("reports", l.page(adminapi.ReportQuery{Start: 1, Num: firstPage}))
}

// pageRead is one page of the list.
type pageRead struct {
	page adminapi.ReportPage
	err  error
}

func (l *reportList) page(query adminapi.ReportQuery) func(context.Context) tea.Msg {
	client := l.Env.Site.Client
	return func(ctx context.Context) tea.Msg {
		page, err := client.Reports(ctx, query)
		return pageRead{page, err}
	}
}

// versionRead is the version of a site that is too old.
type versionRead struct{ version string }

// Update handles the replies for the list.
func (l *reportList) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pageRead:
		if msg.err != nil {
			return l.fetchFailed(msg.err)
		}
		return l.addPage(msg.page)
	case versionRead:
		l.version = msg.version
	case reportDeleted:
		return l.deleted(msg)
	}
	return nil
}

// addPage adds one page. The first fetch shows each page at once; later ones replace the
// list when they are complete.
func (l *reportList) addPage(page adminapi.ReportPage) tea.Cmd {
	known := map[string]bool{}
	for _, s := range l.coming {
		known[s.ID] = true
	}
	for _, s := range page.Runs {
		if !known[s.ID] {
			l.coming = append(l.coming, s)
			known[s.ID] = true
		}
	}
	if l.Updated.IsZero() || page.Last() || len(l.site) < len(l.coming) {
		l.site = slices.Clone(l.coming)
		operation.NewestFirst(l.site)
	}
	l.Succeeded(l.Env.Clock.Now())
	l.version = ""
	l.arrange()
	var more tea.Cmd
	if l.Loading = !page.Last(); l.Loading {
		more = l.Scope.Do("reports", l.page(adminapi.ReportQuery{Start: page.NextStart, Num: laterPage}))
	}
	return views.Batch(more, l.host.followNow())
}

func (l *reportList) fetchFailed(err error) tea.Cmd {
	if errors.Is(err, adminapi.KindCancelled) {
		l.Loading = false
		return nil
	}
	if wait := l.Failed(l.Env.Clock.Now(), err); wait > 0 {
		l.coming = nil
		return l.Scope.After(l.Env.Clock, wait, "reports", l.page(adminapi.ReportQuery{Start: 1, Num: firstPage}))
	}
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return l.Scope.RetryAfterSignIn(err, "reports", l.fetch)
	case l.tooOld():
		client := l.Env.Site.Client
		return l.Scope.Do("version", func(ctx context.Context) tea.Msg {
			root, err := client.Root(ctx)
			if err != nil {
				return nil // the screen shows a text without it
			}
			return versionRead{root.FullVersion}
		})
	case l.Updated.IsZero():
		return nil
	}
	return views.TellError(err)
}

// tooOld reports whether the site has no health checks.
func (l *reportList) tooOld() bool { return errors.Is(l.Err, adminapi.KindVersionTooOld) }

// addSite adds a new report to those of the site.
func (l *reportList) addSite(s adminapi.ReportSummary) {
	l.dropSite(s.ID)
	l.site = append(l.site, s)
	operation.NewestFirst(l.site)
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
func (l *reportList) older(r *adminapi.Report) []entryKey {
	var keys []entryKey
	for _, s := range l.site {
		if s.ID != r.ID && s.StartTime < r.StartTime && len(keys) < historyDepth {
			keys = append(keys, entryKey{fromSite, s.ID})
		}
	}
	return keys
}

// markOrCompare marks the report under the cursor, or compares it with the one marked
// before.
func (l *reportList) markOrCompare() tea.Cmd {
	e, ok := l.selected()
	switch {
	case !ok:
		return nil
	case e.key.origin == fromRun:
		return views.Tell(views.Warning, "This run has no report yet.")
	case l.mark == e.key:
		l.mark = entryKey{}
		return nil
	case l.mark == entryKey{}:
		l.mark = e.key // shown in the headings
		return nil
	}
	return l.host.compareWith(l.mark, e.key)
}

// compareTo compares the report under the cursor with another one by its id.
func (l *reportList) compareTo(id string) tea.Cmd {
	e, ok := l.selected()
	id = strings.TrimSpace(id)
	switch {
	case id == "":
		return l.markOrCompare()
	case !ok || e.key.origin == fromRun:
		return views.Tell(views.Warning, "Choose a report first.")
	case e.key.id == id:
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

// otherIDs returns the ids of the reports that the chosen one can be compared with.
func (l *reportList) otherIDs() []string {
	var ids []string
	chosen, _ := l.selected()
	for _, item := range l.entries.items {
		if item.key != chosen.key && item.key.origin != fromRun {
			ids = append(ids, item.key.id)
		}
	}
	return ids
}

// confirmDelete asks for confirmation to delete a report at the site; it closes a file.
func (l *reportList) confirmDelete() tea.Cmd {
	e, ok := l.selected()
	switch {
	case !ok:
		return nil
	case e.key.origin == fromRun:
		return views.Tell(views.Warning, "This run has no report yet.")
	case e.key.origin == fromFile:
		l.dropFile(e.key)
		return views.Batch(l.remove(e.key), views.Tell(views.Info, "Closed. The file stays where it is."))
	case l.readOnly():
		return views.Tell(views.Warning, "This dashboard was started read-only: it deletes no report.")
	}
	return l.deleteQuestion(e, false)
}

// deleteQuestion opens the confirmation. After a sign-in it opens by itself (unrequested): an
// earlier answer does not count any more.
func (l *reportList) deleteQuestion(e entry, unrequested bool) tea.Cmd {
	consequence := "The site deletes it for good. Export it first if it may be needed."
	if health.SystemMade(e.summary) {
		consequence = "The platform made this report by itself, after an upgrade or by a schedule. " + consequence
	}
	client := l.Env.Site.Client
	return views.Send(views.Open{Unrequested: unrequested, Dialog: widget.NewConfirm(l.Env.Theme, widget.Question{
		ID: "health.delete", Text: "Delete the report " + entryName(e) + "?", Consequence: consequence,
		Yes: "delete it", No: "keep it",
		Then: l.Scope.Write(func(ctx context.Context) tea.Msg {
			outcome, err := client.DeleteReports(ctx, e.key.id)
			return reportDeleted{e, outcome, err}
		}),
	})})
}

// reportDeleted is the outcome of deleting a report.
type reportDeleted struct {
	entry   entry
	outcome adminapi.Outcome
	err     error
}

func (l *reportList) deleted(r reportDeleted) tea.Cmd {
	name := entryName(r.entry)
	switch r.outcome {
	case adminapi.OutcomeDone:
		l.dropSite(r.entry.key.id)
		return views.Batch(l.remove(r.entry.key), views.Tell(views.Success, "Deleted "+name+"."))
	case adminapi.OutcomeUnknown:
		text := "It is not known whether " + name + " was deleted; the list is refreshed."
		return views.Batch(l.fetch(), views.Send(views.Notice{Level: views.Failure, Text: text, Err: r.err}))
	case adminapi.OutcomeRefused:
		return l.failed(r.err, "delete", func() tea.Cmd { return l.deleteQuestion(r.entry, true) })
	}
	return views.Send(views.Notice{Level: views.Failure, Text: "Nothing was sent: " + r.err.Error(), Err: r.err})
}

// remove updates the view after an entry has been removed from the list.
func (l *reportList) remove(key entryKey) tea.Cmd {
	l.reports.drop(key)
	if l.mark == key {
		l.mark = entryKey{}
	}
	l.arrange()
	return l.host.removed(key)
}

// View draws the heading and the entries.
func (l *reportList) View() string {
	room, at := l.Width-len(indent), l.rows.Position()
	body := l.rows.View()
	if l.rows.Len() == 0 {
		body = firstLine(body) + l.inks.Sentences([]string{"No report matches.", "", "esc shows all again."}, l.Width, l.Height-listHead-1)
	}
	return l.pane([]string{indent + l.inks.headline(rows.Ink{}, l.title(room-len(at)-1), at, room)}, listHead, body)
}

// title returns the heading, with the mark and what it is for.
func (l *reportList) title(width int) string {
	title := l.inks.title(l.focused).On("Reports")
	if (l.mark == entryKey{}) {
		return title
	}
	for _, text := range []string{" marked: c on another report compares", " marked: c compares", " marked"} {
		if text = l.inks.Glyphs.Marked + text; len("Reports  ")+ansi.StringWidth(text) <= width {
			return title + "  " + l.inks.Accent.On(text)
		}
	}
	return title
}

// emptyView draws why there is no report to show.
func (l *reportList) emptyView(width, height int) string {
	whole := child{Base: views.Base{Width: width, Height: height}, shared: l.shared}
	return whole.pane([]string{indent + l.inks.Accent.On("Reports")}, listHead, l.inks.Sentences(l.emptyText(), width, max(0, height-listHead)))
}

func (l *reportList) emptyText() []string {
	const open = "o opens a saved report."
	switch {
	case l.Env.Offline:
		return []string{"There is no site.", "", open}
	case errors.Is(l.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the reports could not be read.", "", "R refreshes.", open}
	case l.Err != nil:
		return []string{views.Sentence(l.Err.Error()), "", "R refreshes.", open}
	case l.Unreachable != nil:
		return []string{"The platform does not answer. The list refreshes automatically.", "", views.Sentence(l.Unreachable.Err.Error()), "", open}
	case l.Loading || l.Updated.IsZero():
		return []string{"Reading the reports" + l.inks.Glyphs.Ellipsis}
	}
	return []string{"There are no reports yet.", "", "r runs a health check.", open}
}

// tooOldView draws the whole view for a site without health checks.
func (l *reportList) tooOldView(width, height int) string {
	version := plain.Line(l.version)
	if version == "" {
		version = "an older version"
	}
	lines := []string{
		"",
		l.inks.Heading.On("No health checks at this site"),
		"",
		"It runs " + l.inks.Strong.On(version) + "; health checks came with 11.2.",
		"",
		"A saved report can still be opened and compared: " + l.inks.Key.On("o"),
	}
	if height < len(lines)+2 {
		lines = lines[1:]
	}
	for i := range lines {
		lines[i] = " " + indent + lines[i]
	}
	return views.Block(lines, width, height, l.inks.Glyphs.Ellipsis)
}

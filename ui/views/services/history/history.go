// Package history is the tab of older definitions and placement policies of a service, as they are kept
// on this machine. Start at [Model]; view.go draws it. It leads to the review of a version by its [Host].
package history

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// Backup is an older definition or placement policy, kept before it was replaced.
type Backup struct {
	operation.Version
	target editing.Target
}

// key tells the backup from others of its service.
func (b Backup) key() string { return b.target.Part.String() + " " + b.ID }

// What is the part in one word.
func (b Backup) What() string {
	if b.target.Part == editing.Placement {
		return "placement"
	}
	return b.target.Part.String()
}

// Failed says how the edit failed before which the newest version was saved, empty where it did not.
// It reads files.
func (b Backup) Failed(site operation.Site) string { return site.Memory.FailedEdit(b.target, b.Backup) }

// Backups lists the backups of a service, the newest first, without what changed. It reads
// files.
func Backups(site operation.Site, service adminapi.ServiceRef) ([]Backup, error) {
	return versionsOf(service, func(target editing.Target) (versions []operation.Version, err error) {
		kept, err := site.Memory.History(target)
		for _, b := range kept {
			versions = append(versions, operation.Version{Backup: b})
		}
		return versions, err
	})
}

// withChanges lists the backups with what changed. What the site has is fetched; where it
// cannot be, the newest row does not say what changed.
func withChanges(ctx context.Context, site operation.Site, service adminapi.ServiceRef) ([]Backup, error) {
	return versionsOf(service, func(target editing.Target) ([]operation.Version, error) {
		if kept, err := site.Memory.History(target); len(kept) == 0 {
			return nil, err
		}
		read, _ := site.Read(ctx, target)
		return site.Memory.Versions(target, read.Document)
	})
}

func versionsOf(service adminapi.ServiceRef, list func(editing.Target) ([]operation.Version, error)) (past []Backup, err error) {
	for _, part := range []editing.Part{editing.Definition, editing.Placement} {
		target := editing.Target{Service: service, Part: part}
		versions, unread := list(target)
		err = errors.Join(err, unread)
		for _, v := range versions {
			past = append(past, Backup{v, target})
		}
	}
	slices.SortStableFunc(past, func(a, b Backup) int { return b.Saved.Compare(a.Saved) })
	return past, err
}

// Host is what the history needs of the view around it.
type Host interface {
	// Restore leads to the review of an older version.
	Restore(edit editing.Edit, saved time.Time) tea.Cmd
	// Compare shows what differs, in place of the tab.
	Compare(title string, differences document.Review) tea.Cmd
}

// Model is the tab.
type Model struct {
	plan.Step
	host    Host
	service adminapi.ServiceRef
	list    *rows.List[string]
	past    []Backup
	read    bool
	updated time.Time
	problem error
	json    *jsonview.View // a backup that is shown in place of the list; nil for none
	beside  version        // what of a version stands beside the list in a wide terminal
	news    int            // counts what came that may change what is shown
	cache   views.Drawn[detailKey, []string]
}

// New returns the tab of a service, which has read nothing yet.
func New(base views.Base, inks *rows.Inks, service adminapi.ServiceRef, host Host) *Model {
	h := &Model{Step: plan.NewStep(base, inks), service: service, host: host, list: rows.New[string](base.Env.Theme)}
	h.tabulate()
	return h
}

// open runs the part of a command that reads, and then what that returns.
func (h *Model) open(read func(context.Context) (then func() tea.Cmd, err error)) tea.Cmd {
	return h.Work("compare", func(ctx context.Context) func() tea.Cmd {
		then, err := read(ctx)
		switch {
		case errors.Is(err, adminapi.KindSignIn):
			return func() tea.Cmd {
				return h.Scope.RetryAfterSignIn(err, "compare", func() tea.Cmd { return h.open(read) })
			}
		case err != nil:
			return func() tea.Cmd { return views.TellError(err) }
		}
		return then
	})
}

// Update takes typed keys.
func (h *Model) Update(msg tea.Msg) tea.Cmd {
	h.news++
	if key, typed := msg.(tea.KeyMsg); typed && h.json != nil {
		h.json.Type(key)
	} else if typed {
		h.list.Type(key)
	}
	return nil
}

// Rested shows the version on which the cursor rests.
func (h *Model) Rested() tea.Cmd {
	h.list.Rest()
	return h.follow()
}

// About says what the tab is for.
func (h *Model) About() string {
	return views.Keys("Versions that were read or written from this machine; {key:services.restore} restores one.")
}

// Fetch is nil: the history is on this machine.
func (h *Model) Fetch() *views.Fetch { return nil }

// Updated is when the history was read last.
func (h *Model) Updated() time.Time { return h.updated }

// Leave is empty: nothing would be lost.
func (h *Model) Leave() string { return "" }

// CapturesText reports whether a filter is being typed.
func (h *Model) CapturesText() bool { return h.Filtering() }

// Filtering reports whether a filter is being typed.
func (h *Model) Filtering() bool {
	if h.json != nil {
		return h.json.Typing()
	}
	return h.list.Typing()
}

// Close ends the requests of the tab.
func (h *Model) Close() tea.Cmd {
	h.Step.Close()
	h.Scope.Forget("history")
	return nil
}

// Shown reads the backups.
func (h *Model) Shown() tea.Cmd {
	site, service := h.Env.Site, h.service
	return h.Work("history", func(ctx context.Context) func() tea.Cmd {
		past, err := withChanges(ctx, site, service)
		return func() tea.Cmd {
			h.read, h.problem = true, err
			if err == nil {
				h.past, h.updated = past, h.Env.Clock.Now()
			}
			h.lay()
			return h.follow()
		}
	})
}

// Back goes one step out inside, and reports whether there was one.
func (h *Model) Back() bool {
	switch {
	case h.json != nil && h.json.Filter() != "":
		h.json.SetFilter("")
	case h.json != nil:
		h.json = nil
	case h.list.Filter() != "":
		h.list.SetFilter("")
	case h.list.Marked() > 0:
		h.list.Unmark()
	default:
		return false
	}
	return true
}

const group = "One service"

var footer = []string{rows.Up, rows.Down, "services.to-now", "services.restore", "services.compare", "services.json", rows.Mark, rows.Filter,
	"services.next-section", "services.back", "services.explain"}

// Footer lists the rows of the footer.
func (h *Model) Footer() []string { return footer }

// tabulate makes the rows, of which those of a version that is shown as JSON are its own.
func (h *Model) tabulate() {
	listed := func() bool { return h.json == nil && !h.list.Typing() }
	some := func() bool { return listed() && h.list.Len() > 0 }
	on := func(do func(Backup) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd {
			i, _ := h.list.Selected()
			return do(h.past[i])
		}
	}
	mark := h.list.Marks()[:1] // versions to compare are marked one by one
	mark[0].Word = "mark"
	h.Table = slices.Concat(views.When(listed, []views.Command{
		{ID: "services.to-now", Key: "enter", Word: "show change", Name: "show change", Group: group, Enabled: h.noVersion, Run: on(h.showChange),
			Help: "Show what replaced this version."},
		{ID: "services.restore", Key: "w", Word: "restore", Name: "restore", Group: group, Enabled: h.noVersion, Run: on(h.restore),
			Help: "Restore this version (review first)."},
		{ID: "services.compare", Key: "C", Word: "compare", Name: "compare versions", Group: group, Enabled: h.noVersion, Run: on(h.compare),
			Help: "Compare the two marked versions, else this one with the one before."},
		{ID: "services.json", Key: "v", Word: "JSON", Name: "show JSON", Group: group, Enabled: h.noVersion, Run: on(h.show),
			Help: "Show the whole version."},
		editor.RefreshRow("", nil, h.Shown),
	}), views.When(some, slices.Concat(mark, h.list.Filters(), h.list.Moves())))
	if json := h.json; json != nil {
		h.Table = slices.Concat(h.Table, views.When(func() bool { return h.json == json && !json.Typing() }, json.Commands()))
	}
}

// noVersion says why there is no version under the cursor, empty where there is one.
func (h *Model) noVersion() string {
	switch {
	case h.list.Len() > 0:
		return ""
	case !h.read:
		return "The history is still being read."
	case len(h.past) > 0:
		return "No version matches."
	}
	return "There is no older version."
}

// next is the version of the same part after one in the list, or before it, at steps of 1 or -1; nil for none.
func (h *Model) next(b Backup, step int) *Backup {
	at := slices.IndexFunc(h.past, func(o Backup) bool { return o.key() == b.key() })
	for i := at + step; i >= 0 && i < len(h.past); i += step {
		if h.past[i].target.Part == b.target.Part {
			return &h.past[i]
		}
	}
	return nil
}

// showChange shows what replaced a version.
func (h *Model) showChange(b Backup) tea.Cmd { return h.between(b, h.next(b, -1)) }

// compare shows how the older of two marked versions became the newer, without marks how
// the one before became this one.
func (h *Model) compare(b Backup) tea.Cmd {
	var marked []Backup
	for _, i := range h.list.Chosen() {
		marked = append(marked, h.past[i])
	}
	switch {
	case len(marked) == 0:
		if older := h.next(b, 1); older != nil {
			return h.between(*older, &b)
		}
		return views.Tell(views.Info, views.Keys("This is the oldest version. Press {key:services.to-now} to show its change."))
	case len(marked) == 1 && marked[0].key() != b.key():
		marked = append(marked, b)
	}
	switch {
	case len(marked) != 2:
		return views.Tell(views.Info, "Mark two versions to compare, or none (space).")
	case marked[0].target.Part != marked[1].target.Part:
		return views.Tell(views.Warning, "A definition and a placement policy cannot be compared.")
	}
	if marked[0].Saved.After(marked[1].Saved) {
		marked[0], marked[1] = marked[1], marked[0]
	}
	return h.between(marked[0], &marked[1])
}

// between shows how an older version became a newer one, or what the site has now where that is nil. It
// has happened: risks are not said.
func (h *Model) between(older Backup, newer *Backup) tea.Cmd {
	read, name := readNow, "now"
	if newer != nil {
		read, name = newer.read, h.nameOf(*newer)
	}
	site, title := h.Env.Site, "from "+h.nameOf(older)+" to "+name
	return h.open(func(ctx context.Context) (func() tea.Cmd, error) {
		before, err := older.read(ctx, site, older.target)
		if err != nil {
			return nil, err
		}
		after, err := read(ctx, site, older.target)
		if err != nil {
			return nil, err
		}
		differences := older.target.Part.Comparison(before, after)
		differences.Risks = nil
		return func() tea.Cmd { return h.host.Compare(title, differences) }, nil
	})
}

// read reads the version; [readNow] what the site has in its place.
func (b Backup) read(_ context.Context, site operation.Site, _ editing.Target) (*document.Document, error) {
	return site.Memory.ReadBackup(b.target, b.ID)
}

func readNow(ctx context.Context, site operation.Site, of editing.Target) (*document.Document, error) {
	read, err := site.Read(ctx, of)
	return read.Document, err
}

// restore leads to the review of an older version.
func (h *Model) restore(b Backup) tea.Cmd {
	site, why := h.Env.Site, "restoring the "+b.target.Part.String()+" of "+b.Saved.In(h.Env.Times.Local).Format("2006-01-02 15:04:05 -0700")
	return h.open(func(ctx context.Context) (func() tea.Cmd, error) {
		old, err := site.Memory.ReadBackup(b.target, b.ID)
		if err != nil {
			return nil, err
		}
		now, err := readNow(ctx, site, b.target)
		edit := editing.Edit{Target: b.target, Base: now, Edited: old, Why: why}
		return func() tea.Cmd { return h.host.Restore(edit, b.Saved) }, err
	})
}

func (h *Model) show(b Backup) tea.Cmd {
	site, shown := h.Env.Site, jsonview.New(h.Env.Theme)
	return h.open(func(context.Context) (func() tea.Cmd, error) {
		old, err := site.Memory.ReadBackup(b.target, b.ID)
		if err != nil {
			return nil, err
		}
		shown.Set([]byte(old.Masked()))
		return func() tea.Cmd {
			h.json = shown
			h.tabulate()
			h.SetSize(h.Width, h.Height)
			return nil
		}, nil
	})
}

func (h *Model) nameOf(b Backup) string { return h.Env.Times.Moment(b.Saved) }

// SetSize gives the tab its cells.
func (h *Model) SetSize(width, height int) {
	h.Base.SetSize(width, height)
	h.arrange()
	if h.json != nil {
		h.json.SetSize(width, height)
	}
}

// Notes say where the cursor is.
func (h *Model) Notes() []string {
	if h.json != nil {
		return []string{h.json.Position()}
	}
	return []string{h.list.Position()}
}

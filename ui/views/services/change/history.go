package change

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
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
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
		read, _ := editing.Read(ctx, site.Client, target)
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

// HistoryHost is what the history needs of the view around it.
type HistoryHost interface {
	// Restore leads to the review of an older version.
	Restore(edit editing.Edit, saved time.Time) tea.Cmd
	// Compare shows what differs, in place of the tab.
	Compare(title string, differences document.Review) tea.Cmd
}

// History is the tab of older definitions and placement policies.
type History struct {
	views.Base
	host    HistoryHost
	inks    *rows.Inks
	service adminapi.ServiceRef
	list    *rows.List[string]
	past    []Backup
	read    bool
	updated time.Time
	problem error
	json    *jsonview.View // a backup that is shown in place of the list; nil for none
	beside  version        // what of a version stands beside the list in a wide terminal
	news    int            // counts what came that may change what is shown
	cache   views.Drawn[detailKey]
	left    bool // the service was left: late replies are ignored
	table   []views.Command
}

// NewHistory returns a history that has read nothing yet.
func NewHistory(base views.Base, inks *rows.Inks, service adminapi.ServiceRef, host HistoryHost) *History {
	h := &History{Base: base, inks: inks, service: service, host: host, list: rows.New[string](base.Env.Theme)}
	h.tabulate()
	return h
}

// HistoryMsg is a message of a history to itself, which may be closed when it arrives.
type HistoryMsg interface{ History() *History }

// toHistory addresses a message.
type toHistory struct{ history *History }

// History is the one that the message is for.
func (t toHistory) History() *History { return t.history }

// backupsRead are the backups of a service on this machine.
type backupsRead struct {
	toHistory
	past []Backup
	err  error
}

// backupOpened is what one of the commands has read, and what follows from it.
type backupOpened struct {
	toHistory
	read func(context.Context) (then func() tea.Cmd, err error)
	then func() tea.Cmd
	err  error
}

// open runs the part of a command that reads, and then what that returns.
func (h *History) open(read func(context.Context) (then func() tea.Cmd, err error)) tea.Cmd {
	return h.Scope.Do("compare", func(ctx context.Context) tea.Msg {
		then, err := read(ctx)
		return backupOpened{toHistory{h}, read, then, err}
	})
}

// Update takes the replies of the history, and typed keys.
func (h *History) Update(msg tea.Msg) tea.Cmd {
	if _, reply := msg.(HistoryMsg); reply && h.left {
		return nil
	}
	h.news++
	switch msg := msg.(type) {
	case backupsRead:
		h.read, h.problem = true, msg.err
		if msg.err == nil {
			h.past, h.updated = msg.past, h.Env.Clock.Now()
		}
		h.lay()
		return h.follow()
	case version:
		if msg.key == h.beside.key {
			h.beside = msg
		}
	case backupOpened:
		switch {
		case errors.Is(msg.err, adminapi.KindSignIn):
			return h.Scope.RetryAfterSignIn(msg.err, "compare", func() tea.Cmd { return h.open(msg.read) })
		case msg.err != nil:
			return views.TellError(msg.err)
		}
		return msg.then()
	case tea.KeyMsg:
		if h.json != nil {
			h.json.Type(msg)
		} else {
			h.list.Type(msg)
		}
	}
	return nil
}

// Rested shows the version on which the cursor rests.
func (h *History) Rested() tea.Cmd {
	h.list.Rest()
	return h.follow()
}

// Title names the tab.
func (h *History) Title() string { return "History" }

// About says what the tab is for.
func (h *History) About() string {
	return views.Keys("Versions that were read or written from this machine; {key:services.restore} restores one.")
}

// Fetch is nil: the history is on this machine.
func (h *History) Fetch() *views.Fetch { return nil }

// Updated is when the history was read last.
func (h *History) Updated() time.Time { return h.updated }

// Leave is empty: nothing would be lost.
func (h *History) Leave() string { return "" }

// CapturesText reports whether a filter is being typed.
func (h *History) CapturesText() bool { return h.Filtering() }

// Filtering reports whether a filter is being typed.
func (h *History) Filtering() bool {
	if h.json != nil {
		return h.json.Typing()
	}
	return h.list.Typing()
}

// Close ends the requests of the tab.
func (h *History) Close() tea.Cmd {
	h.left = true
	h.Scope.Forget("history")
	return nil
}

// Shown reads the backups.
func (h *History) Shown() tea.Cmd {
	site, service := h.Env.Site, h.service
	return h.Scope.Do("history", func(ctx context.Context) tea.Msg {
		past, err := withChanges(ctx, site, service)
		return backupsRead{toHistory{h}, past, err}
	})
}

func byWhom(who string) string {
	if who = plain.Line(who); who != "" {
		return " by " + who
	}
	return ""
}

// Back goes one step out inside, and reports whether there was one.
func (h *History) Back() bool {
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

const serviceGroup = "One service"

// Commands lists every row of the history.
func (h *History) Commands() []views.Command { return h.table }

var historyFooter = []string{rows.Up, rows.Down, "services.to-now", "services.restore", "services.compare", "services.json", rows.Mark, rows.Filter,
	"services.next-section", "services.back", "services.explain"}

// Footer lists the rows of the footer.
func (h *History) Footer() []string { return historyFooter }

// tabulate makes the rows, of which those of a version that is shown as JSON are its own.
func (h *History) tabulate() {
	listed := func() bool { return h.json == nil && !h.list.Typing() }
	some := func() bool { return listed() && h.list.Len() > 0 }
	on := func(do func(Backup) tea.Cmd) func(string) tea.Cmd {
		return func(string) tea.Cmd {
			i, _ := h.list.Selected()
			return do(h.past[i])
		}
	}
	mark := h.list.Marks()[:1] // versions to compare are marked one by one
	mark[0].Binding = views.Key("mark", mark[0].Keys()...)
	h.table = slices.Concat(views.When(listed, []views.Command{
		{ID: "services.to-now", Binding: views.Key("show change", "enter"), Name: "show change", Group: serviceGroup, Enabled: h.noVersion, Run: on(h.showChange),
			Help: "Show what replaced this version."},
		{ID: "services.restore", Binding: views.Key("restore", "w"), Name: "restore", Group: serviceGroup, Enabled: h.noVersion, Run: on(h.restore),
			Help: "Restore this version (review first)."},
		{ID: "services.compare", Binding: views.Key("compare", "C"), Name: "compare versions", Group: serviceGroup, Enabled: h.noVersion, Run: on(h.compare),
			Help: "Compare the two marked versions, else this one with the one before."},
		{ID: "services.json", Binding: views.Key("JSON", "v"), Name: "show JSON", Group: serviceGroup, Enabled: h.noVersion, Run: on(h.show),
			Help: "Show the whole version."},
		editor.RefreshRow("", nil, h.Shown),
	}), views.When(some, slices.Concat(mark, h.list.Filters(), h.list.Moves())))
	if json := h.json; json != nil {
		h.table = slices.Concat(h.table, views.When(func() bool { return h.json == json && !json.Typing() }, json.Commands()))
	}
}

// noVersion says why there is no version under the cursor, empty where there is one.
func (h *History) noVersion() string {
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

// showChange shows what replaced a version.
func (h *History) showChange(b Backup) tea.Cmd {
	at := slices.IndexFunc(h.past, func(o Backup) bool { return o.key() == b.key() })
	for i := at - 1; i >= 0; i-- {
		if h.past[i].target.Part == b.target.Part {
			return h.between(b, h.past[i])
		}
	}
	site, title := h.Env.Site, "from "+h.nameOf(b)+" to now"
	return h.open(func(ctx context.Context) (func() tea.Cmd, error) {
		old, now, err := oldAndNow(ctx, site, b)
		if err != nil {
			return nil, err
		}
		differences := pastChange(b.target.Part, old, now)
		return func() tea.Cmd { return h.host.Compare(title, differences) }, nil
	})
}

func oldAndNow(ctx context.Context, site operation.Site, b Backup) (old, now *document.Document, err error) {
	if old, err = site.Memory.ReadBackup(b.target, b.ID); err != nil {
		return nil, nil, err
	}
	read, err := editing.Read(ctx, site.Client, b.target)
	return old, read.Document, err
}

// compare shows how the older of two marked versions became the newer, without marks how
// the one before became this one.
func (h *History) compare(b Backup) tea.Cmd {
	var marked []Backup
	for _, i := range h.list.Chosen() {
		marked = append(marked, h.past[i])
	}
	switch {
	case len(marked) == 0:
		at := slices.IndexFunc(h.past, func(o Backup) bool { return o.key() == b.key() })
		for _, older := range h.past[at+1:] {
			if older.target.Part == b.target.Part {
				return h.between(older, b)
			}
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
	return h.between(marked[0], marked[1])
}

// between shows how an older version became a newer one.
func (h *History) between(older, newer Backup) tea.Cmd {
	site, title := h.Env.Site, "from "+h.nameOf(older)+" to "+h.nameOf(newer)
	return h.open(func(context.Context) (func() tea.Cmd, error) {
		before, err := site.Memory.ReadBackup(older.target, older.ID)
		if err != nil {
			return nil, err
		}
		after, err := site.Memory.ReadBackup(newer.target, newer.ID)
		if err != nil {
			return nil, err
		}
		differences := pastChange(older.target.Part, before, after)
		return func() tea.Cmd { return h.host.Compare(title, differences) }, nil
	})
}

// pastChange is what differs between two versions, without risks: it has happened.
func pastChange(part editing.Part, before, after *document.Document) document.Review {
	differences := part.Comparison(before, after)
	differences.Risks = nil
	return differences
}

// restore leads to the review of an older version.
func (h *History) restore(b Backup) tea.Cmd {
	site, why := h.Env.Site, "restoring the "+b.target.Part.String()+" of "+b.Saved.UTC().Format("2006-01-02 15:04:05Z")
	return h.open(func(ctx context.Context) (func() tea.Cmd, error) {
		old, now, err := oldAndNow(ctx, site, b)
		edit := editing.Edit{Target: b.target, Base: now, Edited: old, Why: why}
		return func() tea.Cmd { return h.host.Restore(edit, b.Saved) }, err
	})
}

func (h *History) show(b Backup) tea.Cmd {
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

func (h *History) nameOf(b Backup) string { return h.Env.Times.Moment(b.Saved) }

// SetSize gives the tab its cells.
func (h *History) SetSize(width, height int) {
	h.Base.SetSize(width, height)
	h.arrange()
	if h.json != nil {
		h.json.SetSize(width, height)
	}
}

// Notes say where the cursor is.
func (h *History) Notes() []string {
	if h.json != nil {
		return []string{h.json.Position()}
	}
	return []string{h.list.Position()}
}

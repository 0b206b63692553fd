package ui

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

const welcomeID = "welcome"

// What the first screen offers.
const (
	toAdd   = "add"
	toDemo  = "demo"
	toFiles = "files"
	toQuit  = "quit"
)

// lookPause is how long the address rests before the first screen looks at it.
const lookPause = 600 * time.Millisecond

// lookLimit is how long such a look may take.
const lookLimit = 8 * time.Second

// welcome is the first screen where no site is known: it adds one, or opens the demo.
type welcome struct {
	*widget.Form
	scope   *views.Scope
	of      part
	entered welcomeFields
	first   bool   // it asks what to do before it asks for a site
	looked  string // the address that was looked at last
}

// welcomeFields are what the form's fields are bound to.
type welcomeFields struct {
	what, address, name string
	production          bool
}

// goToDemo asks for a simulated site.
type goToDemo struct{}

// welcome opens the first screen where the dashboard has no site, unless it has a file: the
// list of sites, or the form where there is none yet.
func (w *siteSwitch) welcome() tea.Cmd {
	if w.options.File != "" || w.options.Sites == nil {
		return nil
	}
	return w.fetch(true)
}

// add opens the form that adds a site.
func (w *siteSwitch) add() tea.Cmd {
	if w.options.Sites == nil {
		return views.TellError(errors.New("sites are not added here"))
	}
	return w.tell(views.Open{Dialog: newWelcome(w.part, false)})
}

// newWelcome makes the form, in the first words that geodeck says where no site is known yet.
func newWelcome(p part, first bool) *welcome {
	title, note := "Add a site", ""
	if first {
		title, note = "Welcome to geodeck", "No site is known yet."
	}
	d := &welcome{scope: views.NewScope(p.env.Context), of: p, first: first, entered: welcomeFields{what: toAdd}}
	d.Form = widget.NewForm(p.env.Theme, widget.FormOptions{
		ID: welcomeID, Title: title, Note: note,
		Build: d.fields, Submit: d.submit, Action: "go on", Stay: true,
		Cancel: views.Tell(views.Info, views.Keys("Add a site later with :add site; {key:quit} quits.")),
	})
	return d
}

// fields asks what to do, and for the site that is added.
func (d *welcome) fields() *huh.Form {
	in := &d.entered
	adding := func() bool { return in.what != toAdd }
	what := huh.NewSelect[string]().Title("What would you like to do?").Value(&in.what).Options(
		huh.NewOption("Add a site", toAdd), huh.NewOption("Open the demo, a simulated site", toDemo),
		huh.NewOption("Open a saved report", toFiles), huh.NewOption("Quit", toQuit))
	address := huh.NewInput().Title("Address").Placeholder("https://gis.example.org/arcgis/admin").Value(&in.address).Validate(required("the address"))
	name := huh.NewInput().Title("Name for it").Placeholder("the first part of the address").Value(&in.name)
	production := huh.NewSelect[bool]().Title("Is it a production site?").Value(&in.production).Options(
		huh.NewOption("no", false), huh.NewOption("yes: read-only until you type its name", true))
	return huh.NewForm(huh.NewGroup(what).WithHide(!d.first), huh.NewGroup(address, name, production).WithHideFunc(adding))
}

// nameFor offers a name for a site by its address: the first part of its host.
func nameFor(address string) string {
	_, host, found := strings.Cut(address, "://")
	if !found {
		host = address
	}
	host, _, _ = strings.Cut(host, "/")
	host, _, _ = strings.Cut(host, ":")
	if label, _, dotted := strings.Cut(host, "."); dotted && label != "www" && strings.Trim(host, "0123456789.") != "" {
		host = label
	}
	return host
}

// Replies is what looks and additions are addressed to.
func (d *welcome) Replies() *views.Scope { return d.scope }

// Update has the address looked at where it has changed.
func (d *welcome) Update(msg tea.Msg) tea.Cmd { return tea.Batch(d.Form.Update(msg), d.look()) }

// look looks at the address once it rests.
func (d *welcome) look() tea.Cmd {
	address := strings.TrimSpace(d.entered.address)
	if address == d.looked || d.entered.what != toAdd {
		return nil
	}
	d.looked = address
	d.SetNote("")
	if !strings.Contains(address, ".") && !strings.Contains(address, "://") {
		d.scope.Forget("look")
		return nil
	}
	sites, raw := d.of.options.Sites, d.entered.address
	return d.scope.After(d.of.pace, lookPause, "look", func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, lookLimit)
		defer cancel()
		found := sites.Look(ctx, address)
		return views.Retry{Do: views.Call(func() {
			if raw == d.entered.address {
				d.SetNote(found)
			}
		})}
	})
}

// submit does what was chosen.
func (d *welcome) submit() tea.Cmd {
	in := d.entered
	switch in.what {
	case toQuit:
		return d.of.tell(quitConfirmed{})
	case toFiles:
		return d.ShutThen(views.Tell(views.Info, "Type :open and the name of a saved report."))
	case toDemo:
		return d.ShutThen(d.of.tell(goToDemo{}))
	}
	address := strings.TrimSpace(in.address)
	entry := SiteEntry{Name: cmp.Or(strings.TrimSpace(in.name), nameFor(address)), Address: address, Production: in.production}
	sites := d.of.options.Sites
	d.Wait("adding " + plain.Line(entry.Name))
	return d.scope.Write(func(context.Context) tea.Msg {
		err := sites.Add(entry)
		return views.Retry{Do: func() tea.Cmd { return d.added(entry.Name, err) }}
	})
}

// added goes to the site that was added, or says in the form why it was not.
func (d *welcome) added(name string, err error) tea.Cmd {
	if err == nil {
		return d.ShutThen(d.of.tell(views.GoToSite{Name: name}))
	}
	field := 0 // the address
	if d.first {
		field = 1
	}
	return d.RetryAt(plain.Capital(err.Error()), field)
}

package ui

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi/operation"
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

// welcome is the first screen where no site is known: it adds one, or opens the demo.
type welcome struct {
	*widget.Form
	scope   *views.Scope
	of      part
	entered welcomeFields
	first   bool               // it asks what to do before it asks for a site
	looked  string             // the address that was looked at last
	found   *operation.Contact // there; nil until it is known
	asking  bool               // what is found decides whether the site is added
	trying  bool               // a look is under way
	doubted bool               // no platform was found: the form asks whether to add the site all the same
}

// welcomeFields are what the form's fields are bound to.
type welcomeFields struct {
	what, address, name string
	production, anyway  bool
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
		title, note = "Welcome to geodeck", "No site is known yet. Type its address, or choose."
	}
	d := &welcome{scope: views.NewScope(p.env.Context), of: p, first: first, entered: welcomeFields{what: toAdd}}
	d.Form = widget.NewForm(p.env.Theme, widget.FormOptions{
		ID: welcomeID, Title: title, Note: note,
		Build: d.fields, Submit: d.submit, Action: "go on", Stay: true, Letters: d.letters,
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
	name := huh.NewInput().Title("Name for it").Placeholder("empty: taken from the address").Value(&in.name)
	production := huh.NewSelect[bool]().Title("Is it a production site?").Value(&in.production).Options(
		huh.NewOption("no", false), huh.NewOption("yes: read-only until you type its name", true))
	adds := []huh.Field{address, name, production}
	if d.doubted {
		adds = append(adds, huh.NewSelect[bool]().Title("No platform answers there. Add it anyway?").Value(&in.anyway).Options(
			huh.NewOption("no: try the address again", false), huh.NewOption("yes: add it", true)))
	}
	return huh.NewForm(huh.NewGroup(what).WithHide(!d.first), huh.NewGroup(adds...).WithHideFunc(adding))
}

// letters reports whether a letter begins the address, although the list of what to do has the cursor.
func (d *welcome) letters() bool {
	return d.first && d.entered.what == toAdd && d.entered.address == "" && d.AtStart()
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

// Update has the address looked at where it has changed. Leaving while it is tried leads back to what was typed.
func (d *welcome) Update(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyMsg); ok && d.asking && key.Type == tea.KeyEsc {
		d.forget()
		return d.again("The address is no longer tried. Nothing was added.")
	}
	return tea.Batch(d.Form.Update(msg), d.look())
}

// look looks at the address once it rests.
func (d *welcome) look() tea.Cmd {
	address := strings.TrimSpace(d.entered.address)
	if address == d.looked || d.asking || d.entered.what != toAdd {
		return nil
	}
	d.looked, d.found, d.entered.anyway = address, nil, false
	d.SetNote("") // which is of another address
	if !strings.Contains(address, ".") && !strings.Contains(address, "://") {
		d.forget()
		return nil
	}
	return d.try(lookPause)
}

// forget ends the look that is under way.
func (d *welcome) forget() {
	d.asking, d.trying = false, false
	d.scope.Forget("look")
}

// try tries the address after a pause.
func (d *welcome) try(pause time.Duration) tea.Cmd {
	d.trying = true
	sites, address := d.of.options.Sites, d.looked
	return d.scope.After(d.of.pace, pause, "look", func(ctx context.Context) tea.Msg {
		found := sites.Look(ctx, address)
		return views.Retry{Do: func() tea.Cmd {
			d.found, d.trying = &found, false
			if d.asking {
				return d.decide()
			}
			d.SetNote(found.Sentence)
			return nil
		}}
	})
}

// submit does what was chosen.
func (d *welcome) submit() tea.Cmd {
	switch d.entered.what {
	case toQuit:
		return d.of.tell(quitConfirmed{})
	case toFiles:
		return d.ShutThen(views.Tell(views.Info, "Type :open and the name of a saved report."))
	case toDemo:
		return d.ShutThen(d.of.tell(goToDemo{}))
	}
	address := strings.TrimSpace(d.entered.address)
	known := address == d.looked && d.found != nil
	if known && (d.found.Platform || d.entered.anyway || !d.doubted) {
		return d.decide()
	}
	d.asking = true
	d.Wait("trying " + plain.Line(address) + ", " + operation.ContactLimit.String() + " at most")
	if address == d.looked && d.trying {
		return nil // what comes back decides
	}
	d.looked, d.found = address, nil
	return d.try(0)
}

// decide adds a site whose platform answers, or that is to be added without it. Else the form asks.
func (d *welcome) decide() tea.Cmd {
	d.asking = false
	in := d.entered
	if !d.found.Platform && !in.anyway {
		d.doubted = true
		d.SetNote("")
		return d.again("Not added. " + d.found.Sentence)
	}
	entry := SiteEntry{Name: cmp.Or(strings.TrimSpace(in.name), nameFor(d.looked)), Address: d.looked, Production: in.production}
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
	return d.again(plain.Capital(err.Error()))
}

// again shows the form with what went wrong, at the address.
func (d *welcome) again(problem string) tea.Cmd {
	field := 0
	if d.first {
		field = 1
	}
	return d.RetryAt(problem, field)
}

package change_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/change"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// host is what is around a flow, and remembers what it is told.
type host struct {
	noChanges string
	marked    []adminapi.ServiceRef
	settled   []change.Settled
	closed    int
}

func (h *host) NoChanges() string                                { return h.noChanges }
func (h *host) Restarts(adminapi.ServiceRef)                     {}
func (h *host) Marked() []adminapi.ServiceRef                    { return h.marked }
func (h *host) MarkOnly(left []adminapi.ServiceRef)              { h.marked = left }
func (h *host) Batch() bool                                      { return false }
func (h *host) Ended() tea.Cmd                                   { return nil }
func (h *host) Rebased(editing.Edit, *document.Document) tea.Cmd { return nil }
func (h *host) Origin(editing.Target) (string, bool)             { return "Definition", false }
func (h *host) Settled(s change.Settled) tea.Cmd {
	h.settled = append(h.settled, s)
	return nil
}
func (h *host) Closed(bool) tea.Cmd {
	h.closed++
	return nil
}

// desk is a flow on a site whose requests are counted.
type desk struct {
	*change.Flow
	t    testing.TB
	host *host
	site operation.Site
	wire *uitest.Wire
}

func (d *desk) Update(msg tea.Msg) tea.Cmd {
	if retry, is := msg.(views.Retry); is {
		return retry.Do()
	}
	return d.Flow.Update(msg)
}

func open(t testing.TB, scenario string) *desk {
	t.Helper()
	site, wire := uitest.NewSite(t, uitest.Scenario(t, scenario)).Counted(t)
	base := views.NewBase(uitest.Env(t, site, uitest.Theme()))
	inks := rows.NewInks(base.Env.Theme)
	d := &desk{t: t, host: &host{}, site: site, wire: wire}
	pods := &cluster.Pods{Base: base, Changed: func(adminapi.ServiceRef, availability.Snapshot, bool) tea.Cmd { return nil }}
	d.Flow = change.NewFlow(base, &inks, d.host, cluster.NewNodes(base), cluster.NewDeployments(), pods)
	d.SetSize(100, 30)
	return d
}

// edit is a change of one value of the definition that the site has.
func (d *desk) edit(path document.Path, raw string) editing.Edit {
	d.t.Helper()
	read, err := editing.Read(d.t.Context(), d.site.Client, editing.DefinitionOf(cities))
	if err != nil {
		d.t.Fatal(err)
	}
	edited, err := read.Document.SetValue(path, raw)
	if err != nil {
		d.t.Fatal(err)
	}
	return editing.Edit{Target: editing.DefinitionOf(cities), Base: read.Document, Edited: edited}
}

func (d *desk) start(edit editing.Edit) {
	d.t.Helper()
	uitest.Drain(d.t, d, d.Start(edit, change.TitleEdit))
	d.shows("review")
}

func (d *desk) shows(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.View(), text) {
			d.t.Errorf("it does not show %q:\n%s", text, d.View())
		}
	}
}

// confirm is the answer to the question whether to send.
func (d *desk) confirm() tea.Cmd {
	d.t.Helper()
	return uitest.AnswerOnly(d.t, uitest.Drain(d.t, d, views.Invoke(d, "services.send", "")), uitest.Keys("y")...)
}

func (d *desk) sent() int { return d.wire.Sent("POST edit") }

func TestAReviewedChangeIsSentOnceHoweverOftenItIsConfirmed(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	d.start(d.edit("maxUsageTime", "700"))
	confirmed := d.confirm()
	uitest.Drain(t, d, tea.Batch(confirmed, confirmed))
	d.shows("The site has the new definition", "back to Definition")
	if len(d.host.settled) != 1 || !d.host.settled[0].Done || d.host.settled[0].Now == nil || d.sent() != 1 {
		t.Errorf("sent %d times, settled %+v", d.sent(), d.host.settled)
	}
	uitest.Drain(t, d, views.Invoke(d, "services.back", ""))
	if d.Active() || d.host.closed != 1 {
		t.Error("it is not closed")
	}
}

func TestAConfirmationOfAnEarlierChangeSendsNothing(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	d.start(d.edit("maxUsageTime", "700"))
	late := d.confirm()
	d.start(d.edit("maxIdleTime", "900"))
	uitest.Drain(t, d, late)
	d.shows("review", "maxIdleTime")
	if d.sent() > 0 {
		t.Error("it was sent")
	}
}

func TestNothingIsSentOnceTheSiteTakesNoChanges(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	d.start(d.edit("maxUsageTime", "700"))
	confirmed := d.confirm()
	d.host.noChanges = "It is closed."
	if told := uitest.NoticeText(t, uitest.Drain(t, d, confirmed)); told != "It is closed." || d.sent() > 0 {
		t.Errorf("told %q, sent %d times", told, d.sent())
	}
}

func TestAChangeThatChangesNothingIsNotReviewed(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	edit := d.edit("maxUsageTime", "700")
	edit.Edited = edit.Base
	told := uitest.NoticeText(t, uitest.Drain(t, d, d.Start(edit, change.TitleEdit)))
	if !strings.Contains(told, "No changes to send") || d.Active() {
		t.Errorf("told %q, active %v", told, d.Active())
	}
}

func TestEachServiceOfSeveralIsSettledOnceItIsDone(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	utilities, err := d.site.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	d.host.marked = utilities.Services[:2]
	d.start(d.edit("maxUsageTime", "707"))
	uitest.Drain(t, d, views.Invoke(d, "services.many", ""))
	_, rest := uitest.Run(d, d.confirm(), 2)
	send, next := rest[0], rest[1:]
	d.wire.Before = func(r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/edit") || d.sent() != 2 {
			return
		}
		for len(next) > 0 && !strings.Contains(d.View(), "service 2 of 3") {
			_, more := uitest.Run(d, next[0], 1)
			next = append(next[1:], more...)
		}
		if len(d.host.settled) != 1 || d.host.settled[0].Edit.Service.Path() != cities.Path() || !d.host.settled[0].Done {
			t.Errorf("settled before the second is sent: %+v", d.host.settled)
		}
	}
	uitest.Drain(t, d, tea.Batch(append([]tea.Cmd{send}, next...)...))
	uitest.Drain(t, d, tea.Batch(next...))
	var settled []string
	for _, s := range d.host.settled {
		settled = append(settled, s.Edit.Service.Path())
	}
	if want := []string{cities.Path(), utilities.Services[0].Path(), utilities.Services[1].Path()}; !slices.Equal(settled, want) || d.sent() != 3 {
		t.Errorf("%d sent, settled %q", d.sent(), settled)
	}
}

func TestTheOutcomeOfALostAnswerIsSearchedAndNothingIsSentTwice(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-answer-lost-not-performed")
	d.start(d.edit("maxUsageTime", "700"))
	uitest.Drain(t, d, d.confirm())
	d.shows("still has the old definition", "look for it")
	if n := d.sent(); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

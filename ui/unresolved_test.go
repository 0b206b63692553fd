package ui_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// sentAndKilled is a site to which a program sent an upgrade right before it was killed.
func sentAndKilled(t *testing.T) (operation.Site, *platform, *simtest.ManualClock) {
	t.Helper()
	return killedAfter(t, "12.0.0.7286", adminapi.Write{Operation: "start the upgrade", Path: "/ctx/admin/system/upgrades/upgrade", Target: adminapi.TargetSite})
}

// killedAfter is a site to which a program sent a write about a subject right before it was killed.
func killedAfter(t *testing.T, subject string, write adminapi.Write) (operation.Site, *platform, *simtest.ManualClock) {
	t.Helper()
	p := &platform{status: 200, body: nothing}
	site, clock := manualSite(t, p)
	site.Memory.Journal = memory(t, clock)
	claim, err := site.Memory.Journal.Claim(write.Target, subject)
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	write.ID, write.Sent, write.Server = 1, clock.Now(), adminapi.MillisOf(clock.Now())
	if err := site.Memory.Journal.BeforeWrite(write); err != nil {
		t.Fatal(err)
	}
	return site, p, clock
}

// becomesKnown has the outcome of the one open request found elsewhere.
func becomesKnown(t *testing.T, site operation.Site) {
	t.Helper()
	open, err := site.Memory.OpenWrites()
	if err != nil || len(open) != 1 {
		t.Fatalf("open %+v, %v", open, err)
	}
	if err := site.Memory.Journal.Resolve(open[0].ID, adminapi.OutcomeDone, "it was found"); err != nil {
		t.Fatal(err)
	}
}

func TestAQuestionAboutARequestWhoseOutcomeAViewHasFoundCloses(t *testing.T) {
	t.Parallel()
	site, _, _ := sentAndKilled(t)
	d, _ := watchingSite(t, site)
	d.see("start the upgrade (12.0.0.7286)")
	d.send(views.HealthEnded)
	d.next()
	d.see("start the upgrade (12.0.0.7286)") // it is as unknown as before
	becomesKnown(t, site)
	d.send(views.HealthEnded)
	d.gone("Outcome unknown")
}

// Whoever types the word of a question goes on for a moment where that closes by itself.
func TestTheRestOfAWordWhoseQuestionHasClosedPressesNothing(t *testing.T) {
	t.Parallel()
	site, _, _ := sentAndKilled(t)
	d, _ := watchingSite(t, site)
	d.see("Outcome unknown")
	d.pace.Advance(2 * time.Second)
	d.text("12.0")
	becomesKnown(t, site)
	d.send(views.HealthEnded)
	d.gone("Outcome unknown")
	d.keys("4 ?")
	d.idle()
	if shown := d.model.View(); strings.Contains(shown, "does nothing here") || !strings.Contains(shown, "this is alpha") {
		t.Errorf("the rest of the word has pressed a key:\n%s", shown)
	}
	d.pace.Advance(time.Second)
	d.keys("4")
	d.see("4 does nothing here")
}

func TestTheDashboardOpensOnARequestOfWhichNobodyKnows(t *testing.T) {
	t.Parallel()
	site, _, clock := sentAndKilled(t)
	d, w := watchingSite(t, site)
	d.see("start the upgrade (12.0.0.7286)")
	d.see("No upgrade is running, and none")
	d.see("From 15:15:00 on you")
	d.keys("n")
	d.gone("Outcome unknown")
	d.keys("W") // nothing failed, but an answer is missing
	d.see("Outcome unknown: start the upgrade (12.0.0.7286)")
	d.keys("enter")
	d.see("y look for it")
	d.keys("n")
	d.gone("Outcome unknown")
	clock.Advance(10 * time.Minute)
	d.keys("2")
	d.see("this is progress")
	before := w.known
	d.palette("unresolved requests")
	d.see("Check the site first")
	d.keys("y") // a key is no word
	d.keys("1 2 . 0 . 0 enter")
	d.see("Only the word")
	open, err := site.Memory.OpenWrites()
	if err != nil || len(open) != 1 {
		t.Fatalf("another word let it go: %+v, %v", open, err)
	}
	d.keys("ctrl+u 1 2 . 0 . 0 . 7 2 8 6 enter")
	d.see("another request may be sent; this sent nothing")
	if open, err := site.Memory.OpenWrites(); err != nil || len(open) != 0 {
		t.Errorf("still open: %+v, %v", open, err)
	}
	if w.known < before+2 { // after the look and after the answer
		t.Errorf("the views are told %d times", w.known-before)
	}
}

func TestTheDashboardSaysWhatReadingSettles(t *testing.T) {
	t.Parallel()
	site, p, clock := sentAndKilled(t)
	clock.Advance(2 * time.Second)
	start := line(2010, 0, "from 11.5 to 12.0.0.7286")
	start.When = adminapi.MillisOf(clock.Now())
	p.says(200, statusOf("in_progress", "1", start))
	d, _ := watchingSite(t, site)
	d.see("is done: the site reports that it has begun")
	if open, err := site.Memory.OpenWrites(); err != nil || len(open) != 0 {
		t.Errorf("still open: %+v, %v", open, err)
	}
}

func TestADamagedRecordIsNoRequestOfAKnownTime(t *testing.T) {
	t.Parallel()
	site, _, clock := sentAndKilled(t)
	path := filepath.Join(site.Memory.Journal.Folder(), journal.LogName)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(content, []byte("upgrade"), []byte("UPGRADE"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	clock.Advance(10 * time.Minute)
	d, _ := watchingSite(t, site)
	d.see("The record of this machine is damaged: line-1")
	d.see("See geodeck log --verify --url ")
	if text := d.model.View(); strings.Contains(text, "sent at -") {
		t.Errorf("it was sent at no time:\n%s", text)
	}
}

func TestASiteThatIsAwayHidesNoOpenRequest(t *testing.T) {
	t.Parallel()
	site, p, _ := sentAndKilled(t)
	p.gone(true)
	d, _ := watchingSite(t, site)
	d.see("start the upgrade (12.0.0.7286)")
	d.see("cannot be read now")
}

func TestWithNothingOpenNothingIsAsked(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: nothing}
	site, clock := manualSite(t, p)
	site.Memory.Journal = memory(t, clock)
	d, _ := watchingSite(t, site)
	d.see("11.5.0.6745")
	d.stays("outcome")
	d.palette("unresolved requests")
	d.see("no unresolved requests")
}

func TestAnotherChangeOfAServiceIsAllowedByTheNameThatAlsoStopsIt(t *testing.T) {
	t.Parallel()
	cities := adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}
	site, _, clock := killedAfter(t, cities.Path(), adminapi.Write{Operation: "edit the service",
		Path: "/ctx/admin/services/SampleWorldCities.MapServer/edit", Target: adminapi.TargetService(cities)})
	d, _ := watchingSite(t, site)
	d.see("Outcome unknown: edit the service (SampleWorldCities.MapServer)")
	d.keys("n")
	d.gone("Outcome unknown")
	clock.Advance(2 * time.Minute)
	d.keys("2")
	d.see("this is progress")
	d.palette("unresolved requests")
	d.see("Type SampleWorldCities and enter to allow another one:")
	d.keys("S a m p l e W o r l d C i t i e s enter")
	d.see("another request may be sent")
}

// sentAndDrafted is a site of sentAndKilled, with a draft of an edit.
func sentAndDrafted(t *testing.T) (operation.Site, editing.Target) {
	t.Helper()
	site, _, _ := sentAndKilled(t)
	cities := editing.Target{Service: adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}, Part: editing.Definition}
	if _, err := site.Memory.SaveEditDraft(cities, operation.EditDraft{Base: "{}", Edited: "{}"}); err != nil {
		t.Fatal(err)
	}
	return site, cities
}

// The list of unfinished work follows what is found out while it is open, and the last row closes it.
func TestTheUnfinishedWorkIsListedAgainWhenAnOutcomeIsFound(t *testing.T) {
	t.Parallel()
	site, cities := sentAndDrafted(t)
	d, _ := watchingSite(t, site)
	d.see("Outcome unknown: start the upgrade (12.0.0.7286)")
	d.see("Draft: definition of SampleWorldCities.MapServer")
	becomesKnown(t, site)
	d.send(views.HealthEnded)
	d.gone("Outcome unknown")
	d.see("Draft: definition of SampleWorldCities.MapServer")
	if err := site.Memory.DeleteEditDraft(cities); err != nil {
		t.Fatal(err)
	}
	d.keys("up")
	d.send(views.HealthEnded)
	d.gone("Unfinished work")
	d.keys("4") // a list asks for no word: the next key is one of the view
	d.see("4 does nothing here")
}

// Where a site is slow to say who is signed in, somebody has gone on to a question of their own by then.
func TestTheUnfinishedWorkWaitsForTheQuestionThatIsOpen(t *testing.T) {
	t.Parallel()
	site, _ := sentAndDrafted(t)
	d, _ := watchingSite(t, site)
	question := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "mine", Text: "Restart the service?", Yes: "restart", No: "leave it"})
	d.send(views.Open{Dialog: question})
	d.idle()
	if shown := d.model.View(); !strings.Contains(shown, "Restart the service?") || strings.Contains(shown, "Unfinished work") {
		t.Errorf("what was begun earlier is over a question:\n%s", shown)
	}
	d.keys("n")
	d.see("Unfinished work")
	d.see("Draft: definition of SampleWorldCities.MapServer")
	d.keys("esc") // comes too early to be an answer
	d.see("Unfinished work")
	d.pace.Advance(time.Second)
	d.keys("esc")
	d.idle()
	if shown := d.model.View(); strings.Contains(shown, "Unfinished work") {
		t.Errorf("it came again:\n%s", shown)
	}
}

// Where a site is slow, somebody is typing a filter by then: those letters are for it.
func TestTheUnfinishedWorkWaitsForWhatIsBeingTyped(t *testing.T) {
	t.Parallel()
	site, _ := sentAndDrafted(t)
	d, view := watchingSite(t, site)
	d.keys("2")
	view.texting = true
	d.idle()
	d.keys("c")
	if shown := d.model.View(); strings.Contains(shown, "Unfinished work") {
		t.Errorf("what was begun earlier is over a text that is typed:\n%s", shown)
	}
	view.texting = false
	d.keys("enter")
	d.see("Unfinished work")
}

// A draft of the rules of a service is unfinished also where its definition was sent.
func TestADraftIsListedBesideWhatWasSentOfTheSameService(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-slow")
	folder := t.TempDir()
	p.Remembering(t, folder)
	edit := p.Edit(t, operationtest.Idle, "907")
	if _, err := p.Memory.SaveEditDraft(edit.Target, operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text()}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, _ = p.ApplyEdit(ctx, edit, func(now operation.EditProgress) {
		if now.Step == operation.StepEditJob {
			cancel()
		}
	})
	if _, err := p.Memory.SaveEditDraft(editing.PlacementOf(operationtest.Cities), operation.EditDraft{Base: "{}", Edited: "{}"}); err != nil {
		t.Fatal(err)
	}
	_ = p.Memory.Journal.Close() // as its program ends
	p.Remembering(t, folder)
	if len(p.Memory.UnseenEnds(p.Clock.Now())) != 1 {
		t.Fatal("the end of the edit was seen")
	}
	d, _ := watchingSite(t, p.Site)
	d.see("Sent, its end was not seen: definition of SampleWorldCities.MapServer")
	if shown := d.model.View(); !strings.Contains(shown, "Draft: placement") { // once the end is found, the list is another one
		t.Errorf("the draft is not listed:\n%s", shown)
	}
}

// A batch that another geodeck has is no unfinished work of this one, and not nothing either.
func TestABatchOfAnotherGeodeckIsListedAsItsOwn(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-third-fails")
	folder := t.TempDir()
	p.Remembering(t, folder)
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	services := append([]adminapi.ServiceRef{operationtest.Cities}, utilities.Services[:3]...)
	batching.Apply(t.Context(), p.Site, batching.PlanMany(t.Context(), p.Site, services, p.Edit(t, operationtest.Idle, "907"), nil), false, nil, nil)
	p.Remembering(t, folder)
	d, _ := watchingSite(t, p.Site)
	d.see("this is alpha")
	d.palette("unfinished work")
	d.see("An edit of 4 services is open in another geodeck")
	d.keys("enter")
	d.see("It goes on there.")
}

// A day stays on one line of the list, and the list says how something is given up.
func TestTheUnfinishedWorkKeepsDaysWholeAndSaysHowToGiveUp(t *testing.T) {
	t.Parallel()
	site, clock := manualSite(t, &platform{status: 200, body: nothing})
	site.Memory.Journal = memory(t, clock)
	for i := range 12 {
		of := editing.Target{Service: adminapi.ServiceRef{Name: "Cities" + strings.Repeat("s", i), Type: "MapServer"}, Part: editing.Definition}
		if _, err := site.Memory.SaveEditDraft(of, operation.EditDraft{Base: "{}", Edited: "{}"}); err != nil {
			t.Fatal(err)
		}
	}
	d, _ := watchingSite(t, site)
	d.see("X discards a draft") // at the start, by itself
	d.keys("esc")
	d.gone("X discards a draft")
	for width := 60; width < 72; width++ {
		d.send(tea.WindowSizeMsg{Width: width, Height: 40})
		d.palette("unfinished work")
		d.see("X discards a draft")
		if text := ansi.Strip(d.model.View()); strings.Contains(text, "-\n") || regexp.MustCompile(`\d-\s*\n`).MatchString(text) {
			t.Errorf("a day is broken at %d cells:\n%s", width, text)
		}
		d.keys("?")
		d.see("Goes on with the entry under the cursor.")
		d.see("Closes the list")
		d.gone("field")
		d.gone("multiple-choice")
		d.keys("esc esc")
		d.gone("X discards a draft")
	}
}

// What was found of an earlier request stays until it was read: that a service is open takes its place no more.
func TestWhereYouAreTakesThePlaceOfNotesAlone(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	d.send(views.Notice{Level: views.Success, Text: "the earlier request is done"})
	d.send(views.Notice{Level: views.Info, Yields: true, Text: "a.MapServer is open."})
	d.see("the earlier request is done")
	d.stays("is open")
	d.send(views.Notice{Level: views.Info, Text: "It is opened once the list is read."})
	d.send(views.Notice{Level: views.Info, Yields: true, Text: "a.MapServer is open."})
	d.see("a.MapServer is open.")
}

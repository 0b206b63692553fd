package services_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// definition is the definition of the sample service as the site has it.
func (s *screen) definition() string {
	s.t.Helper()
	raw, err := s.site.Client.Services.Definition(context.Background(), cities)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// siteHas fails unless the site has that text at a path of the sample service.
func (s *screen) siteHas(path document.Path, raw string) {
	s.t.Helper()
	d, err := document.Parse([]byte(s.definition()))
	if err != nil {
		s.t.Fatal(err)
	}
	if n, ok := d.Find(path); !ok && raw != "" || ok && n.Raw() != raw {
		s.t.Errorf("the site has %s at %s, not %s", n.Raw(), path, raw)
	}
}

func TestACapabilityIsRemovedOnceAndTheOldDefinitionIsKept(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	before := s.definition()
	s.Invoke("jsonedit.go", "capabilities")
	s.Press("jsonedit.edit down down space enter")
	s.Shows("changed, draft saved")
	s.Press("services.write")
	s.Shows("capability removed", `"Map,Query"`)
	s.Tells(s.Press("services.send"), "1 danger to accept")
	s.Accept(s.site.Clock, "capability")
	up := s.Answer(s.ask(), "y")
	s.Shows("has the new definition", "the site has everything that was sent", "run a health check")
	if len(up) > 0 {
		t.Errorf("sent up %v", up)
	}
	if after := strings.Replace(before, `"Map,Query,Data"`, `"Map,Query"`, 1); s.definition() != after || s.edits() != 1 {
		t.Errorf("%d edits, the site has %s", s.edits(), s.definition())
	}
	to := uitest.Find[views.Navigate](t, s.Press("services.health"))
	if to.View != "health" || to.Command != "health.run" {
		t.Errorf("it leads to %+v", to)
	}
	s.Press("esc tab tab")
	s.Shows("capabilities", "admin")
	if drafts, _ := s.site.Memory.EditDrafts(editing.Definition); len(drafts) != 0 {
		t.Errorf("the draft of what was sent stays: %v", drafts)
	}
}

func TestWFSIsSwitchedOn(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.Invoke("jsonedit.go", "extensions[WFSServer]")
	s.Press("space")
	s.send()
	s.Shows("has the new definition")
	s.siteHas("extensions[WFSServer].enabled", "true")
}

func TestAQuestionThatIsAnsweredTwiceSendsOnce(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("description", "Other words.")
	s.Press("services.write")
	up := s.Press("services.send")
	first := uitest.AnswerOnly(t, up, uitest.Keys("y")...)
	s.Answer(s.ask(), "y")
	s.drain(first)
	s.sent(1)
}

func TestALostKeyIsAcceptedByItsWordBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.Invoke("jsonedit.go", "provider")
	s.Press("jsonedit.delete services.write")
	s.Shows("1 to accept", "key removed")
	s.Tells(s.Press("services.send"), "1 danger to accept")
	s.Accept(s.site.Clock, "removed-key")
	s.Answer(s.ask(), "y")
	s.Shows("has the new definition")
	s.siteHas("provider", "")
}

func TestABrokenRuleIsNotSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("minInstancesPerNode", "9")
	s.Press("services.write")
	s.Tells(s.Press("services.send"), "a rule is broken")
	panel := uitest.Find[views.Open](t, s.Press("services.explain-change")).Dialog
	panel.SetSize(80, 22)
	if shown := ansi.Strip(panel.View()); !strings.Contains(shown, "Your change breaks a rule.") || !strings.Contains(shown, "minInstancesPerNode: ") {
		t.Error(shown)
	}
	s.sent(0)
}

func TestDriftIsMergedAndReviewedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses").cities().set("maxUsageTime", "700")
	s.send()
	s.Shows("changed at the site meanwhile; nothing was sent", "maxIdleTime", "900", "merge with the site's version")
	if age := s.site.Clock.Now().Sub(s.Status().Updated); age > 0 {
		t.Errorf("what was just read is said to be %v old", age)
	}
	if s.edits() != 0 {
		t.Fatal("something was sent")
	}
	s.Press("m")
	s.Shows("merged with the site's version", "1 change", "maxUsageTime", "Others changed this; it stays as they left it", "maxIdleTime 1800 → 900")
	s.Press("esc")
	s.Shows(`"maxIdleTime": 900`, `"maxUsageTime": 700`)
	s.Press("services.write")
	s.Hides("maxIdleTime")
	s.Answer(s.ask(), "y")
	s.Shows("has the new definition")
	s.siteHas("maxUsageTime", "700")
	s.siteHas("maxIdleTime", "900")
}

func TestAConflictIsResolvedPlaceByPlace(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses").cities().set("maxIdleTime", "1000")
	s.send()
	s.Shows("Conflict: you and someone else changed this", "maxIdleTime", "mine    1000", "theirs  900", "base    1800", "reviewed by the publisher")
	s.Tells(s.Press("m"), "1 conflict to choose")
	panel := uitest.Find[views.Open](t, s.Press("services.explain-change")).Dialog
	panel.SetSize(80, 20)
	if why := panel.View(); !strings.Contains(why, "Somebody changed it after you opened it. Nothing was sent.") || !strings.Contains(why, "Choose mine or theirs, then press enter to merge.") {
		t.Error(why)
	}
	s.Press("space")              // mine
	s.Press("esc services.write") // which leads to no review of what the site has no more
	s.Shows("Conflict: you and someone else changed this", "(x) mine")
	s.Press("space") // theirs
	s.Press("space m")
	s.Shows("merged with the site's version", "900 → 1000", "reviewed by the publisher")
	s.Shows("overwrites others") // mine was chosen
	s.Accept(s.site.Clock, "drift")
	s.Answer(s.ask(), "y")
	s.Shows("has the new definition")
	s.siteHas("maxIdleTime", "1000")
	s.siteHas("description", `"Cities of the world, reviewed by the publisher."`)
	s.sent(1)
}

// Only what somebody else made of the definition is left, and nothing of one's own is lost by it.
func TestTakingTheirsSaysWhatIsNotSentAndUndoBringsItBack(t *testing.T) {
	t.Parallel()
	for _, lines := range []int{0, 5000} { // a long one is merged beside the screen
		scenario := uitest.Scenario(t, "edit-elses")
		scenario.Editing.Lines = lines
		s := openAt(t, scenario, uitest.Sizes[1]).cities().set("maxIdleTime", "1200")
		s.send()
		s.Press("space space") // theirs
		s.Tells(s.Press("m"), "You took theirs: your maxIdleTime 1200 was not sent. u undoes.")
		s.Invoke("jsonedit.go", "maxIdleTime")
		s.Shows(`"maxIdleTime": 900`)
		s.Press("jsonedit.undo")
		s.Shows(`"maxIdleTime": 1200`)
		if drafts, _ := s.site.Memory.EditDrafts(editing.Definition); len(drafts) != 1 {
			t.Errorf("drafts %v", drafts)
		}
		s.Press("jsonedit.redo")
		s.Shows(`"maxIdleTime": 900`)
		if drafts, _ := s.site.Memory.EditDrafts(editing.Definition); len(drafts) != 0 {
			t.Errorf("drafts %v", drafts)
		}
		s.Press("jsonedit.undo services.write")
		s.Shows("overwrites others", "you overwrite it: 1800 to 900.")
		s.Tells(s.Press("services.send"), "1 danger to accept")
		s.Press("esc services.write")
		s.Shows("overwrites others") // however often it is reviewed
		s.Accept(s.site.Clock, "drift")
		s.Asks(s.Press("services.send"), "Accepted: drift.")
		s.Answer(s.ask(), "y")
		s.Shows("has the new definition")
		s.siteHas("maxIdleTime", "1200")
		s.siteHas("description", `"Cities of the world, reviewed by the publisher."`)
	}
}

// The merge is a step like others, and what it overwrites is said once more before it is sent.
func TestAMergeSaysWhatItOverwritesAndCanBeUndone(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses").cities().set("maxIdleTime", "1200")
	s.send()
	s.Press("space m") // mine
	s.Shows("overwrites others", "you overwrite it: 1800 to 900.", "it stays as they left it", "reviewed by the publisher")
	s.Accept(s.site.Clock, "drift")
	s.Asks(s.Press("services.send"), "Accepted: drift.")
	s.Press("esc jsonedit.undo")
	s.Shows(`"maxIdleTime": 900`)
	s.Press("jsonedit.redo")
	s.Shows(`"maxIdleTime": 1200`)
	s.sent(0)
}

// The first merge is not forgotten at the second: what others changed was changed since the edit began.
func TestASecondMergeSaysWhatTheFirstOverwrites(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses").cities().set("maxIdleTime", "1200")
	s.send()
	s.Press("space m") // mine
	s.Shows("overwrites others")
	s.Accept(s.site.Clock, "drift")
	s.editElsewhere("maxUsageTime", "777")
	s.Answer(s.ask(), "y")
	s.Shows("maxUsageTime", "nothing was sent")
	s.Press("enter")
	s.Shows("merged with the site's version", "overwrites others", "you overwrite it: 1800 to 900.", "maxUsageTime 600 → 777", "✓ accepted")
	s.Answer(s.ask(), "y")
	s.siteHas("maxIdleTime", "1200")
	s.Press("esc")
	s.set("maxIdleTime", "1300").Press("services.write")
	s.Shows("review")
	s.Hides("You overwrite") // one's own
}

func TestAMergeThatLeavesNothingEndsTheDraft(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses").cities().set("maxIdleTime", "900").set("description", `Cities of the world, reviewed by the publisher.`)
	s.send()
	s.Tells(s.Press("m"), "The site already has all your changes.")
	s.Shows("Definition", `"maxIdleTime": 900`)
	if drafts, _ := s.site.Memory.EditDrafts(editing.Definition); len(drafts) != 0 {
		t.Errorf("a draft stays: %v", drafts)
	}
	s.Press("esc")
	s.Hides("draft")
	s.sent(0)
}

func TestAnOldDefinitionIsReviewedAndRestored(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	before := s.definition()
	s.set("description", "Other words.")
	s.send()
	s.Press("esc tab tab services.restore")
	s.Shows("Restore SampleWorldCities.MapServer to 2026-11-20 15:05:0", "Other words.", "Cities of the world")
	asked := s.Press("services.send")
	s.Asks(asked, "Restore SampleWorldCities.MapServer at ", "definition of 2026-11-20 15:05:0")
	s.Answer(asked, "y")
	s.Shows("has the new definition")
	if s.definition() != before {
		t.Errorf("the site has %s", s.definition())
	}
	s.Press("esc")
	s.Shows("restoring the definition of 2026-11-20", "Other words.")
	s.Press("shift+tab shift+tab")
	s.Shows("Cities of the world, as a sample.")
}

func TestRestoringLeavesWhatIsEditedBesideIt(t *testing.T) {
	t.Parallel()
	s := sentOnce(open(t, "healthy"))
	s.set("description", "Half done.")
	s.Press("tab tab services.restore")
	s.Answer(s.ask(), "y")
	s.Shows("has the new definition")
	s.Press("esc shift+tab shift+tab")
	s.Shows("Half done.")
	s.Press("services.write")
	s.Shows("Half done.", "1 change")
	s.Hides("merged with")
}

// What the user has sent is no change by others to the draft beside it.
func TestADraftGoesOnFromWhatIsRestoredBesideIt(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]string{"on its page": "", "from the list": "esc"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sentOnce(openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0]))
			s.set("maxIdleTime", "900")
			s.Press("tab tab services.restore")
			if _, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2); away != "" {
				s.Press(away)
			}
			s.drain(s.rest...)
			s.Press("esc")
			if away != "" {
				s.Invoke("services.open", "SampleWorldCities.MapServer")
				s.Shows("result", "has the new definition", "your change is saved") // before the draft
				s.Press("esc")
			} else {
				s.Press("shift+tab shift+tab")
			}
			s.Press("services.write")
			s.Shows("review", "1 change", "1800 → 900")
			s.Hides("changed at the site", "merged with")
		})
	}
}

func TestAFailedJobIsReportedAndTheChangeStays(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-fails").cities().set("description", "Other words.")
	s.send()
	s.Shows("It ended as FAILED: ")
	s.Hides("(request ") // its ids stand in the table alone
	s.Shows("did not complete", "1 of 2 pods cannot be", "still has the old definition.", "your change is saved")
	s.Press("esc")
	s.Shows("Other words.")
	s.send()
	s.Shows("has the new definition")
}

func TestAFailedJobWhoseChangeIsThereIsReported(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-fails-applied").cities().set("description", "Other words.")
	s.send()
	s.Shows("The site has the new definition")
}

func TestWhatTheSiteDoesNotKeepIsNamed(t *testing.T) {
	t.Parallel()
	s := open(t, "drops-keys").cities()
	s.editor(`subst 's/"provider": "DMaps",/"provider": "DMaps", "note": "ours",/' "$1"`)
	s.Press("services.editor")
	s.send()
	s.Shows("did not keep all of it", "note", "stays in the editor as your change")
	s.Press("esc")
	s.Shows("changed, draft saved", "note")
}

// What the site leaves out of the rest is no change of this edit, and no draft stays of it.
func TestWhatTheSiteChangesBesideAnEditIsNoDraft(t *testing.T) {
	t.Parallel()
	s := open(t, "drops-keys").cities().set("maxUsageTime", "700")
	s.send()
	s.Shows("did not keep all of it", "Your change is complete; the site changed the rest.")
	up := s.Press("services.explain-change")
	s.Hides("still your change")
	if shown := s.Dialog(up, 100, 30); !strings.Contains(shown, "The site kept your change, but changed more than that.") || strings.Contains(shown, "still your change") {
		t.Errorf("W says\n%s", shown)
	}
	s.Press("esc")
	s.Hides("changed, draft saved")
}

func TestALostAnswerIsLookedForAndNothingIsSentAgain(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"edit-answer-lost": "only the answer was lost", "edit-answer-lost-502": "only the answer was lost",
		"edit-answer-cut":                "only the answer was lost",
		"edit-answer-lost-not-performed": "very likely the change never arrived",
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, name).cities().set("description", "Other words.")
			s.send()
			s.Shows(says)
			if says == "only the answer was lost" {
				s.Shows("Saved before", "History restores it")
			}
			s.Press("R services.health")
			s.sent(1)
			s.Press("esc")
			s.Shows("Other words.")
		})
	}
}

// unknownOutcome has sent an edit that was recorded, and whose answer was lost.
func unknownOutcome(t *testing.T) *screen {
	t.Helper()
	sim := uitest.NewSite(t, uitest.Scenario(t, "edit-answer-lost-not-performed"))
	sim.Recorded = true
	site, wire := sim.Counted(t)
	s := openOn(t, &screen{t: t, site: site, wire: wire}, uitest.Sizes[0]).cities().set("description", "Other words.")
	s.send()
	return s
}

func TestAnOutcomeStaysUnknownWhereTheRecordCannotBeRead(t *testing.T) {
	t.Parallel()
	s := unknownOutcome(t)
	s.Press("esc")
	s.Shows("? outcome unknown since ")
	if err := s.site.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	if told := uitest.Find[views.Notice](t, s.drain(s.Update(views.RecordChanged))); told.Result.Err == nil {
		t.Errorf("it says %q", told.Text)
	}
	s.Shows("? outcome unknown since ")
}

func TestAnOutcomeThatIsNotKnownIsShownEverywhereUntilItIs(t *testing.T) {
	t.Parallel()
	s := unknownOutcome(t)
	s.Shows("From 15:07:07 on you can send it again: press w.", "Sent           15:05:07", "The connection broke", "R   look for it")
	s.Hides("Updated ", "Next refresh", "Cannot edit")
	s.Tells(s.Press("services.look"), "Checked ", "still the old definition, no job edits it.")
	checked := s.Status().Updated
	s.Tells(s.Press("services.again"), "Not before 15:07:07; ", " s left.")
	if shown := s.whatNow(); !strings.Contains(shown, "Outcome unknown: edit the service (SampleWorldCities.MapServer)") {
		t.Error(shown)
	}
	s.pass(2 * time.Minute)
	s.Press("services.again")
	s.Shows("1 change", "description")
	if hint := s.hint("services.send"); hint != "check first" {
		t.Errorf("the review offers %q", hint)
	}
	s.sent(1)
	s.Press("esc")
	if updated := s.Status().Updated; updated.Before(checked) {
		t.Errorf("what was read at %v is said to be of %v", checked, updated)
	}
	for again := range 2 { // also after a new start
		s.Shows("? outcome unknown since ")
		if up := s.Press("esc"); again == 0 {
			s.Tells(up, "Draft saved; it was sent at 15:05:07, outcome unknown.")
		}
		s.Shows("edit unknown", "✓ started")
		stop := uitest.Find[views.Open](t, s.Press("services.switch")).Dialog
		if stop.SetSize(120, 19); !strings.Contains(stop.View(), "outcome unknown since 15:05:07") {
			t.Errorf("the stop asks\n%s", stop.View())
		}
		s = s.restart().cities()
	}
	s.Shows("A change of this definition was sent: outcome unknown since 15:05:07", "R     look for")
	s.Hides("was not sent")
	list := openOn(t, s, uitest.Sizes[2])
	list.Invoke("rows.filter", "edit unknown")
	list.Shows("Draft          of the definition, saved 2026-11-20 15:05, outcome unknown")
	s.Tells(s.Press("services.read-again"), "outcome still unknown: the site still has the old definition")
	asked, _, _ := uitest.PressKey(s.Model, uitest.Key("services.read-again").String())
	s.drain(s.Update(views.RecordChanged)) // which ends no look under way
	s.Tells(s.drain(asked), "outcome still unknown: the site still has the old definition")
	s.Press("tab tab")
	s.Shows("outcome unknown; the site has this version")
	s.Hides("no change", "No change.")
	s.Press("shift+tab shift+tab enter services.write")
	s.Shows("? outcome unknown since ", "Other words.")
	if earlier := uitest.Find[views.Unresolved](t, s.Press("services.send")).Earlier; earlier == nil || earlier.Record.Subject != "SampleWorldCities.MapServer" {
		t.Errorf("before the question it shows %v", earlier)
	}
	s.pass(time.Hour)
	if err := s.site.AllowNextWrite(t.Context(), adminapi.TargetService(s.Services()[12]), "SampleWorldCities.MapServer"); err != nil {
		t.Fatal(err)
	}
	asked, _, _ = uitest.PressKey(s.Model, uitest.Key("services.send").String())
	s.upgrades(progress.StateRunning, progress.PatchRun)
	s.Tells(s.drain(asked), "An upgrade is running")
	s.upgrades(progress.StateSucceeded, progress.PatchRun)
	s.drain(s.Update(views.RecordChanged))
	s.Hides("outcome unknown since")
	uitest.Find[views.Open](t, s.Press("services.send"))
}

func TestAJobWhoseEndWasNotSeenIsLookedForAndItsReasonsAreSaid(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-fails", simulator.Fault{Path: "admin/jobs/*", Method: "GET", Times: 1, What: "status", Status: 401}).cities().set("description", "Other words.")
	s.send()
	s.Shows("still has the old definition. Job", "ended as FAILED", "1 of 2 pods cannot be", "To send it again, review")
	s.sent(1)
	s.Press("esc")
	s.Shows("Other words.")
	s.Tells(s.Press("esc"), "but the site does not have it.")
}

func TestAReviewShowsTheRequest(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("maxUsageTime", "700")
	s.Press("services.write")
	s.Shows("changed")
	if hint := s.hint("services.request"); hint != "request" {
		t.Errorf("the key is for %q", hint)
	}
	s.Press("services.request")
	s.Shows("Each field as it would be sent", "The request: POST", "/services/SampleWorldCities.MapServer/edit", "async", "true", "json")
	s.Press("rows.bottom")
	s.Shows("token", "[secret]")
	s.Press("esc")
	s.Shows("review", "changed")
	s.Hides("Each field as it would be sent")
	s.Press("services.request")
	s.sent(0)
	s.Answer(s.Press("services.send"), "y")
	s.sent(1)
	s.siteHas("maxUsageTime", "700")
	s.Hides("Each field as it would be sent")
}

// A connection string is sent as it is, and neither drawn nor written to a file.
func TestAReviewMasksSecrets(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("description", "Server=db;Password=hunter2")
	s.Press("services.write")
	s.Shows("changed", "Password=[secret]")
	s.Hides("hunter2")
	s.Press("services.request")
	s.Shows("Password=[secret]")
	s.Hides("hunter2")
	s.Tells(s.Press("services.plan"), "Nothing was sent")
	text, err := os.ReadFile(filepath.Join(s.env.Folder, "SampleWorldCities.MapServer-review.txt"))
	if err != nil || strings.Contains(string(text), "hunter2") || strings.Count(string(text), "Password=[secret]") != 2 {
		t.Errorf("%v, the plan is %s", err, text)
	}
	if copied := uitest.Find[views.Copy](t, s.Press("services.request diff.copy")); copied.What != "review of 1 change with secrets masked" || strings.Contains(copied.Text, "hunter2") || !strings.Contains(copied.Text, "[secret]") {
		t.Errorf("copied %+v", copied)
	}
	s.Answer(s.ask(), "y")
	s.siteHas("description", `"Server=db;Password=hunter2"`)
	s.Press("esc")
	s.set("description", "none").send()
	s.Press("esc tab tab services.json")
	s.Shows("Password=[secret]")
	s.Hides("hunter2")
}

func TestTheReviewOfRulesShowsTheRequest(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules().onPool("spot")
	s.Press("services.write services.request")
	s.Shows("placementPolicy/edit", "servicePlacementPolicy", "async")
	s.sent(0)
}

// A review that is left and opened again asks for no word twice, unless something else is edited by then.
func TestWhatWasAcceptedStaysSoWhileTheEditIsTheSame(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.Invoke("jsonedit.go", "provider")
	s.Press("jsonedit.delete services.write")
	s.Accept(s.site.Clock, "removed-key")
	s.Shows("all accepted")
	s.Press("esc services.write")
	s.Shows("all accepted")
	s.Press("esc")
	s.set("maxIdleTime", "901").Press("services.write")
	s.Shows("1 to accept")
	s.sent(0)
}

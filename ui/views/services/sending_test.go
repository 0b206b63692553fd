package services_test

import (
	"net/http"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// sending reviews and confirms a change, and stops before anything is sent: the rest of it goes
// on in s.rest.
func sending(t *testing.T, scenario string) *screen {
	t.Helper()
	s := openAt(t, uitest.Scenario(t, scenario), uitest.Sizes[0]).cities().set("maxUsageTime", "700")
	s.Press("services.write")
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	return s
}

func TestThePageOfAChangeThatIsSentIsLeftAndTheEndIsTold(t *testing.T) {
	t.Parallel()
	s := sending(t, "healthy")
	s.Shows("You can leave: esc shows the list. Open the service to return.")
	if up := s.Press("esc"); len(up) > 0 {
		t.Errorf("what is sent is called a draft: %v", up)
	}
	s.Shows("40 services", "● sending")
	s.Tells(s.Press("services.switch"), "Wait until the edit of SampleWorldCities.MapServer is sent.")
	if shown := s.whatNow(); !strings.Contains(shown, "Its edit is being sent, since ") || strings.Contains(shown, "Nothing needs") {
		t.Error(shown)
	}
	s.Tells(s.Press("services.edit-outside"), "Wait until the edit of SampleWorldCities.MapServer is sent.")
	s.Shows("40 services")
	if s.Hooks().Working() != "sending SampleWorldCities.MapServer" || s.Status().Busy == s.Hooks().Working() || !strings.Contains(s.Leave(), "being sent") {
		t.Errorf("%q is sent, busy with %q, leaving asks %q", s.Hooks().Working(), s.Status().Busy, s.Leave())
	}
	s.Invoke("services.open", "Utilities/Geometry.GeometryServer")
	s.set("maxIdleTime", "900")
	s.Tells(s.Press("services.write"), "Wait until the edit of SampleWorldCities.MapServer is sent.")
	s.Press("esc")
	s.Invoke("services.open", "SampleWorldCities.MapServer")
	s.Shows("Edit SampleWorldCities.MapServer", "sending")
	s.Press("esc")
	s.sent(0)
	s.Tells(s.drain(s.rest...), "The site has the new definition of SampleWorldCities.MapServer.")
	s.sent(1)
	s.siteHas("maxUsageTime", "700")
	s.Shows("✓ started")
	s.Hides("sending")
	if s.Hooks().Working() != "" || s.Leave() != "" {
		t.Errorf("%q is sent, leaving asks %q", s.Hooks().Working(), s.Leave())
	}
	s.Invoke("services.status", "SampleWorldCities.MapServer")
	s.Shows("result", "The site has the new definition", "The service answers.", "back to Status")
	s.Press("esc shift+tab shift+tab shift+tab")
	s.Shows("[Definition]", `"maxUsageTime": 700`)
	s.Hides("draft")
}

// What is sent is no draft, in the list and beside it, also where it was continued after a restart;
// nor is it one once the site has it.
func TestADraftThatIsSentIsCalledOneNoMore(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("maxUsageTime", "700").restart()
	s.Shows("SampleWorldCities  draft")
	s.cities().Shows("Your draft of this definition")
	s.Asks(s.Press("services.switch-open"), "Stop SampleWorldCities.MapServer") // on any tab, whatever it shows
	s.Press("enter services.write")
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	s.Press("esc")
	s.Shows("● sending", "15:05, being sent")
	s.Hides("  draft", "not sent")
	s.drain(s.rest...)
	s.Shows("✓ started, as", "Last edit")
	s.Hides("draft", "Draft", "should run")
}

// Meanwhile a command has sent another edit: what is reviewed is the version before it, which the site has no more.
func TestTheReviewSaysHowTheLastEditEnded(t *testing.T) {
	t.Parallel()
	sim := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	sim.Recorded = true
	site, wire := sim.Counted(t)
	s := openOn(t, &screen{t: t, site: site, wire: wire}, uitest.Sizes[1]).cities().set("maxUsageTime", "700")
	other := uitest.Edit(t, site, cities, "maxIdleTime", "907")
	if _, result := site.ApplyEdit(t.Context(), other.Edit, nil); !result.Done() {
		t.Fatal(result)
	}
	s.Press("services.write")
	s.Shows("review", "Last edit", "Done; you edit the version before it.")
	s.Hides("the site has this version")
}

// The list says of an edit what its record says.
func TestTheListSaysThatTheLastEditHasFailed(t *testing.T) {
	t.Parallel()
	sim := uitest.NewSite(t, uitest.Scenario(t, "edit-fails"))
	sim.Recorded = true
	site, wire := sim.Counted(t)
	s := openOn(t, &screen{t: t, site: site, wire: wire}, uitest.Sizes[1]).cities().set("maxUsageTime", "700")
	s.send()
	s.Press("esc esc")
	s.Shows("Last edit", "Accepted; job", "FAILED; nothing")
	s.cities().send()
	s.Press("esc esc")
	s.Shows("Last edit")
	s.Hides("FAILED")
}

func TestAChangeThatFailsAfterItsPageWasLeftWaitsThere(t *testing.T) {
	t.Parallel()
	for scenario, ends := range map[string]struct {
		page    string
		outcome adminapi.Outcome
	}{
		"edit-fails":                     {"The job to replace the definition", adminapi.OutcomeDone},
		"edit-elses":                     {"meanwhile; nothing was sent", adminapi.OutcomeNotSent},
		"edit-answer-lost-not-performed": {"still has the old definition", adminapi.OutcomeUnknown},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			s := sending(t, scenario)
			s.Press("esc")
			up := s.drain(s.rest...)
			s.Tells(up, "SampleWorldCities.MapServer: ", "; open it.")
			if told := uitest.Find[views.Notice](t, up); told.Result.Outcome != ends.outcome {
				t.Errorf("told as %v", told.Result.Outcome)
			}
			s.Shows("40 services", "✓ started")
			s.Hides(" checked")
			for _, key := range []string{"w", "r", "m"} {
				if row, ok := views.Pressed(s.Commands(), key); ok {
					t.Errorf("%s does %q in the list", key, row.ID)
				}
			}
			edits := s.edits()
			s.Invoke("services.open", "SampleWorldCities.MapServer")
			s.Shows(ends.page)
			s.sent(edits)
		})
	}
}

func TestTheQuestionBeforeSendingNamesTheSiteAndWhatIsMarked(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Press("space space")
	s.cities().set("maxUsageTime", "700")
	s.Press("services.write")
	site := s.site.Client.Base().Host + "/geodeck"
	s.Asks(s.Press("services.send"), site, "changed, not the 2 marked; M takes them too.")
	s.Press("services.many")
	s.Asks(s.Press("services.send"), site, "definition of 3 services", "SampleWorldCities.MapServer (open, not marked)", "CityAddresses_", "CityBuildings_")
	s.sent(0)
}

func TestAPastChangeIsNamedWholeAndWarnsOfNothing(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0]).cities().set("maxUsageTime", "700")
	s.send()
	s.Press("esc tab tab enter")
	s.Shows("Difference: from 2026-11-20 15:05:02 to now", "600 → 700")
	s.Hides("restart likely")
}

// leaveBatch makes a change on the marked services, sends it and leaves its page.
func (s *screen) leaveBatch() {
	s.t.Helper()
	s.cities().set("maxUsageTime", "700")
	s.Press("services.write services.many")
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(s.t, s.ask(), yes...), 2)
	s.Press("esc")
}

func TestABatchThatStopsAfterItsPageWasLeftIsContinuedThere(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "edit-third-fails"), uitest.Sizes[0])
	s.Press("space space space space")
	s.leaveBatch()
	if s.Hooks().Working() != "sending 5 services" {
		t.Errorf("%q is sent", s.Hooks().Working())
	}
	s.Tells(s.drain(s.rest...), "3 of 5: ", ": job failed; open it.")
	s.sent(3)
	s.Hides("sending", "to be sent")
	s.Invoke("services.open", "SampleWorldCities.MapServer")
	s.Shows("Edit 5 services", "job failed", "not sent", "Left: 3 services")
	if hint := s.hint("services.many"); hint != "continue with 3 services" {
		t.Errorf("M is for %q", hint)
	}
	s.Press("esc")
	s.Shows("40 services", "3 services marked")
}

func TestTheGoodEndOfABatchWhosePageWasLeftWaitsThere(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Press("space space")
	s.leaveBatch()
	s.Tells(s.drain(s.rest...), "The change was sent to ", " services; open one of them.")
	s.Hides("sending")
	if s.Hooks().Working() != "" || s.Leave() != "" {
		t.Errorf("%q is sent, leaving asks %q", s.Hooks().Working(), s.Leave())
	}
	s.Press("rows.bottom space")
	s.Invoke("services.open", "SampleWorldCities.MapServer")
	s.Shows("The change was sent to ", "✓ done, started          SampleWorldCities.MapServer")
	s.Press("esc")
	s.Shows("40 services", "1 service marked")
	s.Invoke("services.open", "SampleWorldCities.MapServer")
	s.Shows("[Definition]")
}

// What the site has is no draft while the rest of the batch is sent.
func TestAServiceOfABatchThatIsDoneHasNoDraftWhileTheNextIsSent(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "edit-slow"), uitest.Sizes[1])
	s.Press("space space")
	s.cities().set("maxUsageTime", "700")
	s.Press("services.write services.many")
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	send := s.rest[0]
	s.rest = s.rest[1:]
	s.wire.Before = func(r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/edit") || s.edits() != 2 {
			return
		}
		s.until("service 2 of 3")
		s.until("Sending the definition")
		if up := s.Press("esc"); len(up) > 0 {
			t.Errorf("what the site has is called a draft: %v", up)
		}
		s.Shows("● sending", "to be sent", "Last edit")
		s.Hides("draft", "Draft")
	}
	s.drain(append([]tea.Cmd{send}, s.rest...)...)
	s.sent(3)
	s.Hides("draft", "sending", "to be sent")
}

// B18: a batch that is sent stops after the present service, and the rest can be continued.
func TestABatchIsStoppedAfterThePresentService(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "edit-slow"), uitest.Sizes[0])
	s.Press("space space")
	s.cities().set("maxUsageTime", "700")
	s.Press("services.write services.many")
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(t, s.Press("services.send"), yes...), 2)
	send := s.rest[0]
	s.rest = s.rest[1:]
	s.wire.Before = func(r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/edit") || s.edits() != 2 {
			return
		}
		s.until("service 2 of 3")
		if s.hint("services.stop-sending") != "stop after this one" {
			t.Error("the footer does not say how to stop")
		}
		s.Tells(s.Press("services.stop-sending"), "It stops after this service. The rest is not sent.")
		s.Tells(s.Press("services.stop-sending"), "It stops after this service.")
		s.Shows("Stops after this service.")
	}
	s.drain(append([]tea.Cmd{send}, s.rest...)...)
	s.sent(2)
	s.Shows("The change was sent to 2 services.", "Left: 1 service.", "continue with 1 service (review first)")
}

func TestTheKeysOfAResultThatIsLongerThanTheScreenStayInSight(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "drops-keys"), uitest.Sizes[0]).cities().set("maxUsageTime", "700")
	s.send()
	for _, key := range []string{"rows.top", "rows.bottom"} {
		s.Press(key)
		s.Shows("result, lines ", "r   run a health check", "W   what now", "esc back to Definition")
	}
	s.Shows("Updated 15:06:06.")
}

func TestARefusedSignInIsToldWhereThePageWasLeftAndAsksForNoOtherChange(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0]).cities().set("maxUsageTime", "700")
	s.Press("services.write")
	token, question := s.site.Client.Session.Token(), s.Press("services.send")
	confirmed := uitest.AnswerOnly(t, question, yes...)
	s.site.Client.Session.SetToken(adminapi.Token{Value: "stale"})
	_, s.rest = uitest.Run(s.Model, confirmed, 2)
	s.Press("esc")
	up := s.drain(s.rest...)
	ask := uitest.Find[views.SignIn](t, up)
	s.Tells(up, "The edit of SampleWorldCities.MapServer was not sent; open it.")
	s.site.Client.Session.SetToken(token)
	s.Invoke("services.open", "CityBuildings_26.MapServer")
	s.set("maxIdleTime", "900").Press("services.write")
	s.Shows("Edit CityBuildings_26.MapServer", "review")
	if up := s.drain(ask.Retry); len(up) > 0 {
		t.Errorf("another change is asked about: %v", up)
	}
	s.sent(0)
}

func TestOnlyTheTabThatIsSentIsLeftWithoutAWord(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot").Press("shift+tab")
	s.set("maxUsageTime", "700").Press("services.write")
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	s.Tells(s.Press("esc"), "Draft saved, not sent: placement policy of SampleWorldCities.MapServer")
}

func TestADraftThatWasReadBeforeItWasSentIsNotOffered(t *testing.T) {
	t.Parallel()
	s := sending(t, "healthy")
	s.Press("esc")
	var replies []tea.Cmd
	var read func(tea.Cmd)
	read = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		msg := cmd()
		if batch, is := msg.(tea.BatchMsg); is {
			for _, cmd := range batch {
				read(cmd)
			}
			return
		}
		replies = append(replies, func() tea.Msg { return msg })
	}
	read(s.do("services.open", "SampleWorldCities.MapServer"))
	s.drain(s.rest...)
	s.drain(replies...)
	s.Press("esc")
	s.Shows("[Definition]", `"maxUsageTime": 700`)
	s.Hides("was not sent")
	s.sent(1)
}

func TestAnOutcomeThatIsNotKnownIsNotSaidToBeSent(t *testing.T) {
	t.Parallel()
	s := sending(t, "edit-answer-lost-not-performed")
	s.until("very likely the change never arrived")
	if s.hint("services.back") != "stop waiting" {
		t.Errorf("esc is said to lead %q", s.hint("services.back"))
	}
	s.Tells(s.Press("services.again"), "Not before ", " left.")
	s = sending(t, "edit-answer-lost-not-performed")
	s.Press("esc")
	for s.Hooks().Working() != "finding the outcome" && len(s.rest) > 0 {
		_, more := uitest.Run(s.Model, s.rest[0], 1)
		s.rest = append(more, s.rest[1:]...)
	}
	s.Invoke("services.open", "Utilities/Geometry.GeometryServer")
	s.set("maxIdleTime", "900")
	s.Tells(s.Press("services.write"), "The outcome of SampleWorldCities.MapServer is not known yet; open it.")
}

func TestABatchOfWhichSomeCannotTakeTheChangeIsNoSuccess(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy", simulator.Fault{Path: "admin/services/CityBuildings_26.MapServer", Method: "GET", What: "status", Status: 403}), uitest.Sizes[0])
	s.Press("space space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	s.Press("esc")
	s.Tells(s.drain(s.rest...), "1 of 2 sent; 1 not sent; open one of them.")
	s.Invoke("services.open", "CityBuildings_26.MapServer")
	s.Shows("cannot take it", "continue with 1 service")
}

func TestAnOutcomeThatIsNeitherOldNorNewIsToldAsThat(t *testing.T) {
	t.Parallel()
	s := sending(t, "edit-answer-lost-not-performed")
	s.Press("esc")
	var more []tea.Cmd
	for _, cmd := range s.rest {
		_, rest := uitest.Run(s.Model, cmd, 1)
		more = append(more, rest...)
	}
	s.editElsewhere("maxIdleTime", "900")
	up := s.drain(more...)
	if last, _ := up[len(up)-1].(views.Notice); last.Text != "SampleWorldCities.MapServer: neither old nor new; open it." {
		t.Errorf("told last: %v", up)
	}
}

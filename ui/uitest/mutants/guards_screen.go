package main

// ofScreen are the guards of keys and questions, of the terminal, and of the exit codes.
var ofScreen = []guard{
	{
		holds: "an answer to an earlier request does not replace that to a later one",
		cuts:  []cut{{"ui/views/scope.go", "(r.sent || s.kinds[r.kind].turn == r.turn)", "true"}},
		judge: judge{"ui/views", "TestOnlyTheNewestReplyOfAKindCounts"},
	},
	{
		holds: "an answer to a page that was closed changes nothing",
		cuts:  []cut{{"ui/views/scope.go", "return s.Owns(r) && s.ctx.Err() == nil &&", "return s.Owns(r) &&"}},
		judge: judge{"ui/views", "TestRepliesOfAClosedOrForeignScopeAreStale"},
	},
	{
		holds: "a newer request does not cancel a write",
		cuts:  []cut{{"ui/views/scope.go", "id, ctx := s.id, s.ctx\n\treturn func() tea.Msg { return Reply{scope: id, sent: true, Msg: f(ctx)} }", "return s.Do(\"write\", f)"}},
		judge: judge{"ui/views", "TestAWriteIsCancelledByTheEndOfItsScopeOnly"},
	},
	{
		holds: "a word that confirms has to be typed, not pasted",
		cuts:  []cut{{"ui/widget/confirm.go", "case t.pasted:\n\t\t*t = Typed{Hint: pastedText + \"Type it instead.\"}\n\t\treturn false\n\t", ""}},
		judge: judge{"ui/widget", "TestWhereAWordIsAskedForOnlyTypingItAgrees"},
	},
	{
		holds: "a value that is typed where the operator takes none is not left out in silence",
		cuts:  []cut{{"ui/views/services/rules/entry.go", "e.refused, e.reason = true, ", "e.reason = "}},
		judge: judge{"ui/views/services/rules", "TestWhatIsTypedWhereNoValueIsTakenIsToldBeforeTheRowIsApplied"},
	},
	{
		holds: "where a word is asked for nothing else agrees",
		cuts:  []cut{{"ui/widget/confirm.go", "c.typed.Text == c.question.Word,", "true,"}},
		judge: judge{"ui/widget", "TestWhereAWordIsAskedForOnlyTypingItAgrees"},
	},
	{
		holds: "what leads to a write on a locked site asks for its name",
		cuts:  []cut{{"ui/views/view.go", "if client == nil || client.ReadOnly() || !client.Locked() {", "if true {\n\t\t_ = client"}},
		judge: judge{"ui", "TestALockedSiteGetsNothingBeforeItsNameWasTyped"},
	},
	{
		holds: "a locked site is unlocked by its name only",
		cuts:  []cut{{"ui/lock.go", "Word:        name, Yes:", "Yes:"}},
		judge: judge{"ui", "TestALockedSiteGetsNothingBeforeItsNameWasTyped"},
	},
	{
		holds: "no lack of room hides that a site is a production site",
		cuts:  []cut{{"ui/header.go", "if h.options.Production {", "if h.options.Production && h.width >= roomyWidth {"}},
		judge: judge{"ui", "TestEveryScreenOfAProductionSiteBeginsWithThat"},
	},
	{
		holds: "a terminal that is too small says what kind of site it is",
		cuts:  []cut{{"ui/view.go", "if production {", "if false {"}},
		judge: judge{"ui", "TestEveryScreenOfAProductionSiteBeginsWithThat"},
	},
	{
		holds: "every screen says that a site takes no writes, or does again",
		cuts:  []cut{{"ui/header.go", "case client.ReadOnly() || client.Locked():", "case client.ReadOnly():"}},
		judge: judge{"ui", "TestEveryScreenOfAProductionSiteBeginsWithThat"},
	},
	{
		holds: "every screen says that a connection is not encrypted",
		cuts:  []cut{{"ui/header.go", "if client.Insecure() {", "if client.Insecure() && h.width >= roomyWidth {"}},
		judge: judge{"ui", "TestEveryScreenOfAProductionSiteBeginsWithThat"},
	},
	{
		holds: "enter alone answers no question",
		cuts:  []cut{{"ui/widget/confirm.go", `views.Key(q.Yes, "y")`, `views.Key(q.Yes, "y", "enter")`}},
		judge: judge{"ui/widget", "TestOnlyTheYesKeyAgrees"},
	},
	{
		holds: "an upgrade is started by its version only",
		cuts:  []cut{{"ui/views/upgrade/review.go", "r.change.confirms(r.word.Text)", `r.word.Text != ""`}},
		judge: judge{"ui/views/upgrade", "TestTheReviewIsConfirmedByItsVersionOnly"},
	},
	{
		holds: "a plain version confirms only where it names one update",
		cuts:  []cut{{"adminapi/upgrade/request.go", "&& onlyOne(version, target, all) {", "{"}},
		judge: judge{"adminapi/upgrade", "TestConfirmation"},
	},
	{
		holds: "a double enter sends an upgrade once",
		cuts: []cut{
			{"ui/views/upgrade/flow.go", "before := f.step\n\tf.step = s", "before := f.step\n\tif s != starting {\n\t\tf.step = s\n\t}"},
			{"ui/views/upgrade/start.go", "if s.sending {\n\t\treturn nil\n\t}\n\treports", "reports"},
			{"ui/views/upgrade/review.go", "if r.stopTyping(); why != nil {", "if why != nil {"},
		},
		judge: judge{"ui/views/upgrade", "TestADoubleConfirmOrAHeldEnterStartsAnUpgradeOnce"},
	},
	{
		holds: "a change that is confirmed twice is sent once",
		cuts: []cut{
			{"ui/views/services/change/send.go", "if r.run != f.run || f.step != reviewing {", "if r.run != f.run {"},
			{"adminapi/operation/editapply.go", "len(changes) > 0 {\n\t\treturn journal.Backup{}, &DriftError", "len(changes) > 1<<30 {\n\t\treturn journal.Backup{}, &DriftError"},
		},
		judge: judge{"ui/views/services/change", "TestAReviewedChangeIsSentOnceHoweverOftenItIsConfirmed"},
	},
	{
		holds: "the confirmation of an earlier change sends nothing",
		cuts:  []cut{{"ui/views/services/change/send.go", "if r.run != f.run || f.step != reviewing {", "if f.step != reviewing {"}},
		judge: judge{"ui/views/services/change", "TestAConfirmationOfAnEarlierChangeSendsNothing"},
	},
	{
		holds: "what was confirmed is not sent once its plan is another",
		cuts:  []cut{{"ui/views/services/change/send.go", "if f.replanning || r.plan != f.plan {", "if false {"}},
		judge: judge{"ui/views/services", "TestWhatWasConfirmedIsNotSentOnceOtherNodesAreKnown"},
	},
	{
		holds: "nothing is sent once the site takes no changes",
		cuts:  []cut{{"ui/views/services/change/send.go", `if why := f.host.NoChanges(); why != "" { // it began while the question was open`, `if why := f.host.NoChanges(); false {`}},
		judge: judge{"ui/views/services/change", "TestNothingIsSentOnceTheSiteTakesNoChanges"},
	},
	{
		holds: "an edit that another program has open is sent only when that is confirmed",
		cuts:  []cut{{"ui/views/services/change/send.go", "holder != nil && !r.beside {", "holder != nil && false {"}},
		judge: judge{"ui/views/services", "TestWhatWasTakenOverIsSentOnlyWhenThatIsConfirmed"},
	},
	{
		holds: "a warning is acknowledged only once its text was on the screen",
		cuts:  []cut{{"ui/views/upgrade/preflight.go", "case c.ID != p.seen:", "case false:"}},
		judge: judge{"ui/views/upgrade", "TestOnlyAWarningThatWasToBeReadIsAcknowledged"},
	},
	{
		holds: "a grave warning is accepted by a word that is typed",
		cuts:  []cut{{"ui/views/upgrade/preflight.go", "case c.Strength == finding.Danger:\n\t\treturn p.askAccept(c, p.host.accept)\n\t", ""}},
		judge: judge{"ui/views/upgrade", "TestAFailedHealthReportIsAcceptedByItsWord"},
	},
	{
		holds: "an upgrade that a check blocks is not started",
		cuts:  []cut{{"ui/views/upgrade/preflight.go", "case c.stopped():\n\t\tp.list.Select", "case false:\n\t\tp.list.Select"}},
		judge: judge{"ui/views/upgrade", "TestWarningsAreAcknowledgedOneByOneAndBlockersStop|TestThePreflightLeadsOnOnlyWhereNothingIsInTheWay"},
	},
	{
		holds: "a version typed before a check came in the way confirms nothing",
		cuts:  []cut{{"ui/views/upgrade/review.go", "why := r.inTheWay()\n\tif why != nil {\n\t\tr.stopTyping()\n\t}\n\treturn why", "return nil"}, {"ui/views/upgrade/review.go", "why := r.inTheWay() // since a health check has ended", "var why tea.Cmd"}},
		judge: judge{"ui/views/upgrade", "TestAVersionThatIsTypedConfirmsNothingOnceACheckIsInTheWay|TestAnUpgradeThatBeganMeanwhileStopsThePreflight"},
	},
	{
		holds: "a version is sent only after the checks that are repeated",
		cuts:  []cut{{"ui/views/upgrade/review.go", "if why == nil && r.change.loading {", "if false {"}},
		judge: judge{"ui/views/upgrade", "TestAVersionIsSentOnlyAfterTheChecksThatAreRepeated"},
	},
	{
		holds: "keys that came together acknowledge nothing",
		cuts:  []cut{{"ui/keys.go", "if row.Alone && m.keys.together {", "if false {"}},
		judge: judge{"ui", "TestAKeyThatConsentsCountsAloneOnly"},
	},
	{
		holds: "an enter that came behind other keys confirms no word",
		cuts:  []cut{{"ui/keys.go", "case !takes.Word || key.Type != tea.KeyEnter:", "case true:"}},
		judge: judge{"ui", "TestAWordThatConfirmsIsTypedAtAnyPaceOnAnyLine"},
	},
	{
		holds: "nor does one that came right behind more keys than a slow line gathers",
		cuts:  []cut{{"ui/keyboard/encode.go", "if together && behind {", "if false {"}},
		judge: judge{"ui", "TestAWordThatConfirmsIsTypedAtAnyPaceOnAnyLine"},
	},
	{
		holds: "keys that came together answer no question",
		cuts:  []cut{{"ui/keys.go", "case n > 0 && takes.Question && !m.startsText(keys[0]):", "case false:"}},
		judge: judge{"ui", "TestKeysThatCameTogetherAnswerNoQuestion"},
	},
	{
		holds: "pasted text presses no key",
		cuts:  []cut{{"ui/keys.go", "case msg.Paste:\n\t\treturn m.paste(msg)\n\t}", "}"}},
		judge: judge{"ui", "TestPastedTextPressesNoKey"},
	},
	{
		holds: "a question that opens by itself is not answered by what is being typed",
		cuts:  []cut{{"ui/dialogs.go", "if d.opened.IsZero() {\n\t\treturn false\n\t}", "if true {\n\t\treturn false\n\t}"}},
		judge: judge{"ui", "TestDialogThatOpensByItselfSwallowsWhatIsBeingTyped"},
	},
	{
		holds: "keys do nothing on a terminal that is too small to show it",
		cuts:  []cut{{"ui/keys.go", "case m.layout.tooSmall():\n\t\treturn nil // nobody sees what a key would do\n\t", ""}},
		judge: judge{"ui", "TestTooSmallTerminalSaysSoAndTakesNoKeys"},
	},
	{
		holds: "a lost key is confirmed by its name before anything is sent",
		cuts:  []cut{{"ui/views/services/change/question.go", "case d.review.Open() > 0:", "case false:"}},
		judge: judge{"ui/views/services", "TestALostKeyIsConfirmedByItsNameBeforeAnythingIsSent"},
	},
	{
		holds: "what was only accepted is not told as done",
		cuts:  []cut{{"adminapi/operation/result.go", `case r.Err != nil, r.Later && r.Verdict == "":`, "case r.Err != nil:"}},
		judge: judge{"adminapi/operation", "TestAResultIsToldByItsOutcomeAndItsVerdict"},
	},
	{
		holds: "a row that cannot be used runs by no key",
		cuts:  []cut{{"ui/views/command.go", "case c.WhyNot() == \"\":\n\t\t\treturn c, nil", "default:\n\t\t\treturn c, nil"}},
		judge: judge{"ui/views", "TestARowThatCannotBeUsedSaysWhy"},
	},
	{
		holds: "a lost answer to a change is not told as done",
		cuts:  []cut{{"adminapi/operation/result.go", "case r.Outcome == adminapi.OutcomeUnknown:\n\t\treturn EndLost", "case r.Outcome == adminapi.OutcomeUnknown:\n\t\treturn EndDone"}},
		judge: judge{"ui/views/services", "TestALostAnswerIsLookedForAndNothingIsSentAgain"},
	},
	{
		holds: "a change whose job was not seen to end is not told as done",
		cuts:  []cut{{"adminapi/operation/result.go", `case r.Err != nil, r.Later && r.Verdict == "":`, `case r.Later && r.Verdict == "":`}},
		judge: judge{"ui/views/services", "TestAJobWhoseEndWasNotSeenIsLookedForAndItsReasonsAreSaid"},
	},
	{
		holds: "after a sign-in a change is asked about, not sent by itself",
		cuts:  []cut{{"ui/views/services/change/send.go", "return f.askToSend(true)", "return f.send(sendConfirmed{run: f.run, plan: f.plan})"}},
		judge: judge{"ui/views/services", "TestASignInThatEndsBringsTheQuestionBack"},
	},
	{
		holds: "answers to the settings of an upgrade are on disk while they are typed",
		cuts:  []cut{{"ui/views/upgrade/draft.go", "return d.Scope.Later(d.Env.Clock, typingPause, \"draft\", d.saveNow)", "return nil"}},
		judge: judge{"ui/views/upgrade", "TestAnswersSurviveACrash"},
	},
	{
		holds: "answers to the settings of an upgrade are on disk once these are left",
		cuts:  []cut{{"ui/views/upgrade/settings.go", "return tea.Batch(s.host.open(preflighting), s.draft.saveNow())", "return s.host.open(preflighting)"}},
		judge: judge{"ui/views/upgrade", "TestAnswersAreKeptAtOnceWhenTheSettingsAreLeft"},
	},
	{
		holds: "a hang-up gives the terminal its modes back",
		cuts:  []cut{{"ui/program.go", "terminal.Lose()\n\t\t\t\tdefer terminal.Abandon(before)", "terminal.Lose()"}},
		judge: judge{"ui", "TestSignalsEndTheDashboardCleanly"},
	},
	{
		holds: "the shell gets no answer of the terminal at the end",
		cuts:  []cut{{"ui/jobcontrol.go", "case (stops || quits || lends) && j.keys.Expects():", "case (stops || lends) && j.keys.Expects():"}},
		judge: judge{"ui", "TestWhatGivesTheTerminalAwayWaitsForAnExpectedAnswer"},
	},
	{
		holds: "the shell gets no answer of the terminal after ctrl+z",
		cuts:  []cut{{"ui/jobcontrol.go", "case (stops || quits || lends) && j.keys.Expects():", "case (quits || lends) && !stops && j.keys.Expects():"}},
		judge: judge{"ui", "TestAStoppedDashboardLeavesNoAnswerToTheShell"},
	},
	{
		holds: "keys behind the end do nothing while the answer of the terminal is awaited",
		cuts:  []cut{{"ui/jobcontrol.go", "case j.quitting && !quits:\n\t\treturn nil\n\t", ""}},
		judge: judge{"ui", "TestWhatGivesTheTerminalAwayWaitsForAnExpectedAnswer"},
	},
	{
		holds: "an answer of the terminal that stalls is no key",
		cuts:  []cut{{"ui/keyboard/reader.go", "> restLimit && !r.Expects():", "> restLimit:"}},
		judge: judge{"ui/keyboard", "TestAnAnswerIsHeardHoweverItComesAndIsNoKey"},
	},
	{
		holds: "a program that hangs gives the terminal back",
		cuts:  []cut{{"ui/program.go", "terminal.Abandon(before)\n\t\tprogram.Kill()", "program.Kill()"}},
		judge: judge{"ui", "TestSignalsEndADashboardThatHangs"},
	},
	{
		holds: "a program that hangs ends",
		cuts:  []cut{{"ui/program.go", "case <-grace.C:", "case <-(chan time.Time)(nil):"}},
		judge: judge{"ui", "TestSignalsEndADashboardThatHangs"},
	},
	{
		holds: "a panic restores the terminal and is reported",
		cuts:  []cut{{"ui/program.go", "if value := recover(); value != nil {\n\t\tg.fail(where, value)\n\t}", ""}},
		judge: judge{"ui", "TestAPanicInUpdateViewOrCommandRestoresTheTerminalAndIsReported"},
	},
	{
		holds: "signing out forgets the token",
		cuts:  []cut{{"ui/signin.go", "s.env.Site.Client.Session.SetToken(adminapi.Token{})", ""}},
		judge: judge{"ui", "TestSignOutForgetsTheToken"},
	},
	{
		holds: "a password that was refused is not kept",
		cuts:  []cut{{"ui/signin.go", `d.entered.password, d.entered.token = "", ""`, ""}},
		judge: judge{"ui", "TestRefusedSignInAsksAgainAndKeepsTheUser"},
	},
	{
		holds: "a report is deleted once its name was typed",
		cuts:  []cut{{"ui/views/health/list.go", "Word: deleteWord(entryName(e)), Yes", "Yes"}},
		judge: judge{"ui/views/health", "TestDeletingAReportIsConfirmedFirst"},
	},
	{
		holds: "a paste is bounded",
		cuts:  []cut{{"ui/keyboard/encode.go", "if d.dropped = d.dropped || len(d.paste)+utf8.RuneLen(char) > maxPaste; d.dropped {", "if d.dropped = d.dropped || utf8.RuneLen(char) > maxPaste; d.dropped {"}},
		judge: judge{"ui/keyboard", "TestAPasteEndsAtAMiB"},
	},
	{
		holds: "nothing is drawn on the screen of another program",
		cuts:  []cut{{"ui/paint/terminal.go", "case has(ansi.ResetModeAltScreenSaveCursor):\n\t\tt.drawing = false\n\t", ""}},
		judge: judge{"ui/paint", "TestNothingIsDrawnOnTheScreenOfAnotherProgram"},
	},
	{
		holds: "an edit is on disk once it is made",
		cuts:  []cut{{"ui/views/services/editor/drafts.go", "r.holder, r.err = site.SaveEditDraft(target, *draft)", "r.holder = nil"}},
		judge: judge{"ui/views/services/editor", "TestAnEditIsSavedAndOfferedToTheNextTab"},
	},
	{
		holds: "the newest of many edits is the one on disk",
		cuts:  []cut{{"ui/views/services/editor/drafts.go", "if s.waits {\n\t\treturn tea.Batch(d.write(s), told)\n\t}", ""}},
		judge: judge{"ui/views/services/editor", "TestTheNewestOfManyDraftsIsKept"},
	},
	{
		holds: "an unknown outcome has an exit code of its own",
		cuts:  []cut{{"ui/cli/exit.go", "return &failure{code: exitUnknown, kind: kindUnknown, err: err, advice: adviceUnknown}", "return &failure{code: exitDone, kind: kindUnknown, err: err, advice: adviceUnknown}"}},
		judge: judge{"ui/cli", "TestExitCodesKeepTheirMeaning"},
	},
	{
		holds: "the exit codes keep their meaning",
		cuts:  []cut{{"ui/cli/exit.go", "exitUnknown     = 6", "exitUnknown     = 5"}, {"ui/cli/exit.go", "exitUnreachable = 5", "exitUnreachable = 6"}},
		judge: judge{"ui/cli", "TestExitCodesKeepTheirMeaning"},
	},
	{
		holds: "a write whose outcome nobody found out ends with its code",
		cuts:  []cut{{"ui/cli/exit.go", "f := &failure{code: exitUnknown, kind: kindUnknown, err: err, advice: \"Check before you send it again: \" + look}", "f := &failure{code: exitFailed, kind: kindUnknown, err: err, advice: \"Check before you send it again: \" + look}"}},
		judge: judge{".", "TestCommands/service"},
	},
	{
		holds: "an upgrade whose end nobody knows ends its watch as unknown",
		cuts:  []cut{{"ui/cli/upgrade_watch.go", "case r.Undecided:\n\t\treturn &failure{code: exitUnknown,", "case r.Undecided:\n\t\treturn &failure{code: exitDone,"}},
		judge: judge{"ui/cli", "TestAWatchEndsWithWhatIsKnownOfTheRunItself"},
	},
	{
		holds: "a report that did not pass ends its command with a failure",
		cuts:  []cut{{"ui/cli/health_run.go", "if judged.Failed {", "if judged.Failed && judged.Why == \"\" {"}},
		judge: judge{".", "TestCommands/failed"},
	},
	{
		holds: "a token on the command line is refused",
		cuts:  []cut{{"ui/cli/run.go", `case cmd.Flags().Changed("token"):`, "case false:"}},
		judge: judge{".", "TestCommands/signin"},
	},
	{
		holds: "a command starts an upgrade by its version only",
		cuts:  []cut{{"ui/cli/upgrade_start.go", "if upgrade.Confirms(typed, right) {", `if typed != "" {`}},
		judge: judge{".", "TestCommands/upgrade"},
	},
	{
		holds: "a command stops a service by its name only",
		cuts:  []cut{{"ui/cli/service.go", "if err == nil && confirm != service.Name && confirm != service.Path() {", "if false {"}},
		judge: judge{".", "TestCommands/service"},
	},
}

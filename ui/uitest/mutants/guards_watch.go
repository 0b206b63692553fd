package main

// ofWatch are the guards of what is told of an upgrade and of health checks.
var ofWatch = []guard{
	{
		holds: "the same message sent twice is in the log twice",
		cuts:  []cut{{"adminapi/upgrade/progress/log.go", "isNew = c.inSnapshot > c.inLog", "isNew = c.inLog == 0"}},
		judge: judge{"adminapi/upgrade/progress", "TestAnySnapshotsMergeAsTheRuleSays"},
	},
	{
		holds: "a message that is told again is not in the log twice",
		cuts:  []cut{{"adminapi/upgrade/progress/log.go", "isNew = c.inSnapshot > c.inLog\n\tc.inLog = max(c.inLog, c.inSnapshot)", "isNew = true\n\tc.inLog++"}},
		judge: judge{"adminapi/upgrade/progress", "TestAnySnapshotsMergeAsTheRuleSays"},
	},
	{
		holds: "messages that come out of order are in the order of their times",
		cuts:  []cut{{"adminapi/upgrade/progress/log.go", "len(added) == 0 || added[0].When >= entries[n-1].When {", "true {"}},
		judge: judge{"adminapi/upgrade/progress", "TestAnySnapshotsMergeAsTheRuleSays"},
	},
	{
		holds: "messages of one answer that are out of order are sorted",
		cuts:  []cut{{"adminapi/upgrade/progress/log.go", "if !slices.IsSortedFunc(added, byTime) {\n\t\tslices.SortStableFunc(added, byTime)\n\t}", "_, _ = byTime, slices.SortStableFunc[[]Message]"}},
		judge: judge{"adminapi/upgrade/progress", "TestAnySnapshotsMergeAsTheRuleSays"},
	},
	{
		holds: "messages that the site drops after a restart stay in the log",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", "added, told := merge(storable(status.Messages)), status", "if w.merger.Log().Len() > len(status.Messages) && !goesOn {\n\t\tw.merger = progress.NewMerger(progress.LogBudget)\n\t\tmerge = w.merger.Merge\n\t}\n\tadded, told := merge(storable(status.Messages)), status"}},
		judge: judge{"adminapi/operation", "TestMessagesThatTheSiteDropsStayInTheLog"},
	},
	{
		holds: "a log that floods keeps within its memory",
		cuts:  []cut{{"adminapi/upgrade/progress/log.go", "if m.size > int(m.budget) {\n\t\tm.leaveOut()\n\t}", ""}},
		judge: judge{"adminapi/upgrade/progress", "TestALogThatIsTooLongLacksItsMiddleAndSaysSo"},
	},
	{
		holds: "a state that is not known is neither running nor a success",
		cuts:  []cut{{"adminapi/upgrade/progress/status.go", "\t\treturn StateFailed\n\t}\n\treturn StateUnknown", "\t\treturn StateFailed\n\t}\n\treturn StateSucceeded"}},
		judge: judge{"adminapi/upgrade/progress", "TestAnUnknownStateIsNeitherRunningNorSuccess"},
	},
	{
		holds: "a success that its own code contradicts is none",
		cuts:  []cut{{"adminapi/upgrade/progress/status.go", "case state == adminapi.UpgradeSuccess && code == codeNone,\n", "case state == adminapi.UpgradeSuccess,\n"}},
		judge: judge{"adminapi/upgrade/progress", "TestOnlyASuccessThatNothingContradictsIsOne"},
	},
	{
		holds: "a success needs a message of this run",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", "return DoubtfulSuccess", "return NoDoubt"}},
		judge: judge{"adminapi/operation", "TestSuccessIsThisRunsSuccess"},
	},
	{
		holds: "one answer without an upgrade is no end",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", "return DoubtfulAbsence\n\tcase", "return NoDoubt\n\tcase"}},
		judge: judge{"adminapi/operation", "TestOneAnswerWithoutAnUpgradeIsDoubted"},
	},
	{
		holds: "a lasting doubt is decided by the installed version",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", `if err != nil || target == "" || now.FullVersion() != target {`, "_, _ = now, target\n\tif false {"}},
		judge: judge{"adminapi/operation", "TestALastingDoubtIsDecidedByTheInstalledVersion"},
	},
	{
		holds: "a watch ends at success or failure only",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", "w.last.Doubt == NoDoubt && w.last.Meaning.Over()", "w.last.Doubt == NoDoubt && w.last.Meaning != progress.StateRunning"}},
		judge: judge{"adminapi/operation", "TestAStatusWithoutAStateEndsNoWatchUnlessItsCodeIsKnown|TestOneAnswerWithoutAnUpgradeIsDoubted"},
	},
	{
		holds: "an end that was there before the watch is history, not news",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", "w.last.Ended = w.last.Seen && w.last.Doubt == NoDoubt", "w.last.Ended = w.last.Doubt == NoDoubt"}},
		judge: judge{"adminapi/operation", "TestAnEndThatWasThereAlreadyIsHistory"},
	},
	{
		holds: "a site that does not answer ends no watch",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", "case err != nil && adminapi.IsTransient(err):\n\t\treturn w.unreachable(err), nil", ""}},
		judge: judge{"adminapi/operation", "TestAWatchSurvivesAnOutage"},
	},
	{
		holds: "a sign-in that is refused for a moment ends no watch",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", "case err != nil && w.answered && (errors", "case err != nil && false && (errors"}},
		judge: judge{"adminapi/operation", "TestARefusalThatPassesEndsNoWatch"},
	},
	{
		holds: "an outage of a gateway is no answer of the site",
		cuts:  []cut{{"adminapi/answer.go", "Explicit: a.status >= 400 && !isGateway(a.status)", "Explicit: a.status >= 400"}, {"adminapi/answer.go", "Explicit: !isGateway(a.status),", "Explicit: true,"}},
		judge: judge{"adminapi/operation", "TestJSONOfAGatewayIsNoAnswerOfTheSite"},
	},
	{
		holds: "every message is in the transcript before it is shown",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", "w.save(added, before)\n\tw.derive()\n\tw.settle()\n\tw.listen", "defer w.save(nil, before)\n\tw.derive()\n\tw.settle()\n\tw.listen"}},
		judge: judge{"adminapi/operation", "TestEverySnapshotIsInTheTranscriptBeforeItIsReturned"},
	},
	{
		holds: "a clock that was set changes no silence",
		cuts:  []cut{{"adminapi/operation/silence.go", "for _, without := range []time.Duration{s.gain - s.ahead, s.gain - s.back} {", "for _, without := range []time.Duration{} {"}},
		judge: judge{"adminapi/operation", "TestAStallIsAlarmedByTheClockOfTheSite"},
	},
	{
		holds: "a clock that was set back shortens no wait before an override",
		cuts:  []cut{{"adminapi/operation/claim.go", "passed := max(0, s.Clock.Now().Sub(r.Time)) // a clock that was set back shortens no wait", "passed := s.Clock.Now().Sub(r.Time).Abs()"}},
		judge: judge{"adminapi/operation", "TestAClockThatWasSetBackShortensNoWait"},
	},
	{
		holds: "a silence is alarmed once",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", "case stalls && (later || !w.stalled):", "case stalls:"}},
		judge: judge{"adminapi/operation", "TestAStallIsAlarmedOnceWhateverHappensInIt"},
	},
	{
		holds: "a result that is not known is not passed",
		cuts:  []cut{{"adminapi/health/verdict.go", "case \"warn\", \"warns\", \"warned\", \"warning\", \"warnings\":\n\t\treturn Warning\n\t}\n\treturn Unknown", "case \"warn\", \"warns\", \"warned\", \"warning\", \"warnings\":\n\t\treturn Warning\n\t}\n\treturn Passed"}},
		judge: judge{"adminapi/health", "TestJudgeNeverPassesByAccident"},
	},
	{
		holds: "a report is not better than its tests",
		cuts:  []cut{{"adminapi/health/verdict.go", "return Worse(own, tests.Worst())", "return own"}},
		judge: judge{"adminapi/health", "TestOverallBelievesTheWorst|TestSuiteIsNotBetterThanItsTests"},
	},
	{
		holds: "a report that passed without a test is not passed",
		cuts:  []cut{{"adminapi/health/verdict.go", "if own == Passed && tests[Passed] == 0 {", "if false {"}},
		judge: judge{"adminapi/health", "TestOverallBelievesTheWorst|TestSuiteIsNotBetterThanItsTests"},
	},
	{
		holds: "a pass in a state that is not known is not passed",
		cuts:  []cut{{"adminapi/health/verdict.go", "case verdict == Passed:\n\t\treturn Unknown\n\t}", "}"}},
		judge: judge{"adminapi/health", "TestStateDecidesWhetherAPassIsTheLastWord"},
	},
	{
		holds: "a file for a pipeline is green only where the report passed",
		cuts:  []cut{{"adminapi/health/exportjunit.go", "if v := Overall(r); v != Passed && root.Failures+root.Errors == 0 {", "if v := Overall(r); v != Passed && root.Failures+root.Errors < 0 {"}},
		judge: judge{"adminapi/health", "TestJUnitIsGreenOnlyWhereTheReportPassed"},
	},
	{
		holds: "a failure that others have seen since is as new as before",
		cuts:  []cut{{"adminapi/health/baseline.go", `case better && betterWords[old.Verdict] != "":`, `case better && betterWords[old.Verdict] != "" && p.Before == "":`}},
		judge: judge{"adminapi/health", "TestAFailureIsNewAsLongAsItsTestDidBetterWithinTheDays"},
	},
	{
		holds: "a report that cannot be read hides no failure",
		cuts:  []cut{{"adminapi/health/baseline.go", `p.Before == "" || p.Doubt != "" }`, `p.Before == "" }`}},
		judge: judge{"adminapi/health", "TestAFailureIsNewAsLongAsItsTestDidBetterWithinTheDays"},
	},
	{
		holds: "what could not be read before an upgrade is not taken for good",
		cuts:  []cut{{"adminapi/clock.go", "if f.Err = err; err != nil {\n\t\treturn\n\t}\n", ""}},
		judge: judge{"adminapi/operation", "TestTheFactsBeforeAnUpgrade"},
	},
	{
		holds: "read-only mode stops an upgrade before it is sent",
		cuts:  []cut{{"adminapi/upgrade/preflight.go", "return finding.Finding{Strength: finding.Block,", "return finding.Finding{Strength: finding.Caution,"}},
		judge: judge{"adminapi/upgrade", "TestChecks"},
	},
	{
		holds: "a health check whose answer was lost is found, and not sent again",
		cuts:  []cut{{"adminapi/operation/health.go", "found := Resolution{Outcome: adminapi.OutcomeDone, Report: report", "found := Resolution{Outcome: adminapi.OutcomeRefused, Report: report"}},
		judge: judge{"adminapi/operation", "TestAHealthRunWhoseAnswerWasLostIsFoundByTheNextProgram"},
	},
}

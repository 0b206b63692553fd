package main

// ofDocuments are the guards of what is edited and sent as a whole: definitions and rules of
// placement.
var ofDocuments = []guard{
	{
		holds: "a part that changed at the site since it was read is not overwritten",
		cuts:  []cut{{"adminapi/operation/editapply.go", "len(changes) > 0 {\n\t\treturn journal.Backup{}, &DriftError", "len(changes) > 1<<30 {\n\t\treturn journal.Backup{}, &DriftError"}},
		judge: judge{"adminapi/operation", "TestDriftStopsAnEdit"},
	},
	{
		holds: "what is replaced is on disk before anything is sent",
		cuts:  []cut{{"adminapi/operation/editapply.go", "return backup, fmt.Errorf(\"the old %s could not be saved, so nothing was sent: %w\", edit.Part, err)", "return backup, nil"}},
		judge: judge{"adminapi/operation", "TestWithoutABackupNothingIsSent"},
	},
	{
		holds: "every edit leaves a backup of what it replaced",
		cuts:  []cut{{"adminapi/operation/editapply.go", `backup, err := claim.saveBackup(ctx, now, "before "+cmp.Or(edit.Why, "an edit"))`, "var backup journal.Backup\n_ = cmp.Or(edit.Why)"}},
		judge: judge{"adminapi/operation", "TestEveryEditLeavesABackup|TestTheOldDefinitionIsOnDiskBeforeTheNewOneIsSent|TestAPolicyIsSentOnceReadBackAndBackedUp"},
	},
	{
		holds: "keys that the site would delete are confirmed by name",
		cuts:  []cut{{"adminapi/operation/edit.go", "removed := e.Unconfirmed(); len(removed) > 0 {", "removed := e.Unconfirmed(); len(removed) > 1<<30 {"}},
		judge: judge{"adminapi/operation", "TestNothingThatIsWrongIsSent"},
	},
	{
		holds: "an edit that breaks a rule of its fields is not sent",
		cuts:  []cut{{"adminapi/operation/edit.go", "if err := e.Blocked(); err != nil {\n\t\treturn err\n\t}", ""}},
		judge: judge{"adminapi/operation", "TestNothingThatIsWrongIsSent"},
	},
	{
		holds: "rules that no node meets need a confirmation",
		cuts:  []cut{{"adminapi/operation/edit.go", "len(unschedulable) > 0 && !e.AllowNone {", "len(unschedulable) > 1<<30 {"}},
		judge: judge{"adminapi/operation", "TestAnEditThatLeavesNoNodeNeedsAConfirmation"},
	},
	{
		holds: "an edit that changes nothing is not sent",
		cuts:  []cut{{"adminapi/operation/edit.go", "if len(document.Diff(e.Base, e.Edited)) == 0 {\n\t\treturn ErrNothingChanged\n\t}", ""}},
		judge: judge{"adminapi/operation", "TestNothingThatIsWrongIsSent"},
	},
	{
		holds: "what the site accepted and did not keep is told",
		cuts:  []cut{{"adminapi/operation/editapply.go", "return &NotStoredError{changes}", "return nil"}},
		judge: judge{"adminapi/operation", "TestAnEditThatIsAcceptedButNotKeptIsAnError"},
	},
	{
		holds: "a failed job is a failure, whatever the site has",
		cuts:  []cut{{"adminapi/operation/poll.go", "case job.Failed():\n\t\treturn Step[adminapi.Job]{Value: job}, &JobError{Job: job}\n\tcase job.Completed():", "case job.Ended():"}},
		judge: judge{"adminapi/operation", "TestAJobThatFailsIsAFailureWhateverTheSiteHas"},
	},
	{
		holds: "a definition of somebody else after a lost answer is not taken for ours",
		cuts:  []cut{{"adminapi/operation/editsearch.go", "found.Shows, found.How = ShowsOther, fmt", "found.Outcome, found.How = adminapi.OutcomeDone, fmt"}},
		judge: judge{"adminapi/operation", "TestALostAnswerAndADefinitionOfSomebodyElseStaysUnknown"},
	},
	{
		holds: "the end of a job of somebody else is not the end of ours",
		cuts:  []cut{{"adminapi/operation/editsearch.go", `return l.user != "" && job.Username == l.user`, "return true"}},
		judge: judge{"adminapi/operation", "TestTheEndOfAnothersJobIsNotTheEndOfOurs"},
	},
	{
		holds: "several services stop at the first that is not done",
		cuts:  []cut{{"adminapi/operation/editmany.go", "if !result.Done() || result.Down() {", "if false {"}},
		judge: judge{"adminapi/operation", "TestSeveralServicesStopAtTheFirstFailure"},
	},
	{
		holds: "a conflict stops a merge",
		cuts:  []cut{{"adminapi/document/merge.go", "case !isSame(v.base, v.theirs):\n\t\tm.conflict(path, v)", ""}},
		judge: judge{"adminapi/document", "TestAConflictStopsAMergeAndHasBothVersions"},
	},
	{
		holds: "an edit in conflict is left as it was",
		cuts:  []cut{{"adminapi/operation/editmerge.go", "if len(conflicts) > 0 {\n\t\treturn m.Edit, conflicts\n\t}", "if len(conflicts) > 0 {\n\t\tmerged, conflicts = m.Edit.Edited, nil\n\t}"}},
		judge: judge{"adminapi/operation", "TestDriftStopsAnEdit"},
	},
	{
		holds: "a key that an object has twice is refused, not lost",
		cuts:  []cut{{"adminapi/document/parse.go", "if r.has(&r.open[len(r.open)-1], text[end-len(raw):end]) {", "if false {"}},
		judge: judge{"adminapi/document", "TestBadJSONIsRefusedInPlainWordsWithItsPlace"},
	},
	{
		holds: "numbers are compared by all their digits",
		cuts: []cut{{
			"adminapi/document/diff.go", "kind == Number && numberOf(rawA) == numberOf(rawB):",
			"kind == Number && func() bool { x, _ := strconv.ParseFloat(rawA, 64); y, _ := strconv.ParseFloat(rawB, 64); return x == y }():",
		}},
		judge: judge{"adminapi/document", "TestVersionsAreComparedByMeaning"},
	},
	{
		holds: "numbers in rules keep their digits",
		cuts: []cut{{
			"adminapi/placement/edit.go", "options := []jsontext.Options{jsontext.PreserveRawStrings(true), jsontext.SpaceAfterColon(l.blank)}",
			"options := []jsontext.Options{jsontext.PreserveRawStrings(true), jsontext.SpaceAfterColon(l.blank), jsontext.CanonicalizeRawInts(true), jsontext.CanonicalizeRawFloats(true)}",
		}},
		judge: judge{"adminapi/placement", "TestRulesAreCopiedFromAnotherServiceWithAllTheyHave"},
	},
	{
		holds: "a copied term keeps the keys that we do not know",
		cuts:  []cut{{"adminapi/placement/edit.go", "raw := n.Raw()\n\tif strings.Contains(raw, \"\\n\") {\n\t\traw = n.Subtree()\n\t}", `raw := "{}"`}},
		judge: judge{"adminapi/placement", "TestAnEditChangesWhatItIsAboutAndNothingElse"},
	},
	{
		holds: "new rules replace those of their deployment alone",
		cuts:  []cut{{"adminapi/operation/editplacement.go", "case there.DeploymentID != id:", "case there.DeploymentID != id && i > 0:"}},
		judge: judge{"adminapi/operation", "TestRulesArePutOntoTheirDeploymentAndTheRestStaysAsItIs"},
	},
	{
		holds: "secrets in differences are masked",
		cuts:  []cut{{"adminapi/secrets/json.go", "case v.isSecret && text != \"\":", "case false:"}},
		judge: judge{"adminapi/document", "TestAChangedSecretIsAChangeWithoutEitherValue|TestSecretsAreMaskedAndEveryOtherByteStays"},
		also:  []judge{{"adminapi/secrets", "TestJSONIsMaskedByItsNames"}},
	},
	{
		holds: "a removed key is found wherever it stands",
		cuts:  []cut{{"adminapi/document/diff.go", "case a.Kind() == Array:\n\t\tr.arrays(path, a, b)", ""}},
		judge: judge{"adminapi/document", "TestRemovedKeysAreNamed|TestAnyDeletionIsNamedExactly"},
	},
}

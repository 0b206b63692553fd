package main

// ofSending are faults in what is sent and how often, and in what is told and found out of it. Above each
// stands how a user would notice.
var ofSending = []fault{
	// The command of the next day says that an upgrade has begun which a colleague started that morning.
	planted(1, "an upgrade that began hours after a request of unknown outcome is taken for it",
		never("Site.lookForUpgrade", "maxApart")),
	// Of two tries at one version, Activity tells the end of the second as that of the first, too.
	planted(1, "a request of unknown outcome is matched with what was sent by its version alone",
		always("SentUpgrade.isOf", "saved")),
	// History says "outcome unknown" of an edit that never left the machine.
	planted(2, "an edit that was not sent stays on disk as one that was",
		never("Site.ApplyEdit", "OutcomeNotSent outcome")),
	// After a refused connection the upgrade of a colleague to that version is watched as one's own.
	planted(2, "an upgrade that was not sent stays on disk as one that was",
		drop("Site.launch", "discard").nth(2), returns("SentUpgrade.neverBegan", "ContainsFunc", "false")),
	// A second upgrade is posted into one that runs.
	planted(6, "a state of the site in capitals is not known",
		argument("progress.StateOf", "ToLower")),
	// Where the first answer took a minute, a second start posts again before the site shows the first.
	planted(6, "an accepted upgrade that does not show yet is in the way for a minute from its sending, not from its answer",
		set("Site.sinceAnswer", "took", "time.Duration(0)")),
	// An edit of unknown outcome is called done, or failed, by a job that somebody had run an hour before.
	planted(7, "a job that began long before an edit is taken for its own",
		always("beganAt", "StartTime ClockSlack")),
	// "refused", and half a minute later the site has it.
	planted(7, "while something goes on that may be the write, the site counts as unchanged",
		drop("Search.Next", "same ShowsUnchanged")),
	// The same, of an edit that is answered at its end.
	planted(7, "an edit that shows only at its end is called refused half a minute after an error",
		always("Site.resolveWrite", "showsAtItsEnd")),
	// A service with a blank in its name: "no job edits the service", while one does.
	planted(7, "a job is not found by a path that the site has escaped",
		argument("Target.IsEditedBy", "Unescaped")),
	// One word is typed for one write, and the next goes out over two.
	planted(7, "behind a write that was overridden no other open one is looked for",
		then("Site.resolveOpen", "append", "return overridden, nil")),
	// "The site has the new definition", and it has half of it.
	planted(8, "an edit whose job the site has removed is done, whatever the site has",
		always("Site.readBack", "changes len").nth(1)),
	// The same after a lost answer.
	planted(8, "where its job was found, an edit is not compared with what the site has",
		drop("editLook.ended", "NotStored")),
	// A watch ends as failed while the upgrade goes on.
	planted(11, "a failure is believed whose code says that the upgrade runs",
		always("progress.StateOf", "codeInProgress code").nth(2)),
	// With a clock that is ten minutes slow, the upgrade that ran before is taken for what was sent.
	planted(12, "an upgrade is dated by the clock of this machine",
		set("Site.launch", "Submitted site", "adminapi.MillisOf(s.Clock.Now())")),
	// Every screen says that the upgrade is stalled, on a machine whose clock is an hour fast.
	planted(12, "the silence of an upgrade that nobody watches is measured by the clock of this machine",
		becomes("StateReader.stall", "Add", "at.Add(0 * ahead)")),
	// Activity calls a write unknown, and asks for its word, while another terminal still waits for its answer.
	planted(14, "a write of another program that waits for its answer counts as left behind",
		never("Journal.Claimed", "unlocked")),
	// One key of five is agreed to, and all five go.
	planted(16, "who has accepted the removal of one key has accepted that of all",
		swap("editing.AcceptedOf", "open RemovedKeys", "all")),
	// A whole object is replaced, and the keys that it loses are not named.
	planted(16, "keys that are lost within a value that changed are not named",
		drop("risks.ofRemoved", "values")),
	// A colleague puts extensions into another order, and a merge puts them back without a word.
	planted(17, "a list whose elements were put into another order is merged element by element",
		always("versions.mergeable", "order")),
	// The review of a merge calls a value kept that it overwrites.
	planted(17, "what a merge overwrites of others counts as kept",
		always("Merge.Others", "sameRules")),
	// A production site that was left and come back to takes a change without its name.
	planted(37, "a site that is gone to later is unlocked by the flag of the start",
		always("Session.Unlocks", "Locked as")),
	// A script goes on with code 0 after a site of which nobody knows whether the check runs.
	planted(41, "an unknown outcome at one site is no failure of the fleet",
		omit("fleet.worstCodes", "Unknown")),
	// The fleet shows the report of the day before, of a site whose check ended an hour ago.
	planted(41, "a report that has ended since is not read again",
		returns("adminapi/fleet.same", "EndTime", "a.ID == b.ID")),
	// The review of a rollback names the patches, but not the newest.
	planted(45, "a patch that the list of what is installed lacks is not removed by a rollback",
		never("upgrade.Rollbacks", "Known")),
	// The version that was typed is one that the site was on two patches ago.
	planted(45, "a patch leads back to what it names, also where a later one is installed",
		always("rollbackReading.before", "at lower").nth(1)),
	// "done", of a start whose job has failed.
	planted(47, "a start or stop that was accepted is done",
		becomes("WriteKind.EndsLater", "Contains",
			"slices.Contains([]WriteKind{WriteReportDeletion, WriteManifest, WriteUpload, WriteUploadDeletion, WriteStart, WriteStop}, k)")),
	// Activity tells that the check has failed: it was a colleague's.
	planted(47, "the end of a health check that may be somebody else's is recorded",
		never("HealthRun.Next", "adopted failed own")),
	// The record says "it succeeded" with the report of the night before.
	planted(47, "a report of the same name that is older than the request is that of a health check",
		always("runSearch.findReport", "since")),
	// After the clock was set back, a batch that was interrupted sends again what it has sent.
	planted(48, "what a batch has sent is told by the clock of this machine alone",
		always("batchDraft.after", "Records nil")),
	// A batch that was gone on with once, and interrupted again, sends its first services twice.
	planted(48, "a batch that is gone on with forgets what it had sent before",
		drop("batching.Begin", "Records kept")),
	// A service whose edit met a refused connection gets none, and the batch counts as sent.
	planted(48, "an edit of a batch that was not sent counts as sent",
		always("EditSentSince", "OutcomeNotSent")),
	// "upgrade running" stands on every screen, without an age, an hour after the site fell silent.
	planted(49, "while a watched site does not answer, what is known of it counts as the present",
		omit("State.Watched", "Unreachable")),
	// The header says read-only by a message of an hour ago, though the site was just asked.
	planted(49, "a message of an upgrade about the mode counts more than a later answer",
		always("State.Watched", "changed After")),
}

package main

import "slices"

// guards returns all guards, by topic.
func guards() []guard {
	return slices.Concat(ofWrites, ofDocuments, ofJournal, ofWatch, ofText, ofScreen, ofOutside)
}

// ofWrites are the guards of the one request path, and of what may be sent.
var ofWrites = []guard{
	{
		holds: "a write has a connection of its own, which no server has closed meanwhile",
		cuts:  []cut{{"adminapi/transport.go", "fresh.DisableKeepAlives = true", ""}},
		judge: judge{"adminapi", "TestAReusedConnectionThatIsClosedPostsAWriteOnce"},
	},
	{
		holds: "a transport cannot send the body of a write again",
		cuts: []cut{{
			"adminapi/request.go", "req.Body, req.ContentLength = onceOnly{strings.NewReader(form)}, int64(len(form))",
			`req.GetBody = func() (io.ReadCloser, error) { return onceOnly{strings.NewReader(form)}, nil }
		req.Body, req.ContentLength = onceOnly{strings.NewReader(form)}, int64(len(form))`,
		}},
		judge: judge{"adminapi", "TestAHealthRunIsSentOnceAndItsOutcomeFollowsFromTheAnswer"},
	},
	{
		holds: "one post for one intent: a write is never retried",
		cuts:  []cut{{"adminapi/writes.go", "a, e := c.exchange(ctx, k, c.writes)", "a, e := c.retry(ctx, k)"}},
		judge: judge{"adminapi", "TestAHealthRunIsSentOnceAndItsOutcomeFollowsFromTheAnswer"},
	},
	{
		holds: "a write that a session ended is not sent again with a new token",
		cuts: []cut{{
			"adminapi/writes.go", "c.Session.renewed(ctx, a.sentToken) // for the next request; this one is not sent again",
			"if c.Session.renewed(ctx, a.sentToken) {\nreturn c.send(ctx, k, accept)\n}",
		}},
		judge: judge{"adminapi", "TestAHealthRunIsSentOnceAndItsOutcomeFollowsFromTheAnswer|TestARefusedTokenIsRenewedOnce"},
	},
	{
		holds: "a write that cannot be recorded is not sent",
		cuts:  []cut{{"adminapi/writes.go", "if err == nil {\n\t\toutcome, err = c.send", "if true {\n\t\toutcome, err = c.send"}},
		judge: judge{"adminapi", "TestAnObserverSeesEveryWriteBeforeAndAfter"},
	},
	{
		holds: "a client that is read-only sends no write, whoever calls it",
		cuts:  []cut{{"adminapi/writes.go", "e := c.writable()\n\tif e == nil {\n\t\tk, u, e", "var e *Error\n\tif e == nil {\n\t\tk, u, e"}},
		judge: judge{"adminapi", "TestAReadOnlyClientRefusesEveryWrite"},
	},
	{
		holds: "a locked client sends no write before it is unlocked",
		cuts:  []cut{{"adminapi/writes.go", "case c.Locked():", "case false:"}},
		judge: judge{"adminapi", "TestALockedClientRefusesEveryWriteUntilItIsUnlocked"},
	},
	{
		holds: "unlocking does not lift --read-only",
		cuts:  []cut{{"adminapi/writes.go", "case c.config.ReadOnly: //", "case c.config.ReadOnly && !c.Unlocked(): //"}},
		judge: judge{"adminapi", "TestALockedClientRefusesEveryWriteUntilItIsUnlocked"},
	},
	{
		holds: "a client that is locked again sends nothing",
		cuts:  []cut{{"adminapi/client.go", "func (c *Client) Lock() { c.unlocked.Store(false) }", "func (c *Client) Lock() {}"}},
		judge: judge{"adminapi", "TestALockedClientRefusesEveryWriteUntilItIsUnlocked"},
	},
	{
		holds: "an answer that is not understood is no success",
		cuts:  []cut{{"adminapi/writes.go", "return OutcomeUnknown, e\n\t}\n\treturn OutcomeDone, nil", "return OutcomeDone, nil\n\t}\n\treturn OutcomeDone, nil"}},
		judge: judge{"adminapi", "TestAHealthRunIsSentOnceAndItsOutcomeFollowsFromTheAnswer"},
	},
	{
		holds: "what a gateway answers is not taken for a refusal by the site",
		cuts: []cut{
			{"adminapi/answer.go", "case isGateway(status):\n\t\treturn false", "case isGateway(status):\n\t\treturn true"},
		},
		judge: judge{"adminapi", "TestAHealthRunIsSentOnceAndItsOutcomeFollowsFromTheAnswer"},
	},
	{
		holds: "an error of the server while it works leaves the outcome unknown",
		cuts:  []cut{{"adminapi/answer.go", "return false // the words may be about this very request", "return true"}},
		judge: judge{"adminapi", "TestAHealthRunIsSentOnceAndItsOutcomeFollowsFromTheAnswer"},
	},
	{
		holds: "a write whose connection breaks is not called unsent",
		cuts:  []cut{{"adminapi/request.go", "return !c.obtained.Load() && (standard || c.requested.Load())", "_ = standard\n\treturn true"}},
		judge: judge{"adminapi", "TestAHealthRunIsSentOnceAndItsOutcomeFollowsFromTheAnswer"},
	},
	{
		holds: "no redirect is followed with a token or a body",
		cuts:  []cut{{"adminapi/request.go", "resp, err := via.RoundTrip(req)", "resp, err := (&http.Client{Transport: via}).Do(req)"}},
		judge: judge{"adminapi", "TestARedirectedPostOrReadIsNotFollowed"},
	},
	{
		holds: "no id of an answer leads out of its place at the site",
		cuts:  []cut{{"adminapi/request.go", `escaped += "/" + url.PathEscape(segment)`, `escaped += "/" + segment`}},
		judge: judge{"adminapi", "TestIdsStayWithinTheirSegment"},
	},
	{
		holds: "the token is in no address, which proxies and logs keep",
		cuts:  []cut{{"adminapi/request.go", `u.RawQuery = k.form("").Encode()`, `u.RawQuery = k.form(token.Reveal()).Encode()`}},
		judge: judge{"adminapi", "TestTheTokenIsNeverInAnAddress"},
	},
	{
		holds: "the token goes over an encrypted line only",
		cuts:  []cut{{"adminapi/site.go", `case u.Scheme == "http" && !insecure && !isLoopback(u.Hostname()):`, `case u.Scheme == "http" && false:`}},
		judge: judge{"adminapi", "TestAddressesThatAreRefusedSayWhy"},
	},
	{
		holds: "nothing is sent to a site whose certificate is not trusted",
		cuts:  []cut{{"adminapi/transport.go", "config := &tls.Config{MinVersion: tls.VersionTLS12}", "config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}"}},
		judge: judge{"adminapi", "TestABadCertificateIsExplainedAndNothingIsSent"},
	},
	{
		holds: "nothing is sent over an encryption that is broken",
		cuts:  []cut{{"adminapi/transport.go", "config := &tls.Config{MinVersion: tls.VersionTLS12}", "config := &tls.Config{MinVersion: tls.VersionTLS10}"}},
		judge: judge{"adminapi", "TestOldTLSIsRefused"},
	},
	{
		holds: "an address holds no password, which histories and lists of processes keep",
		cuts:  []cut{{"adminapi/site.go", "case u.User != nil:", "case false:"}},
		judge: judge{"adminapi", "TestAddressesThatAreRefusedSayWhy"},
	},
	{
		holds: "a refused token is renewed once by all who were refused",
		cuts:  []cut{{"adminapi/signin.go", "if s.Token().Value != old {\n\t\treturn true, nil\n\t}", ""}},
		judge: judge{"adminapi", "TestARefusedTokenIsRenewedOnce"},
	},
	{
		holds: "a token that the site refuses leads to a sign-in",
		cuts:  []cut{{"adminapi/answer.go", "case http.StatusUnauthorized, codeBadToken, codeNoToken:\n\t\treturn KindSignIn", "case http.StatusUnauthorized:\n\t\treturn KindSignIn"}},
		judge: judge{"adminapi", "TestEveryFormOfAnErrorIsUnderstood"},
	},
	{
		holds: "a read is repeated three times at most",
		cuts:  []cut{{"adminapi/reads.go", "if e == nil || retries == maxRetries || !isRetryable(e) {", "if e == nil || retries == 50 || !isRetryable(e) {"}},
		judge: judge{"adminapi", "TestAReadIsRetriedThreeTimesWithGrowingPauses"},
	},
	{
		holds: "a request without an answer ends in time",
		cuts:  []cut{{"adminapi/transport.go", "d.timer = after(timeout, func() { cancel(errNoAnswer) })", "d.timer = after(timeout, func() {})"}},
		judge: judge{"adminapi", "TestAnAnswerOfOneByteAMinuteEndsInTime"},
	},
	{
		holds: "an endless answer is read to its limit only",
		cuts:  []cut{{"adminapi/answer.go", "all := &io.LimitedReader{R: resp.Body, N: limit + 1}", "all := &io.LimitedReader{R: resp.Body, N: 1 << 60}"}},
		judge: judge{"adminapi", "TestAnEndlessBodyAndAGzipBombAreNotReadToTheirEnd"},
	},
	{
		holds: "answers that are read at a time share a budget of memory",
		cuts:  []cut{{"adminapi/transport.go", "bodies{semaphore.NewWeighted(bodyBudget)}", "bodies{semaphore.NewWeighted(1 << 60)}"}},
		judge: judge{"adminapi", "TestConcurrentAnswersShareABudgetOfMemory"},
	},
	{
		holds: "errors of the site repeat no secret",
		cuts:  []cut{{"adminapi/request.go", "return e.masked(a.secrets)", "return e"}},
		judge: judge{"adminapi", "TestNoSecretIsInAnyText"},
	},
	{
		holds: "the licence of an upgrade is in no error and no record",
		cuts:  []cut{{"adminapi/request.go", "case p.Secret:\n\t\treturn secrets.Secret(p.Content).String()", ""}, {"adminapi/request.go", "case p.File:\n\t\treturn strings", "case p.File && !p.Secret:\n\t\treturn strings"}},
		judge: judge{"adminapi", "TestALicenceIsInNoErrorAndNoWrite"},
	},
	{
		holds: "two programs do not change one target at the same time",
		cuts:  []cut{{"adminapi/journal/claim.go", "f, held, err := j.lockFile(path)", "f, held, err := j.lockFile(path)\n\theld = false"}},
		judge: judge{"adminapi/journal", "TestATargetIsClaimedByOneProgramAtATime"},
		also:  []judge{{"adminapi/operation", "TestTwoStartsAtOnceSendOnce"}},
	},
	{
		holds: "a write that changes a target is not sent without a claim on it",
		cuts:  []cut{{"adminapi/journal/actions.go", `if w.Target != "" && !claimed {`, "_ = claimed\n\tif false {"}},
		judge: judge{"adminapi/journal", "TestAWriteThatChangesATargetIsNotSentWithoutAClaim"},
	},
	{
		holds: "a write of unknown outcome stops the next on its target",
		cuts:  []cut{{"adminapi/operation/claim.go", `case typed == "" || wait > 0:`, `case false:`}},
		judge: judge{"adminapi/operation", "TestAnUnresolvedUpgradeStopsTheNextOne"},
	},
	{
		holds: "a write of unknown outcome is not overridden too soon",
		cuts:  []cut{{"adminapi/operation/claim.go", `case typed == "" || wait > 0:`, `case typed == "":`}},
		judge: judge{"adminapi/operation", "TestAnUpgradeIsSentAgainOnlyByTypingItsVersionAndNotTooSoon"},
	},
	{
		holds: "a write of unknown outcome is overridden by its own name only",
		cuts:  []cut{{"adminapi/operation/claim.go", `case typed != "" && !strings.EqualFold(strings.TrimSpace(typed), r.Subject):`, `case false:`}},
		judge: judge{"adminapi/operation", "TestAnUpgradeIsSentAgainOnlyByTypingItsVersionAndNotTooSoon"},
	},
	{
		holds: "an edit whose job runs is not sent again",
		cuts:  []cut{{"adminapi/operation/claim.go", "return overridden, s.resolveJobs(ctx, target, typed)", "return overridden, nil"}},
		judge: judge{"adminapi/operation", "TestAnEditWhoseJobRunsIsNotSentAgain"},
	},
	{
		holds: "an accepted upgrade that the site shows late is not sent again",
		cuts:  []cut{{"adminapi/operation/upgradestart.go", "err = s.checkJustSent(ctx, run.before)", "err = nil"}},
		judge: judge{"adminapi/operation", "TestAnAcceptedUpgradeThatShowsLateIsNotSentAgain"},
	},
	{
		holds: "nothing is sent while an upgrade runs",
		cuts:  []cut{{"adminapi/operation/upgradestart.go", "if progress.Runs(run.before) {", "if false {"}},
		judge: judge{"adminapi/operation", "TestTheLastCheckIsRightBeforeTheRequest|TestNothingIsSentWhileSomebodyElsesUpgradeRuns"},
	},
	{
		holds: "settings that changed since the review stop the upgrade",
		cuts:  []cut{{"adminapi/operation/upgradestart.go", "len(changed) > 0 {", "len(changed) > 1<<30 {"}},
		judge: judge{"adminapi/operation", "TestSettingsThatChangedSinceTheReviewStopTheUpgrade"},
	},
	{
		holds: "a licence stays at the site while that may need it",
		cuts:  []cut{{"adminapi/operation/upgradestart.go", "err == nil && r.asBefore(status) {\n\t\tr.site", "err == nil || r.asBefore(status) {\n\t\tr.site"}},
		judge: judge{"adminapi/operation", "TestALicenceIsDeletedOnlyOnAnIdleSite"},
	},
	{
		holds: "a licence of an upgrade that was not sent does not stay at the site",
		cuts:  []cut{{"adminapi/operation/upgradestart.go", "case !result.Sent():\n\t\ts.deleteUploads(ctx, run.uploads)", "case !result.Sent():"}},
		judge: judge{"adminapi/operation", "TestALicenceOfAFailedStartIsDeleted|TestALicenceIsDeletedAfterAnInterrupt"},
	},
	{
		holds: "an upgrade of somebody else is not adopted after a lost answer",
		cuts:  []cut{{"adminapi/operation/upgradesearch.go", "progress.StartedSince(r.before, status, r.submitted) && (r.sent.mayBe(last) ||", "progress.Runs(status) && (last.Began != 0 ||"}},
		judge: judge{"adminapi/operation", "TestAnOlderUpgradeIsSomebodyElses|TestALaterUpgradeToAnotherVersionMayBeSomebodyElses"},
	},
	{
		holds: "a rollback that is not clear is not sent",
		cuts:  []cut{{"adminapi/operation/rollback.go", "if len(r.ConfirmWords()) == 0 {", "if false {"}},
		judge: judge{"adminapi/operation", "TestARollbackThatIsNotSureIsNotSent"},
	},
	{
		holds: "a run that leads elsewhere than what was confirmed is told",
		cuts:  []cut{{"adminapi/operation/rollback.go", "return s.Submitted-clockSlack <= run.Began", "return false && s.Submitted-clockSlack <= run.Began"}},
		judge: judge{"adminapi/operation", "TestARollbackThatLeadsElsewhereIsToldAtOnceAndToALaterWatch"},
	},
	{
		holds: "a watch that saw a run before the answer to its request tells that it leads elsewhere",
		cuts:  []cut{{"adminapi/operation/upgradewatch.go", `!same || w.confirmed == "" &&`, "!same || false &&"}},
		judge: judge{"adminapi/operation", "TestAWatchThatSawARunBeforeTheAnswerTellsThatItLeadsElsewhere"},
	},
	{
		holds: "one look at an idle site makes no refusal of an unknown outcome",
		cuts:  []cut{{"adminapi/operation/search.go", "now.Sub(s.same) >= searchTime", "true"}},
		judge: judge{"adminapi/operation", "TestOneLookAtAnIdleSiteIsNoRefusal|TestAnErrorOfAnIdleSiteIsARefusalOnlyAfterASearch"},
	},
	{
		holds: "an upgrade that never arrived ends as unknown, not as refused or done",
		cuts:  []cut{{"adminapi/operation/search.go", "found.Err = fmt.Errorf(\"%w; checked for", "_ = fmt.Errorf(\"%w; checked for"}},
		judge: judge{"adminapi/operation", "TestAnUpgradeThatNeverArrivedIsNotClaimed"},
	},
	{
		holds: "an edit that was accepted, and whose program was killed before it kept the job, is not sent again while it goes on",
		cuts:  []cut{{"adminapi/operation/claim.go", "!(recorded && accepted(last) && sendsText(last, sumOf(sent.Edited)))", "true"}},
		judge: judge{"ui/uitest/sweep", "TestKeptDays"},
	},
	{
		holds: "what a service has after a later write says nothing of the one before",
		cuts:  []cut{{"adminapi/operation/resolve.go", "!newer[r.Target] && s.settleEnd(ctx, r)", "s.settleEnd(ctx, r)"}},
		judge: judge{"adminapi/operation", "TestTheNextProgramJudgesOnlyTheLastWriteToAService"},
	},
	{
		holds: "a health run that goes on has no end in the record",
		cuts:  []cut{{"adminapi/operation/health.go", "if !report.EndTime.IsZero() || report.State == stateCompleted {\n\t\t\tfound", "{\n\t\t\tfound"}},
		judge: judge{"adminapi/operation", "TestTheNextProgramRecordsHowAHealthRunEnded"},
	},
}

package sweep

// Known are the outcomes and the troubles that a sweep must have met, see [Verdict.Met].
func Known() []string {
	known := []string{"killed", "power cut", "the clock jumps", "another stops the service", "drift", "an earlier write is in the way", theLock, "a batch is interrupted",
		"what cannot be read is accepted",
		"a whole transcript", "the line drops in the editor", "killed in the editor", settledLater, "watch: succeeded", "watch: ended otherwise"}
	known = append(known, "two writes are open", "an edit over one that never arrived is open", "an older sent edit is left", "an outcome is looked for during an outage",
		"an open write is looked at: done", "an open write is looked at: unknown", "the log is listed by a command", "another spelling of a service with an open write",
		"each of several versions is in the history", "one of several versions is restored", "what is replaced is on disk before the post",
		"two programs have one edit open", "the draft of an earlier program is found", "a draft was sent")
	for _, what := range []string{"close", "reset", "within", "headers", "cut", "half", "silent", "html", "status", "empty", "slow", "token", "leads", "delay"} {
		known = append(known, "line: "+what)
	}
	for _, kind := range []string{"full", "failed sync", "read-only", "held", "no locks", "kill before", "kill after"} {
		known = append(known, "disk: "+kind)
	}
	for _, told := range []string{"done", "not sent", "refused", "unknown", "killed", "done, and broken"} {
		known = append(known, "told: "+told)
	}
	for _, state := range []string{"sign-in", "session expired", "unknown outcome", "review", "a draft is offered", "the text of an editor is offered", "result done", "health check done", "start done", "an upgrade is offered to be watched", "too small"} {
		known = append(known, "screen: "+state)
	}
	return known
}

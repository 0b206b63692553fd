package main

// ofTrial are the faults that the drill itself was tried with.
var ofTrial = []fault{
	planted(7, "one look at an idle site makes an unknown outcome a refusal", always("Search.Next", "Sub")),
	planted(47, "a job that failed counts as done",
		never("jobPoller.Next", "Failed"), swap("jobPoller.Next", "Completed", "Ended")),
	planted(36, "lines that are removed from the end of the log are not missed", returns("check.headFault", "FaultEnding", "``")),
	planted(7, "a write of unknown outcome is overridden without its word", never("Site.resolveOpen", "EqualFold")),
}

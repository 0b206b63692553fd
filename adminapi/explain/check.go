package explain

import (
	"cmp"
	"errors"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// Check explains what the pre-flight of an upgrade or a rollback has found: what it is, why it matters,
// and what to do about it. accepted: it was accepted already. here: it can be accepted where it is explained.
func Check(f finding.Finding, of upgrade.Facts, accepted, here bool) Explanation {
	x := Explanation{Title: "Before " + of.Goal() + ": " + plain.Capital(f.Title) + ": " + f.State(), Fault: f.InTheWay()}
	x.cause(CauseID(f.ID), f.Consequence(), Step{Text: cmp.Or(f.Do, "Nothing needs to be done.")})
	report := of.Report.Value
	switch {
	case f.Do == "", of.SendsNone, errors.Is(of.Report.Err, adminapi.KindVersionTooOld) && f.ID == upgrade.CheckHealth:
	case f.ID == upgrade.CheckHealth && of.Report.Known() && report.Found && !report.Good:
		x.Next.Action = ReadReport.To(report.ID)
	case f.ID == upgrade.CheckHealth:
		x.Next.Action = RunHealth.To()
	case f.ID == upgrade.CheckRunning && progress.Runs(of.Status.Value):
		x.Next.Action = WatchUpgrade.To()
	case (f.ID == upgrade.CheckRunning || f.ID == upgrade.CheckMode) && progress.StateOf(of.Status.Value) == progress.StateFailed:
		x.Then, x.Next = []string{f.Do}, ExplainUpgrade.step("See in Progress why the last one failed.")
	}
	where := "in the pre-flight"
	if here {
		where = "here"
	}
	switch {
	case accepted:
		x.Then = append(x.Then, "You have accepted it.")
	case f.Blocks():
		x.Then = append(x.Then, "It cannot be accepted: nothing is sent while it is so.")
	case f.Strength == finding.Danger:
		x.Then = append(x.Then, "Or accept it "+where+": its word is "+f.Accept+".")
	case f.Open():
		x.Then = append(x.Then, "Or accept it "+where+".")
	}
	return x
}

// CheckOf returns the check of the pre-flight that is about why the site refused an upgrade or a
// rollback; empty for none.
func CheckOf(refusal CauseID) string {
	switch refusal {
	case "licence":
		return upgrade.CheckLicence
	case "privilege":
		return upgrade.CheckPrivileges
	case "read-only", "read-only-left":
		return upgrade.CheckMode
	}
	return ""
}

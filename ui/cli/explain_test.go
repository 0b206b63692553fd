package cli

import (
	"slices"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
)

func TestEveryStepOfAnExplanationIsACommand(t *testing.T) {
	var list []explain.Explanation
	for kind := adminapi.KindServer; kind <= adminapi.KindLocked; kind++ {
		err := &adminapi.Error{Kind: kind, Message: "no", Explicit: true}
		list = append(list, explain.Write(explain.WriteFacts{What: "edit X", Err: err, Outcome: adminapi.OutcomeRefused}),
			explain.Upgrade(explain.UpgradeFacts{Refused: err}), explain.Upgrade(explain.UpgradeFacts{Unreachable: err}),
			explain.Write(explain.WriteFacts{What: "edit X", Err: err, Outcome: adminapi.OutcomeUnknown}))
	}
	failed := adminapi.Job{ID: "j1", OperationURI: "/services/X.MapServer/edit", Status: adminapi.JobCancelled}
	list = append(list, explain.Write(explain.WriteFacts{What: "edit X", Job: &failed, Outcome: adminapi.OutcomeDone}))
	for meaning := progress.StateUnknown; meaning <= progress.StateFailed; meaning++ {
		stall := &progress.Stall{Quiet: time.Hour}
		f := explain.UpgradeFacts{Progress: progress.Progress{Meaning: meaning}}
		list = append(list, explain.Upgrade(f))
		f.Stall = stall
		list = append(list, explain.Upgrade(f))
		for _, s := range []adminapi.ServiceStatus{{Configured: "STARTED", RealTime: "STOPPED"}, {Configured: "STOPPED", RealTime: "STOPPED"}} {
			list = append(list, explain.Service(explain.ServiceFacts{
				Service: adminapi.ServiceRef{Name: "X", Type: "MapServer"}, Status: s, Site: explain.SiteFacts{Known: true, Upgrade: meaning}}))
		}
	}
	seen := 0
	for _, x := range list {
		line, ok := operation.CommandOfAction(x.Next.Action)
		if !ok {
			continue
		}
		seen++
		cmd, rest, err := Tree().Find(slices.Concat(line.Words, line.Args))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil || !cmd.Runnable() || cmd.HasSubCommands() {
			t.Errorf("%s: %+v does not exist: %v", x.Cause.ID, line, err)
		}
	}
	if seen < 20 {
		t.Errorf("%d steps have a command", seen)
	}
}

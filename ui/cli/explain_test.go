package cli

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/upgrade/progress"
)

func TestEveryStepOfAnExplanationIsACommand(t *testing.T) {
	var list []explain.Explanation
	for kind := adminapi.KindServer; kind <= adminapi.KindNotRecorded; kind++ {
		err := &adminapi.Error{Kind: kind, Message: "no", Explicit: true}
		list = append(list, explain.Error("edit X", err, explain.SiteFacts{}),
			explain.Upgrade(explain.UpgradeFacts{Refused: err}), explain.Upgrade(explain.UpgradeFacts{Unreachable: err}),
			explain.Write(explain.WriteFacts{What: "edit X", Err: err, Outcome: adminapi.OutcomeUnknown}))
	}
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
		if x.Next.Shell == "" {
			continue
		}
		seen++
		cmd, rest, err := Tree().Find(strings.Fields(x.Next.Shell))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil || !cmd.Runnable() || cmd.HasSubCommands() {
			t.Errorf("%s: geodeck %s does not exist: %v", x.Cause.ID, x.Next.Shell, err)
		}
	}
	if seen < 20 {
		t.Errorf("%d steps have a command", seen)
	}
}

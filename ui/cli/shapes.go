package cli

import (
	"maps"

	"geodeck/adminapi/doctor"
	"geodeck/adminapi/journal"
	"geodeck/ui/cli/checkout"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/fleet"
	"geodeck/ui/cli/health"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/placement"
	"geodeck/ui/cli/service"
	"geodeck/ui/cli/site"
	"geodeck/ui/cli/upgrade"
)

// Messages are the objects of ours on the standard error, by the member that has each.
func Messages() map[string]any {
	return map[string]any{"error": exit.ErrorJSON{}, "notice": output.NoticeJSON{}, "progress": command.ProgressJSON{}}
}

// Shapes are what all commands print as objects of ours.
func Shapes() output.Shapes {
	all := output.Shapes{
		"demo":     {[]scenarioJSON{}},
		"job list": {[]jobJSON{}},
		"doctor":   {doctor.Report{}},
		"log":      {[]recordJSON{}, recordJSON{}, verifyJSON{}, journal.Anchor{}},
		"serve":    {siteAddress{}, []scenarioJSON{}},
		"token":    {tokenJSON{}},
		"version":  {command.Build{}},
		"whoami":   {signedInJSON{}},
	}
	for _, of := range []output.Shapes{edits.Shapes("service"), edits.Shapes("placement"), checkout.Shapes(), service.Shapes(), health.Shapes(), upgrade.Shapes(), placement.Shapes(), site.Shapes(), fleet.Shapes()} {
		maps.Copy(all, of)
	}
	return all
}

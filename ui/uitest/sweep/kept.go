package sweep

import (
	"encoding/json"
	"time"

	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/simulator"
)

// KeptDay is a day on which something went wrong once.
type KeptDay struct {
	Why string // what went wrong, before it was mended
	Day *Day
}

// Kept are the days that found something, with their troubles as they are: a seed means
// another day as soon as more can be drawn.
func Kept() []KeptDay {
	lost := func(request, path, what string, status int) Trouble {
		return lineFault{request: "POST " + request, Fault: simulator.Fault{
			Path: path, Method: "POST", Times: 1, What: what, Status: status, Performed: what == "close",
		}}
	}
	const check = "/healthCheck/run"
	return []KeptDay{
		{"A program that was killed right after it had made the state folder left its name off the disk, and the next relied on it.",
			&Day{Seed: 215, Want: "rollback", Face: "operations", Troubles: []Trouble{
				diskFault{run: 1, fault: memdisk.Fault{Op: memdisk.OpSyncFolder, Nth: 1, Kind: memdisk.KillBefore}},
			}}},
		{"A message without a time was missing in the transcript of a watch that began late.",
			&Day{Seed: 1, Want: "patch", Face: "operations", Troubles: []Trouble{
				oddity{"a message without a time", func(p *plan) {
					p.scenario.Upgrades.Also = []simulator.ExtraMessage{{At: simulator.Moment{Plus: simulator.Duration{Duration: time.Second}},
						Message: json.RawMessage(`{"code": 2900, "message": "An old note."}`), Timeless: true}}
				}},
			}}},
		{"A health check that the site answered with an error, and never began, was told as done on the screen.",
			&Day{Seed: 2, Want: "health", Face: dashboard, Troubles: []Trouble{lost(check, "admin"+check, "status", 503)}}},
		{"The question about a lost answer stayed open after the health check had been found.",
			&Day{Seed: 3, Want: "health", Face: dashboard, Troubles: []Trouble{lost(check, "admin"+check, "close", 0)}}},
		{"An edit that the site answers with an error, and makes all the same, is told as done once it is seen there.",
			&Day{Seed: 1194, Want: "edit", Face: commands, Troubles: []Trouble{
				oddity{"edits are not done in jobs", func(p *plan) { p.scenario.Version = "10.9.0" }},
				oddity{"the first edit fails, and is made", func(p *plan) {
					p.scenario.Editing.Edits = []simulator.EditPlan{{Times: 1, Ends: "FAILED", Applied: true}}
					p.breaks++
				}},
			}}},
		{"A record that was acknowledged after a sync of its folder had failed was lost when the power failed.",
			&Day{Seed: 4, Want: "edit", Face: "operations", Troubles: []Trouble{
				diskFault{run: 1, fault: memdisk.Fault{Op: memdisk.OpSyncFolder, Nth: 3, For: 3, Kind: memdisk.FailedSync}},
				interruption{request: "POST /services/" + cities.Path() + "/edit", nth: 1, after: true, what: happening{name: "power cut", do: func(m *machine, _ *run) { m.cutPower() }}},
			}}},
		{"A command that could not record the outcome forgot what it had sent, and the record stayed unknown.",
			&Day{Seed: 747, Want: "placement", Face: commands, Troubles: []Trouble{
				diskFault{run: 1, fault: memdisk.Fault{Op: memdisk.OpWrite, Nth: 10, For: 5, Kind: memdisk.ReadOnly}},
			}}},
		{"A program that was killed right after the answer had not kept the job of its edit, and the next sent the edit again while that went on.",
			&Day{Seed: 1048, Want: "batch", Face: "operations", Troubles: []Trouble{
				slowEdits,
				diskFault{run: 1, fault: memdisk.Fault{Op: memdisk.OpOpen, Nth: 12, Kind: memdisk.KillAfter}},
			}}},
		{"The clock was set back while a batch was sent, and what was sent after that was told as not sent.",
			&Day{Seed: 920844, Want: "batch", Face: "operations", Troubles: []Trouble{
				interruption{request: "POST /services/Utilities/Geometry.GeometryServer/edit", nth: 1, after: true, what: setBack},
				interruption{request: "POST /services/Utilities/PrintingTools.GPServer/edit", nth: 1, after: true,
					what: happening{name: "killed", do: func(_ *machine, r *run) { r.kill() }}},
			}}},
		{"The clock was set back while an upgrade was watched: its end was taken for older than what was known, and the site was asked without a pause.",
			&Day{Seed: 923958, Want: "patch", Face: dashboard, Troubles: []Trouble{
				interruption{request: "GET /mode", nth: 11, what: setBack},
			}}},
		{"\"up\" of \"upgrade\" came in one read, and was taken for the arrow: the name of a report lacked it.",
			&Day{Seed: 1381, Want: "health", Face: dashboard}},
	}
}

// setBack sets the clock of the machine back by hours.
var setBack = happening{name: "the clock jumps", do: func(m *machine, _ *run) { m.clock.sets(func() { m.clock.ahead.Add(int64(-6 * time.Hour)) }) }}

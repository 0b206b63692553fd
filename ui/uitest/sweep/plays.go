package sweep

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// play plays what the administrator wants.
func (m *machine) play() {
	if m.day.plan.busy {
		m.othersEdit(sets("description", `"edited for an hour"`), "async")
		time.Sleep(10 * time.Minute)
	}
	switch m.day.Want {
	case "edit", "restore", outside:
		playEdit(m)
	case "placement":
		playPlacement(m)
	case "batch":
		playBatch(m)
	case starts, stops:
		playSwitch(m)
	case "health":
		playHealth(m)
	case fleetPlay:
		playFleet(m)
	case nightly:
		playNightly(m)
	case "patch", "release":
		playUpgrade(m)
	case "rollback":
		playRollback(m)
	case openWrites:
		playOpen(m)
	case onTop:
		playOnTop(m)
	case versions:
		playVersions(m)
	case drafts:
		playDrafts(m)
	case beside:
		playBeside(m)
	case week:
		playWeek(m)
	case checkout:
		playCheckout(m)
	case keptData:
		playKept(m)
	case severalSites:
		playSites(m)
	case beforehand:
		playBeforehand(m)
	case lookAround:
		playLookAround(m)
	case sharing:
		playSharing(m)
	case quoting:
		playQuoting(m)
	case deletion:
		playDeletion(m)
	case imports:
		playImport(m)
	case byHand:
		playByHand(m)
	case keepsSites:
		playKeeping(m)
	}
}

// The faces other than operations: the command line, and the screen.
const (
	commands  = "commands"
	dashboard = "dashboard"
)

// Play is what an administrator wants, and how.
type Play struct{ Want, Face string }

// Plays are what an administrator can want, and how.
var Plays = []Play{
	{"edit", "operations"}, {"restore", "operations"}, {"placement", "operations"}, {"batch", "operations"}, {"batch", "operations"},
	{"edit", commands}, {"restore", commands}, {"placement", commands}, {"health", commands}, {"patch", commands}, {"rollback", commands}, {"release", commands},
	{"health", "operations"}, {"patch", "operations"}, {"release", "operations"}, {"rollback", "operations"},
	{"edit", dashboard}, {outside, dashboard}, {"health", dashboard}, {"patch", dashboard}, {"placement", dashboard},
	{openWrites, "operations"}, {openWrites, commands}, {onTop, "operations"}, {versions, "operations"}, {versions, commands},
	{drafts, "operations"}, {beside, "operations"},
	{fleetPlay, commands}, {nightly, commands},
	{starts, commands}, {stops, commands},
	{week, "operations"}, {week, dashboard},
	{checkout, commands},
	{keptData, dashboard}, {severalSites, dashboard},
	{lookAround, commands}, {lookAround, dashboard},
	{sharing, "operations"}, {quoting, "operations"},
	{beforehand, commands}, {beforehand, commands},
	{deletion, commands}, {deletion, dashboard},
	{imports, commands}, {imports, dashboard},
	{"release", dashboard},
	{byHand, dashboard}, {byHand, dashboard}, {byHand, dashboard},
	{keepsSites, commands}, {keepsSites, commands}, {deletion, commands}, {"edit", commands},
}

// sceneOf is the platform on a calm day of a play: small, so that a day is short.
func sceneOf(d *Day) simulator.Scenario {
	none := 2
	s := simulator.Scenario{
		Name: "sweep", Description: d.title(), Seed: int64(d.Seed%1000) + 1, Services: 8, Reports: &none,
	}
	switch d.Want {
	case "patch", "release", "rollback":
		s.Upgrades.Lasts.Duration = 12 * time.Minute
		if d.Face == dashboard { // each moment of it is drawn
			s.Upgrades.Lasts.Duration = 5 * time.Minute
		}
	}
	switch d.Want {
	case starts:
		s.Editing.Stopped = []string{cities.Path()}
	case nightly:
		s.Events = breakdowns(d)
	case severalSites:
		s.Upgrades.Lasts.Duration = 10 * time.Minute
		oftenFails(d, &s)
	case keptData:
		downFrom(&s)
		s.Upgrades.Lasts.Duration = 25 * time.Minute
		oftenFails(d, &s)
	case lookAround:
		toLookAt(d, &s)
	case openWrites:
		s.Faults = losing(d, 2+d.random("how many answers").IntN(3))
	case onTop:
		s.Faults = losing(d, 2)
		s.Faults[0].Performed, s.Faults[1].Performed = false, true
	case imports:
		if d.random("without internet").IntN(2) == 0 {
			s.Upgrades.Offer = "none"
		}
	case deletion:
		many := 5 + d.random("how many reports").IntN(4)
		s.Reports = &many
	case "health":
		s.PartialReports = d.random("partial").IntN(2) == 0
	case "batch":
		if d.random("slow").IntN(3) == 0 { // the next attempt comes while jobs go on
			s.Editing.Edits = []simulator.EditPlan{{Takes: simulator.Duration{Duration: 3 * time.Minute}}}
		}
	case versions:
		if d.random("how many answers").IntN(2) == 0 {
			s.Faults = losing(d, 1)
		}
	}
	if d.Want == "rollback" {
		s.Version, s.Upgrades.Past = rolledBackVersion, rolledBack
	}
	return s
}

// odditiesOf are those that a play by a face can meet.
func odditiesOf(play, face string) []Trouble {
	all := []Trouble{
		oddity{"its clock is three hours ahead", func(p *plan) { p.scenario.ClockAhead.Duration = 3 * time.Hour }},
		oddity{"its clock is a day behind", func(p *plan) { p.scenario.ClockAhead.Duration = -24 * time.Hour }},
		oddity{"the machine is two days behind", func(p *plan) { p.skew = -48 * time.Hour }},
		oddity{"the machine is in Kathmandu", func(p *plan) { p.zone = time.FixedZone("NPT", 5*3600+45*60) }},
		oddity{"tokens live five minutes", func(p *plan) { p.scenario.TokenLife.Duration = 5 * time.Minute }},
		oddity{"every answer takes two seconds", func(p *plan) { p.scenario.Latency.Duration = 2 * time.Second }},
		oddity{"hostile texts", func(p *plan) { p.scenario.HostileText = true; p.scenario.Upgrades.Hostile = true }},
	}
	if (face == commands || face == dashboard) && play != fleetPlay && play != severalSites && play != keepsSites {
		all = append(all, production, spelledOtherwise)
	}
	switch play {
	case openWrites, onTop, versions, drafts, beside:
		all = append(append(append(all, tornBackups()...), hiddenParts()...), slowEdits, slowEdits)
	case week:
		all = append(all, ofWeek()...)
	case keepsSites:
		all = append(all, ofKeeping...)
	case lookAround:
		all = append(all, ofLooks...)
	case sharing:
		all = append(all, noLocks, noLocks, noLocks)
	case deletion, imports:
		all = append(all, readOnlyFirst, readOnlyFirst)
		if play == imports {
			tacit := oddity{"it does not say where its manifest is from", func(p *plan) { p.scenario.Version = "11.3.0" }}
			all = append(all, othersInstead, othersInstead, lostImport, lostImport, tacit, tacit, tacit)
		}
	case byHand:
		all = append(all, slowEdits, oddity{"the first edit ends as FAILED", func(p *plan) {
			p.scenario.Editing.Edits = []simulator.EditPlan{{Times: 1, Ends: "FAILED", Message: "no room"}}
			p.breaks++
		}})
	case "edit", "restore", "batch", outside, checkout:
		for _, ends := range []string{"FAILED", "CANCELLED", "TIMED OUT"} {
			all = append(all, oddity{"the first edit ends as " + ends, func(p *plan) {
				p.scenario.Editing.Edits = []simulator.EditPlan{{Times: 1, Ends: ends, Message: "no room"}}
				p.breaks++
			}})
		}
		all = append(all,
			oddity{"the first edit fails, and is made", func(p *plan) {
				p.scenario.Editing.Edits = []simulator.EditPlan{{Times: 1, Ends: "FAILED", Applied: true}}
				p.breaks++
			}},
			slowEdits,
			oddity{"numbers are rounded", func(p *plan) { p.scenario.Editing.Keeps = "rounded" }},
			oddity{"unknown keys are dropped", func(p *plan) { p.scenario.Editing.Keeps = "known" }},
			oddity{"edits are not done in jobs", func(p *plan) { p.scenario.Version = "10.9.0" }},
		)
	case "patch", "release", "rollback":
		all = append(all, upgradeOddities...)
		if play == "release" {
			all = append(all, asksForMore, asksForMore, asksForMore)
		}
		all = append(all, goesHome(1), goesHome(2))
	case "placement":
		for _, answer := range []string{"success", "jobID", "jobid"} {
			all = append(all, oddity{"placement is answered with " + answer, func(p *plan) { p.scenario.Placement.Answer = answer }})
		}
		fails := oddity{"a placement edit fails", func(p *plan) { p.scenario.Placement.Ends = "FAILED"; p.breaks += attempts }}
		all = append(all, fails, fails)
	}
	return all
}

// intruders are what a second administrator can do in a play.
func intruders(play string) []happening {
	where := "/services/" + cities.Path()
	stop := happening{name: "another stops the service", do: func(m *machine, _ *run) {
		m.day.log("the second administrator stops the service: %.100s", m.site.ask("POST", where+"/stop", nil))
	}}
	switch play {
	case "placement", "batch":
		return []happening{stop}
	case openWrites, onTop, versions, drafts, beside, week:
		return []happening{stop, stop}
	case deletion:
		return slices.Repeat(othersDelete, 4)
	case imports:
		return slices.Repeat(othersImport, 4)
	case "edit", "restore", outside, checkout:
		all := []happening{
			stop,
			{name: "another edits another key", foreign: true, at: "GET " + where, do: func(m *machine, _ *run) { m.intrude("description", `"reviewed by another"`) }},
			{name: "another edits the same key", foreign: true, at: "GET " + where, do: func(m *machine, _ *run) { m.intrude("maxIdleTime", "777") }},
		}
		if play == checkout {
			all[2].do = func(m *machine, _ *run) { m.checking.othersValue() } // each time another one
			all = append(all, editorSaves)
		}
		return append(all, all[1], all[2])
	}
	return nil
}

// title says what the day is, for the scenario file.
func (d *Day) title() string { return d.Want + " by " + d.Face }

// services are some services of the site other than the one that is edited, in its order.
func (s *site) services(n int) (refs []adminapi.ServiceRef) {
	for _, folder := range []string{"", "/Hosted", "/Utilities", "/System"} {
		var listed struct{ Services []adminapi.ServiceRef }
		if json.Unmarshal([]byte(s.ask("GET", "/services"+folder, nil)), &listed) != nil {
			continue
		}
		for _, ref := range listed.Services {
			if len(refs) < n && ref.Path() != cities.Path() {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// licence is what the licence files of the administrator hold besides what the site reads.
const licence = "CANARY+licence/0b&1d=é"

// papers are the files of the administrator: a licence for every version, by its name.
type papers struct{}

// Open opens a licence such as /home/ada/12.0.json, or a file of the real file system.
func (papers) Open(path string) (fs.File, error) {
	if !strings.HasPrefix(path, "/home/ada/") {
		return operation.SystemFiles{}.Open(path)
	}
	version := strings.TrimSuffix(strings.TrimPrefix(path, "/home/ada/"), ".json")
	text := bytes.Replace(simtest.Licence(version), []byte("{"), []byte(`{"note":"`+licence+`",`), 1)
	return &paper{Reader: bytes.NewReader(text), name: path, size: int64(len(text))}, nil
}

type paper struct {
	io.Reader
	name string
	size int64
}

// Close does nothing.
func (*paper) Close() error { return nil }

// Stat describes the file.
func (p *paper) Stat() (fs.FileInfo, error) { return p, nil }

// Name is its path.
func (p *paper) Name() string { return p.name }

// Size is in bytes.
func (p *paper) Size() int64 { return p.size }

// Mode is that of a private file.
func (p *paper) Mode() fs.FileMode { return 0o600 }

// ModTime is not known.
func (p *paper) ModTime() time.Time { return time.Time{} }

// IsDir is false.
func (p *paper) IsDir() bool { return false }

// Sys is nothing.
func (p *paper) Sys() any { return nil }

// slowEdits lets another attempt begin while the edit before it goes on, or just ends.
var slowEdits = oddity{"edits take three minutes", func(p *plan) {
	p.scenario.Editing.Edits = []simulator.EditPlan{{Takes: simulator.Duration{Duration: 3 * time.Minute}}}
}}

package checkout_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// roads is a service that no simulated site has.
var roads = adminapi.ServiceRef{Name: "Roads", Type: "MapServer"}

// What cannot be compared is neither the same nor another, and nothing is sent of what only one side has.
func TestWhatOnlyOneSideHasDiffersAndIsNotSent(t *testing.T) {
	t.Parallel()
	definition, rules := editing.DefinitionOf(operationtest.Cities), editing.PlacementOf(operationtest.Cities)
	for name, tt := range map[string]struct {
		target  editing.Target
		file    string // its text; empty for none
		in      checkout.Side
		differs bool
		compare bool // whether it can be compared
	}{
		"only a file":            {editing.DefinitionOf(roads), "{}", checkout.OnlyFile, true, true},
		"only on the site":       {definition, "", checkout.OnlySite, true, true},
		"only rules on the site": {rules, "", checkout.OnlySite, true, true},
		"nowhere":                {editing.DefinitionOf(roads), "", checkout.Neither, true, true},
		"a file that is broken":  {definition, `{"a":`, checkout.OnlySite, false, false},
		"a file of no rules":     {rules, `{"a":1}`, checkout.Both, false, false},
		"a file of some rules":   {rules, operationtest.OnPool("spot"), checkout.Both, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			if tt.file != "" {
				f.write(checkout.FileOf(tt.target), tt.file)
			}
			c := f.compared(tt.target)
			if c.In != tt.in || c.Differs() != tt.differs || (c.Err == nil) != tt.compare || c.Err != nil && !errors.As(c.Err, new(*checkout.FileError)) {
				t.Errorf("side %d, differs %v, %v", c.In, c.Differs(), c.Err)
			}
			e := f.Plan(t.Context(), f.p.Site, []editing.Target{tt.target}, nil, editing.Accepted{Words: editing.AcceptWords()}, nil)[0]
			if !errors.As(e.Refused, new(*checkout.FileError)) {
				t.Errorf("refused: %v", e.Refused)
			}
		})
	}
}

func TestAPullSaysWhatItHasDoneWithEachFile(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	f.changedByOthers(operationtest.Idle, "1801")
	if count := f.pull(false, target); count[checkout.PullWritten] != 1 || !strings.Contains(f.read(cities), `"maxIdleTime": 1801`) {
		t.Errorf("what the site has changed: %v", count)
	}
	if f.replace(cities, "1801", "1802"); f.compared(target).Drifted != "" {
		t.Errorf("after that: %+v", f.compared(target))
	}
	if count := f.pull(true, editing.DefinitionOf(roads)); count[checkout.PullNone] != 1 {
		t.Errorf("what is nowhere: %v", count)
	}
	f.write("Roads.MapServer.json", `{"mine":1}`)
	if count := f.pull(true, editing.DefinitionOf(roads)); count[checkout.PullGone] != 1 || f.read("Roads.MapServer.json") != `{"mine":1}` {
		t.Errorf("what the site has no more: %v", count)
	}
}

// A file that is no rules may be what somebody is writing.
func TestAFileThatIsNoRulesIsKeptUnlessItIsToBeOverwritten(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.PlacementOf(operationtest.Cities)
	f.pull(false, target)
	pulled := f.read(citiesRules)
	f.write(citiesRules, `{"a":1}`)
	if count := f.pull(false, target); count[checkout.PullKept] != 1 || f.read(citiesRules) != `{"a":1}` {
		t.Errorf("%v: %s", count, f.read(citiesRules))
	}
	if count := f.pull(true, target); count[checkout.PullWritten] != 1 || f.read(citiesRules) != pulled {
		t.Errorf("overwriting: %v: %s", count, f.read(citiesRules))
	}
}

// obstruct makes a folder with a file in it, where a file is to be written.
func (f *folder) obstruct(file string) {
	f.t.Helper()
	if err := os.Mkdir(filepath.Join(f.path, file), 0o700); err != nil {
		f.t.Fatal(err)
	}
	f.write(filepath.Join(file, "mine"), "")
}

func TestAFileThatCannotBeWrittenIsNotNotedAsPulled(t *testing.T) {
	t.Parallel()
	for _, way := range []string{cities, "." + cities + ".new"} {
		f := newFolder(t)
		f.obstruct(way)
		all, err := f.Pull(t.Context(), f.p.Site, []editing.Target{editing.DefinitionOf(operationtest.Cities)}, true, nil)
		if err != nil || all[0].State != checkout.PullFailed || all[0].Err == nil || strings.Contains(all[0].Err.Error(), "no room") {
			t.Errorf("with %s in the way: %+v, %v", way, all, err)
		}
		if _, noted := f.Index.Files[cities]; noted {
			t.Errorf("with %s in the way: %s", way, f.read(checkout.IndexFile))
		}
		entries, err := os.ReadDir(f.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.Name() != way && entry.Name() != checkout.IndexFile {
				t.Errorf("with %s in the way there is %s", way, entry.Name())
			}
		}
	}
}

func TestAnIndexThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	unfinished := "." + checkout.IndexFile + ".new"
	f.obstruct(unfinished)
	target := editing.DefinitionOf(operationtest.Cities)
	if _, err := f.Pull(t.Context(), f.p.Site, []editing.Target{target}, false, nil); err == nil {
		t.Error("nothing is said")
	}
	if err := os.RemoveAll(filepath.Join(f.path, unfinished)); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(); err != nil || !strings.Contains(f.read(checkout.IndexFile), cities) {
		t.Errorf("%s, %v", f.read(checkout.IndexFile), err)
	}
}

func TestAnIndexWithoutFilesIsOneOfNothingPulled(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"schemaVersion":1,"address":""}`, `{"schemaVersion":1,"address":"","files":null}`} {
		f := newFolder(t)
		f.write(checkout.IndexFile, text)
		f.open()
		if count := f.pull(false, editing.DefinitionOf(operationtest.Cities)); count[checkout.PullWritten] != 1 || !strings.Contains(f.read(checkout.IndexFile), cities) {
			t.Errorf("%s: %v, then %s", text, count, f.read(checkout.IndexFile))
		}
	}
}

// A site has one service of both names, and which file is its own nobody can say.
func TestTwoFilesOfOneServiceAreRefused(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write("Roads.MapServer.json", "{}")
	lower := roads
	lower.Name = "roads"
	targets, err := f.Targets(editing.DefinitionOf(lower))
	if !errors.As(err, new(*checkout.FileError)) || !strings.Contains(err.Error(), "Roads.MapServer.json is of the same service") {
		t.Errorf("%v, %v", targets, err)
	}
	if targets, err := f.Targets(editing.DefinitionOf(roads), editing.PlacementOf(lower)); err != nil || len(targets) != 2 {
		t.Errorf("its rules beside it: %v, %v", targets, err)
	}
}

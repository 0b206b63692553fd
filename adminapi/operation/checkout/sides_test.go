package checkout_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
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
			if !errors.As(e.Refused, new(*checkout.FileError)) || !e.Same(tt.target) {
				t.Errorf("refused of %s: %v", checkout.FileOf(e.Target), e.Refused)
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
	f.p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
		_, _ = io.WriteString(w, `{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`)
	})
	pulled, err := f.Pull(t.Context(), f.p.Site, []editing.Target{target}, true, nil)
	if c := f.compared(target); c.Differs() || !errors.Is(c.Err, adminapi.KindPrivilege) || err != nil || pulled[0].State != checkout.PullFailed {
		t.Errorf("what may not be read: side %d, %v; %+v, %v", c.In, c.Err, pulled, err)
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

// What cannot be read may hold what nobody has applied.
func TestAFileThatCannotBeReadSaysWhyAndIsKeptUnlessItIsToBeOverwritten(t *testing.T) {
	t.Parallel()
	target := editing.DefinitionOf(operationtest.Cities)
	for name, tt := range map[string]struct {
		is  func(f *folder)
		why string
	}{
		"cut":       {func(f *folder) { f.write(cities, `{"a":`) }, "line 1"},
		"too large": {func(f *folder) { f.write(cities, "{}"+strings.Repeat(" ", document.MaxSize)) }, "it is larger than 4 MiB"},
		"a folder":  {func(f *folder) { f.obstruct(cities) }, "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			tt.is(&f)
			pull := func(overwrite bool) checkout.PulledFile {
				all, err := f.Pull(t.Context(), f.p.Site, []editing.Target{target}, overwrite, nil)
				if err != nil {
					t.Fatal(err)
				}
				return all[0]
			}
			p := pull(false)
			if says := p.Err; p.State != checkout.PullFailed || !errors.As(says, new(*checkout.FileError)) || !strings.HasPrefix(says.Error(), cities) || !strings.Contains(says.Error(), tt.why) {
				t.Errorf("%s: %v", p.State, says)
			}
			c := f.compared(target)
			if c.Err == nil || p.Err == nil || c.Err.Error() != p.Err.Error() {
				t.Errorf("compared: %v", c.Err)
			}
			if p = pull(true); name != "a folder" && (p.State != checkout.PullWritten || len(f.differing(true)) > 0) {
				t.Errorf("overwriting: %s, %v", p.State, p.Err)
			}
		})
	}
}

// It would be called gone.
func TestWhatASiteDoesNotTellIsNotGone(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	index, text := f.read(checkout.IndexFile), f.read(cities)
	f.p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(http.StatusInternalServerError) })
	all, err := f.Pull(t.Context(), f.p.Site, []editing.Target{target}, true, nil)
	if err != nil || all[0].State != checkout.PullFailed || all[0].Err == nil {
		t.Errorf("%+v, %v", all, err)
	}
	if f.read(checkout.IndexFile) != index || f.read(cities) != text {
		t.Errorf("then there is %s, of %s", f.read(cities), f.read(checkout.IndexFile))
	}
}

// A definition takes its time: a thousand of them are not one step.
func TestAPullTellsHowManyPartsAreDone(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	var told []int
	all := f.everything()
	if _, err := f.Pull(t.Context(), f.p.Site, all, false, func(done int) { told = append(told, done) }); err != nil {
		t.Fatal(err)
	}
	if len(told) != len(all) || !slices.IsSorted(told) || told[0] != 1 || told[len(told)-1] != len(all) {
		t.Errorf("of %d: %v", len(all), told)
	}
}

// Thousands of services have more files than a program may have open.
func TestNoFileOfAFolderStaysOpen(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	path, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		t.Fatal(err)
	}
	all := f.everything()
	f.pull(false, all...)
	f.differing(false)
	f.write(checkout.IndexFile, "{")
	if _, err := checkout.Open(f.path); err == nil {
		t.Error("an index that is none was read")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this machine does not tell which files are open")
	}
	for _, d := range descriptors {
		if file, _ := os.Readlink("/proc/self/fd/" + d.Name()); file == path || strings.HasPrefix(file, path+"/") {
			t.Errorf("%s is open", file)
		}
	}
}

// Not parallel: the limit is that of all files that are written meanwhile.
func TestAFileOfWhichTheDiskTakesAPartStaysAsItWas(t *testing.T) {
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	text, index := f.read(cities), f.read(checkout.IndexFile)
	f.changedByOthers(operationtest.Idle, "1801")
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(len(text) / 2), Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	all, pullErr := f.Pull(t.Context(), f.p.Site, []editing.Target{target}, false, nil)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if pullErr != nil || all[0].State != checkout.PullFailed || all[0].Err == nil {
		t.Errorf("%+v, %v", all, pullErr)
	}
	entries, err := os.ReadDir(f.path)
	if err != nil || len(entries) != 2 || f.read(cities) != text || f.read(checkout.IndexFile) != index {
		t.Errorf("then there are %v, %v: %s, and %s", entries, err, f.read(cities), f.read(checkout.IndexFile))
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
		if err != nil || all[0].State != checkout.PullFailed || all[0].Err == nil || !strings.Contains(all[0].Err.Error(), cities) || strings.Contains(all[0].Err.Error(), "no room") {
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

func TestAFileInPlaceOfAFolderIsKept(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write("Hosted", "mine")
	target := editing.DefinitionOf(adminapi.ServiceRef{Folder: "Hosted", Name: "CitySchools_17", Type: "FeatureServer"})
	for _, overwrite := range []bool{false, true} {
		all, err := f.Pull(t.Context(), f.p.Site, []editing.Target{target}, overwrite, nil)
		if err != nil || all[0].State != checkout.PullFailed || all[0].Err == nil || f.read("Hosted") != "mine" {
			t.Errorf("overwriting %v: %+v, %v", overwrite, all, err)
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

// A folder may be one of which nothing can be written, such as that of a pipeline.
func TestAnIndexThatSaysTheSameIsNotWritten(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	f.obstruct("." + checkout.IndexFile + ".new")
	for _, folder := range []string{"that was just written", "that was read"} {
		if count := f.pull(false, target); count[checkout.PullSame] != 1 {
			t.Errorf("an index %s: %v", folder, count)
		}
		f.open()
	}
}

func TestWhatIsTheSameIsNotedWhereTheIndexWasLost(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	index := f.read(checkout.IndexFile)
	f.loseIndex()
	if count := f.pull(false, target); count[checkout.PullSame] != 1 || f.read(checkout.IndexFile) != index {
		t.Errorf("%v, then %s", count, f.read(checkout.IndexFile))
	}
}

func TestAFolderThatIsNotThereIsToldFromOneThatCannotBeRead(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	if f.Path() != f.path {
		t.Errorf("%s is called %s", f.path, f.Path())
	}
	if _, err := checkout.Open(filepath.Join(f.path, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
	f.obstruct(checkout.IndexFile)
	if _, err := checkout.Open(f.path); !errors.As(err, new(*checkout.IndexError)) || !strings.Contains(err.Error(), "cannot be read: ") {
		t.Errorf("one whose index is a folder: %v", err)
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

package checkout_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	cities      = "SampleWorldCities.MapServer.json"
	citiesRules = "SampleWorldCities.MapServer.placement.json"
)

// folder is a folder of files of a simulated site.
type folder struct {
	*checkout.Folder
	t    *testing.T
	p    *operationtest.Platform
	path string
}

func newFolder(t *testing.T) folder {
	t.Helper()
	f := folder{t: t, p: operationtest.WithJournal(t, "healthy"), path: t.TempDir()}
	f.open()
	return f
}

// open opens the folder as the next program does.
func (f *folder) open() {
	f.t.Helper()
	opened, err := checkout.Open(f.path)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = opened.Close() })
	f.Folder = opened
}

// everything are the parts of all services of the site.
func (f *folder) everything() (all []editing.Target) {
	f.t.Helper()
	root, err := f.p.Client.Services.Folder(f.t.Context(), "")
	if err != nil {
		f.t.Fatal(err)
	}
	services := root.Services
	for _, name := range root.Folders {
		below, err := f.p.Client.Services.Folder(f.t.Context(), name)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, s := range below.Services {
			s.Folder = name
			services = append(services, s)
		}
	}
	for _, s := range services {
		all = append(all, editing.DefinitionOf(s), editing.PlacementOf(s))
	}
	return all
}

// pull pulls, and counts what was done.
func (f *folder) pull(overwrite bool, targets ...editing.Target) map[checkout.PullState]int {
	f.t.Helper()
	all, err := f.Pull(f.t.Context(), f.p.Site, targets, overwrite, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	count := map[checkout.PullState]int{}
	for i, p := range all {
		if p.Err != nil || !p.Same(targets[i]) {
			f.t.Errorf("%s in place of %s: %v", checkout.FileOf(p.Target), checkout.FileOf(targets[i]), p.Err)
		}
		count[p.State]++
	}
	return count
}

func (f *folder) read(file string) string {
	f.t.Helper()
	content, err := os.ReadFile(filepath.Join(f.path, file))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(content)
}

func (f *folder) write(file, content string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.path, file), []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// replace edits a file.
func (f *folder) replace(file, old, new string) {
	f.t.Helper()
	text := f.read(file)
	if strings.Count(text, old) != 1 {
		f.t.Fatalf("%q stands %d times in %s", old, strings.Count(text, old), text)
	}
	f.write(file, strings.Replace(text, old, new, 1))
}

// differing are the files that differ from the site.
func (f *folder) differing(exact bool) (files []string) {
	f.t.Helper()
	targets, err := f.Targets()
	if err != nil {
		f.t.Fatal(err)
	}
	for _, c := range f.Compare(f.t.Context(), f.p.Site, targets, exact, nil) {
		if c.Err != nil {
			f.t.Errorf("%s: %v", checkout.FileOf(c.Target), c.Err)
		}
		if c.Differs() {
			files = append(files, checkout.FileOf(c.Target))
		}
	}
	return files
}

func (f *folder) plan(accept ...string) []batching.PlannedEdit {
	f.t.Helper()
	targets, err := f.Targets()
	if err != nil {
		f.t.Fatal(err)
	}
	return f.Plan(f.t.Context(), f.p.Site, targets, nil, editing.Accepted{Words: accept}, nil)
}

// apply applies what the files change.
func (f *folder) apply(accept ...string) (files []string) {
	f.t.Helper()
	planned := f.plan(accept...)
	for _, e := range planned {
		if e.Refused != nil {
			f.t.Fatalf("%s: %v", checkout.FileOf(e.Target), e.Refused)
		}
	}
	for i, r := range batching.Apply(f.t.Context(), f.p.Site, planned, false, nil, nil) {
		sent := batching.ToSend(planned)[i]
		if r.Err != nil {
			f.t.Fatalf("%s: %v", r.Target, r.Err)
		}
		if err := f.Applied(f.p.Site, sent, planned); err != nil {
			f.t.Fatal(err)
		}
		files = append(files, checkout.FileOf(sent.Target))
	}
	if err := f.Save(); err != nil {
		f.t.Fatal(err)
	}
	return files
}

func TestWhatIsPulledIsWhatTheSiteHas(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	all := f.everything()
	if count := f.pull(false, all...); count[checkout.PullWritten] < len(all)/2 {
		t.Fatalf("%v of %d", count, len(all))
	}
	text := f.read(cities)
	for _, want := range []string{`"minScale": 295828763.7957775`, `"x-lastTuned": 1709818299.50`, `"address": "1 Harbour St\/North"`, "{\n  \"serviceName\""} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not as the site wrote it: %s", want, text)
		}
	}
	for _, generated := range []string{`"id"`, `"deploymentId"`} {
		if strings.Contains(text, "\n  "+generated) || strings.Contains(f.read(citiesRules), generated) {
			t.Errorf("%s was not left out", generated)
		}
	}
	if files := f.differing(true); len(files) > 0 {
		t.Errorf("%v differ", files)
	}
	index := f.read(checkout.IndexFile)
	f.p.Clock.Advance(1e11)
	f.open()
	if count := f.pull(false, all...); count[checkout.PullWritten] > 0 || f.read(checkout.IndexFile) != index {
		t.Errorf("a second pull has written: %v", count)
	}
}

func TestFilesAreComparedByMeaning(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, editing.DefinitionOf(operationtest.Cities))
	f.replace(cities, `"maxScale": 1000.0`, `"maxScale": 1e3`)
	f.write(cities, strings.ReplaceAll(f.read(cities), `St\/North`, `St/North`))
	if files := f.differing(false); len(files) > 0 {
		t.Errorf("%v", files)
	}
	if files := f.differing(true); !slices.Equal(files, []string{cities}) {
		t.Errorf("exactly: %v", files)
	}
}

func TestApplyingTwicePostsOnce(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, editing.DefinitionOf(operationtest.Cities), editing.PlacementOf(operationtest.Cities))
	f.replace(cities, `"maxRecordCount": 4000`, `"maxRecordCount": 2000`)
	f.replace(cities, `"maxScale": 1000.0`, `"maxScale": 1000`) // notation is left to the site
	f.replace(citiesRules, `"gis"`, `"spot"`)
	if files := f.apply(); !slices.Equal(files, []string{cities, citiesRules}) {
		t.Fatalf("applied: %v", files)
	}
	now := f.p.Definition(t).Text()
	if !strings.Contains(now, `"maxRecordCount":2000`) || !strings.Contains(now, `"maxScale":1000.0`) || !strings.Contains(now, `"deploymentId"`) {
		t.Errorf("the site has %s", now)
	}
	if !strings.Contains(f.p.Policy(t).Text(), `"spot"`) {
		t.Errorf("the site has %s", f.p.Policy(t).Text())
	}
	if files := f.differing(false); len(files) > 0 {
		t.Errorf("%v differ", files)
	}
	f.open()
	if files := f.apply(); len(files) > 0 {
		t.Errorf("applied again: %v", files)
	}
	f.p.WantSent(t, "POST edit", 2)
	if count := f.pull(false, editing.DefinitionOf(operationtest.Cities)); count[checkout.PullSame] != 1 {
		t.Errorf("a pull after it: %v", count)
	}
}

func TestWhatWasChangedHereIsKept(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	index := f.read(checkout.IndexFile)
	f.replace(cities, `"maxRecordCount": 4000`, `"maxRecordCount": 2000`)
	if count := f.pull(false, target); count[checkout.PullKept] != 1 || !strings.Contains(f.read(cities), "2000") || f.read(checkout.IndexFile) != index {
		t.Errorf("%v, then %s", count, f.read(checkout.IndexFile))
	}
	if count := f.pull(true, target); count[checkout.PullWritten] != 1 || strings.Contains(f.read(cities), ": 2000") {
		t.Errorf("overwriting: %v", count)
	}
}

func TestWhatTheSiteHasChangedSinceThePullIsDrift(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, editing.DefinitionOf(operationtest.Cities))
	edit := f.p.Edit(t, operationtest.Idle, "1801")
	if _, r := f.p.ApplyEdit(t.Context(), edit, nil); r.Err != nil {
		t.Fatal(r.Err)
	}
	planned := f.plan()
	var left *editing.NotAcceptedError
	if err := planned[0].Sendable(); !errors.As(err, &left) || !slices.Contains(finding.Words(left.Findings), "drift") {
		t.Errorf("without accepting drift: %v", err)
	}
	if files := f.apply("drift"); len(files) != 1 {
		t.Errorf("%v", files)
	}
	if raw, _ := f.p.Definition(t).Find(operationtest.Idle); raw.Raw() != "1800" {
		t.Errorf("the site has %s", raw.Raw())
	}
}

// What others have changed since is known from the version that the file was edited from, not from a later pull.
func TestAPullThatKeepsAFileHidesNoDrift(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	f.replace(cities, `"maxRecordCount": 4000`, `"maxRecordCount": 2000`)
	if _, r := f.p.ApplyEdit(t.Context(), f.p.Edit(t, operationtest.Idle, "1801"), nil); r.Err != nil {
		t.Fatal(r.Err)
	}
	if count := f.pull(false, target); count[checkout.PullKept] != 1 {
		t.Fatalf("%v", count)
	}
	f.open()
	var left *editing.NotAcceptedError
	if err := f.plan()[0].Sendable(); !errors.As(err, &left) || !slices.Contains(finding.Words(left.Findings), "drift") {
		t.Errorf("without accepting drift: %v", err)
	}
}

func TestFilesThatContradictEachOtherAreRefused(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, f.everything()...)
	f.replace(citiesRules, `"gis"`, `"spot"`)
	odd := 0
	for _, e := range f.plan() {
		switch {
		case errors.Is(e.Refused, checkout.ErrOddRules):
			odd++
		case e.Refused != nil || !e.Unchanged():
			t.Errorf("%s: %v, %v", checkout.FileOf(e.Target), e.Refused, e.Plan.Changes)
		}
	}
	if odd < 2 {
		t.Errorf("%d are refused", odd)
	}
}

// Services may share their pods: what is sent for one is applied for all of them.
func TestWhatASharedPodWasGivenIsNoDrift(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, f.everything()...)
	targets, err := f.Targets()
	if err != nil {
		t.Fatal(err)
	}
	everywhere := func(old, new string) (n int) {
		for _, target := range targets {
			if text := f.read(checkout.FileOf(target)); target.Part == editing.Placement && strings.Contains(text, old) {
				f.write(checkout.FileOf(target), strings.ReplaceAll(text, old, new))
				n++
			}
		}
		return n
	}
	n := everywhere(`"gis"`, `"spot"`)
	if sent := f.apply(); len(sent) == 0 || len(sent) >= n {
		t.Fatalf("%d of %d files were sent: none is shared", len(sent), n)
	}
	everywhere(`"spot"`, `"gis"`)
	for _, e := range f.plan() {
		if len(e.Drift) > 0 {
			t.Errorf("%s: %v", checkout.FileOf(e.Target), e.Drift)
		}
	}
}

func TestFilesOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for _, file := range []string{"package.json", "tsconfig.base.json", "README.md", ".hidden.MapServer.json.new", " Lanes.MapServer.json", "Roads.MapServer.json", "Roads.MapServer.placement.json", "Lakes.MapServer"} {
		f.write(file, "{}")
	}
	for _, folder := range []string{"Parks", ".git", "Parks/deeper", "Parks/Lanes.MapServer.json"} {
		if err := os.Mkdir(filepath.Join(f.path, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		f.write(folder+"/Trees.FeatureServer.json", "{}")
	}
	targets, err := f.Targets()
	if err != nil {
		t.Fatal(err)
	}
	got := lists.Each(targets, checkout.FileOf)
	if want := []string{"Parks/Trees.FeatureServer.json", "Roads.MapServer.json", "Roads.MapServer.placement.json"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for _, e := range f.plan() {
		if !errors.Is(e.Refused, checkout.ErrMissing) {
			t.Errorf("%s: %v", e.Target, e.Refused)
		}
	}
}

func TestALinkLeadsNotOutOfTheFolder(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(f.path, cities)); err != nil {
		t.Fatal(err)
	}
	all, err := f.Pull(t.Context(), f.p.Site, []editing.Target{editing.DefinitionOf(operationtest.Cities)}, false, nil)
	if err != nil || all[0].Err == nil {
		t.Errorf("%v, %v", all, err)
	}
	if content, _ := os.ReadFile(outside); string(content) != "{}" {
		t.Errorf("what is outside is %s", content)
	}
}

func TestAFolderIsReadThroughALinkInIt(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	if err := os.Mkdir(filepath.Join(f.path, "parks"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.write("parks/Trees.FeatureServer.json", "{}")
	for link, to := range map[string]string{"Gardens": "parks", "Gone": "missing", "Out": t.TempDir(), "Roads.MapServer.json": "parks/Trees.FeatureServer.json"} {
		if err := os.Symlink(to, filepath.Join(f.path, link)); err != nil {
			t.Fatal(err)
		}
	}
	targets, err := f.Targets()
	if got := lists.Each(targets, checkout.FileOf); err != nil || !slices.Equal(got, []string{"Gardens/Trees.FeatureServer.json", "Roads.MapServer.json", "parks/Trees.FeatureServer.json"}) {
		t.Errorf("%v, %v", got, err)
	}
}

// What is written and never compared again would be taken for what the files have.
func TestWhatHasNoNameOfAFileIsNotWritten(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for _, service := range []adminapi.ServiceRef{
		{Folder: ".git", Name: "Roads", Type: "MapServer"},
		{Name: ".Roads", Type: "MapServer"},
		{Name: "SampleWorldCities.MapServer", Type: "placement"},
		{Folder: "..", Name: "Roads", Type: "MapServer"},
	} {
		all, err := f.Pull(t.Context(), f.p.Site, []editing.Target{editing.DefinitionOf(service)}, false, nil)
		if err != nil || all[0].State != checkout.PullFailed || !errors.As(all[0].Err, new(*checkout.FileError)) {
			t.Errorf("%v: %v, %v", service, all, err)
		}
	}
}

// A file may be edited while the site is slow to answer.
func TestWhatIsEditedDuringAPullIsKept(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	edit := f.p.Edit(t, operationtest.Idle, "1801")
	if _, r := f.p.ApplyEdit(t.Context(), edit, nil); r.Err != nil {
		t.Fatal(r.Err)
	}
	f.p.Intercept(func(_ http.ResponseWriter, _ *http.Request, pass func()) {
		f.write(cities, strings.Replace(f.read(cities), `"maxRecordCount": 4000`, `"maxRecordCount": 2000`, 1))
		pass()
	})
	if count := f.pull(false, target); count[checkout.PullKept] != 1 || !strings.Contains(f.read(cities), ": 2000") {
		t.Errorf("%v", count)
	}
}

func TestFilesAreForTheirOwner(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, editing.DefinitionOf(adminapi.ServiceRef{Folder: "Hosted", Name: "CitySchools_17", Type: "FeatureServer"}))
	for _, file := range []string{"Hosted", "Hosted/CitySchools_17.FeatureServer.json"} {
		info, err := os.Stat(filepath.Join(f.path, file))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v, and may hold secrets", file, info.Mode())
		}
	}
}

func TestAnIndexThatCannotBeReadIsNotReplaced(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", "{}", `{"schemaVersion":99,"files":{}}`, `{"schemaVersion":1,"files":3}`} {
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, checkout.IndexFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := checkout.Open(path); !errors.As(err, new(*checkout.IndexError)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

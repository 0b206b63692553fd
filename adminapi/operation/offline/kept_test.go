package offline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/offline"
	"geodeck/adminapi/operation/watching"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatIsKeptOfASiteHoldsNoSecretAndNothingThatIsNotShown(t *testing.T) {
	t.Parallel()
	const canary = "CANARY-token-7f3a9b21"
	client, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/ctx/admin", Token: adminapi.Token{Value: canary}})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	j, err := journal.Open(folder, "https://gis.example.org/ctx", journal.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	site := operation.Site{Client: client, Clock: adminapi.SystemClock{}, Memory: operation.Memory{Journal: j}}
	if k := offline.KeptOf(site); k.Overview != nil || k.Reports != nil || k.Services != nil || k.Problems != nil {
		t.Errorf("before anything was kept: %+v", k)
	}
	when := offline.When{Read: time.Now().Add(-time.Hour), Ahead: 7 * time.Second}
	report, err := adminapi.DecodeReport([]byte(`{"id":"R1","name":"nightly","suiteStatus":[{"name":"token ` + canary + `"}],"result":"passed"}`))
	if err != nil {
		t.Fatal(err)
	}
	state := watching.State{
		Version: adminapi.FactOf(when.Read, adminapi.Root{FullVersion: "11.5 " + canary, Resources: []string{"unseen"}}, nil),
		Self:    adminapi.FactOf(when.Read, adminapi.Self{Username: "unseen"}, nil),
	}
	list := []adminapi.ReportSummary{{ID: "R1", Name: "by " + canary, Unknown: adminapi.Unknown(`{"password":"unseen"}`)}}
	folders := []offline.KeptFolder{{Services: []offline.KeptService{{Name: "Cities", Type: "MapServer", Configured: canary, RealTime: "STARTED", Read: when.Read}}}}
	for _, err := range []error{offline.KeepState(site, when, state), offline.KeepReports(site, when, list, []adminapi.Report{report}), offline.KeepServices(site, when, folders)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, secret := range []string{canary, "unseen"} {
			if strings.Contains(string(content), secret) {
				t.Errorf("%s holds %s:\n%s", path, secret, content)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	k := offline.KeptOf(site)
	if k.Problems != nil || k.Overview == nil || k.Reports == nil || k.Services == nil {
		t.Fatalf("%+v", k)
	}
	if !k.Overview.Read.Equal(when.Read) || k.Overview.Ahead != when.Ahead || !strings.HasPrefix(k.Overview.Version, "11.5 ") {
		t.Errorf("%+v", k.Overview)
	}
	if len(k.Reports.List) != 1 || k.Reports.List[0].ID != "R1" || len(k.Reports.Whole) != 1 || k.Reports.Whole[0].Name != "nightly" {
		t.Errorf("%+v", k.Reports)
	}
	if s := k.Services.Folders[0].Services[0]; s.Name != "Cities" || !s.Read.Equal(when.Read) {
		t.Errorf("%+v", s)
	}
}

func TestOfManyReportsTheNewestAreKeptWhole(t *testing.T) {
	t.Parallel()
	site := remembering(t)
	var list []adminapi.ReportSummary
	var whole []adminapi.Report
	for i := range 2000 {
		start := adminapi.Millis(i)
		list = append(list, adminapi.ReportSummary{ID: "R", StartTime: start})
		if i < 20 {
			whole = append(whole, adminapi.Report{StartTime: start, Raw: []byte(fmt.Sprintf(`{"id":"R%d","suiteStatus":[]}`, i))})
		}
	}
	whole[19].Raw = []byte(`{"id":"large","suiteStatus":[],"name":"` + strings.Repeat("x", 2<<20) + `"}`)
	if err := offline.KeepReports(site, offline.When{Read: time.Now()}, list, whole); err != nil {
		t.Fatal(err)
	}
	k := offline.KeptOf(site)
	if len(k.Reports.List) != 1000 || len(k.Reports.Whole) != 5 || k.Reports.Whole[0].ID != "R18" {
		t.Errorf("%d reports in the list, %d whole", len(k.Reports.List), len(k.Reports.Whole))
	}
}

func TestANameThatIsTooLongToBeKeptSaysSo(t *testing.T) {
	t.Parallel()
	site := remembering(t)
	name := strings.Repeat("é", 3000)
	if err := offline.KeepReports(site, offline.When{Read: time.Now()}, []adminapi.ReportSummary{{ID: "R", Name: name}}, nil); err != nil {
		t.Fatal(err)
	}
	if k := offline.KeptOf(site); len(k.Reports.List) != 1 || k.Reports.List[0].Name != name[:4096]+"…" {
		t.Errorf("%+v", k.Reports)
	}
}

// remembering is a site with a journal that ends with the test.
func remembering(t *testing.T) operation.Site {
	t.Helper()
	client, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/ctx/admin"})
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.OpenThrowaway()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return operation.Site{Client: client, Clock: adminapi.SystemClock{}, Memory: operation.Memory{Journal: j}}
}

// The states were read at different times: a count of them is as old as the oldest that it counts.
func TestTheServicesThatWereDownAreCountedWithTheAgeOfTheOldest(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	service := func(configured, realTime string, ago time.Duration) offline.KeptService {
		return offline.KeptService{Name: "Roads", Type: "MapServer", Configured: configured, RealTime: realTime, Read: now.Add(-ago)}
	}
	up, stopped := service("STARTED", "STARTED", 5*time.Hour), service("STOPPED", "STOPPED", 5*time.Hour)
	down, longer := service("STARTED", "STOPPED", time.Hour), service("STARTED", "STOPPED", 2*time.Hour)
	for name, tt := range map[string]struct {
		root, folder []offline.KeptService
		count        int
		ago          time.Duration
	}{
		"none":                        {[]offline.KeptService{up, stopped, {Name: "New", Type: "MapServer"}}, nil, 0, 0},
		"one":                         {[]offline.KeptService{up, down, stopped}, []offline.KeptService{up}, 1, time.Hour},
		"the oldest first":            {[]offline.KeptService{longer, up}, []offline.KeptService{down}, 2, 2 * time.Hour},
		"the oldest after the others": {[]offline.KeptService{down, up}, []offline.KeptService{longer, stopped}, 2, 2 * time.Hour},
	} {
		site := remembering(t)
		if err := offline.KeepServices(site, offline.When{Read: now}, []offline.KeptFolder{{Services: tt.root}, {Name: "Hosted", Services: tt.folder}}); err != nil {
			t.Fatal(err)
		}
		got := offline.KeptDown(site)
		if got.Value != tt.count || got.Known() != (tt.count > 0) || got.Known() && !got.At.Equal(now.Add(-tt.ago)) {
			t.Errorf("%s: %d, as of %v", name, got.Value, got.At)
		}
	}
	site := remembering(t)
	if got := offline.KeptDown(site); got.Known() || got.Value != 0 {
		t.Errorf("of nothing: %+v", got)
	}
	one := `{"name":"Roads","type":"MapServer","configured":"STARTED","realTime":"STOPPED","read":"` + now.Format(time.RFC3339) + `"}`
	if err := site.Memory.Journal.SaveSnapshot("services", now, 0, jsontext.Value(`{"folders":[{"services":[`+one+`]},{"services":3}]}`)); err != nil {
		t.Fatal(err)
	}
	if got := offline.KeptDown(site); got.Known() || got.Value != 0 {
		t.Errorf("of what cannot be read whole: %+v", got)
	}
}

func TestWhatIsDamagedOfASiteIsNamedAndTheRestIsUsed(t *testing.T) {
	t.Parallel()
	site := remembering(t)
	when := offline.When{Read: time.Now().Add(-time.Hour)}
	if err := offline.KeepReports(site, when, []adminapi.ReportSummary{{ID: "R1"}}, nil); err != nil {
		t.Fatal(err)
	}
	for kind, value := range map[string]string{
		"services": `{"folders":3}`, "overview": `[]`,
		"whole reports": `[{"id":"R2"},3,{"id":"R1","suiteStatus":[]}]`,
	} {
		if err := site.Memory.Journal.SaveSnapshot(kind, when.Read, 0, jsontext.Value(value)); err != nil {
			t.Fatal(err)
		}
	}
	k := offline.KeptOf(site)
	if k.Overview != nil || k.Services != nil || len(k.Problems) != 2 {
		t.Errorf("of what is damaged: %+v, %+v, %v", k.Overview, k.Services, k.Problems)
	}
	if k.Reports == nil || len(k.Reports.List) != 1 || len(k.Reports.Whole) != 1 || k.Reports.Whole[0].ID != "R1" {
		t.Errorf("of the rest: %+v", k.Reports)
	}
}

func TestWithoutAJournalNothingIsKept(t *testing.T) {
	t.Parallel()
	site := remembering(t)
	site.Memory.Journal = nil
	when := offline.When{Read: time.Now()}
	for _, err := range []error{offline.KeepState(site, when, watching.State{}), offline.KeepReports(site, when, nil, nil), offline.KeepServices(site, when, nil)} {
		if err != nil {
			t.Error(err)
		}
	}
	k, down := offline.KeptOf(site), offline.KeptDown(site)
	if k.Overview != nil || k.Reports != nil || k.Services != nil || k.Problems != nil || down.Known() {
		t.Errorf("%+v, %+v", k, down)
	}
}

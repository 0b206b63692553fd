package operation_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/upgrade"
)

func TestWhileAnUpgradeRunsNothingBelowItIsFetched(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "elses-upgrade")
	offer, err := p.Offers(t.Context())
	if err != nil || !offer.Running() {
		t.Fatalf("running %v, error %v", offer.Running(), err)
	}
	for _, child := range []string{"POST available", "GET currentVersion", "GET installed"} {
		if p.Sent(child) != 0 {
			t.Errorf("%s was asked", child)
		}
	}
}

// Neither is a damaged manifest sent, nor are the offers shown as if it had not been named.
func TestAManifestThatCannotBeReadIsNeverUsed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.WithJournal(t, "healthy")
	for name, content := range map[string]string{"cut.dat": `{"versions":[{"id":"pat_new"`, "empty.dat": "", "other.dat": `{"suiteStatus":[]}`, "large.dat": "{}", "missing.dat": ""} {
		path := filepath.Join(folder, name)
		if name != "missing.dat" {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if name == "large.dat" {
			if err := os.Truncate(path, 65<<20); err != nil {
				t.Fatal(err)
			}
		}
		manifest, outcome, err := operationtest.Apart(p.ImportManifest(t.Context(), operation.ManifestImport(path), nil))
		if outcome != adminapi.OutcomeNotSent || err == nil || len(manifest.Patches) > 0 {
			t.Errorf("%s: outcome %v, error %v", name, outcome, err)
		}
		if large := err != nil && strings.Contains(err.Error(), "has 65 MiB, too large for a manifest"); large != (name == "large.dat") {
			t.Errorf("%s: %v", name, err)
		}
		if errors.Is(err, fs.ErrNotExist) != (name == "missing.dat") {
			t.Errorf("%s: %v", name, err)
		}
		if offer, err := p.OffersWith(t.Context(), path); err == nil || len(offer.Chain.Entries) > 0 {
			t.Errorf("%s: %d offers, %v", name, len(offer.Chain.Entries), err)
		}
		if shown, err := operation.ManifestImport(path).Prepare(p.Site).Request(t.Context()); err == nil {
			t.Errorf("%s is shown as %+v", name, shown)
		}
	}
	p.WantSent(t, "POST importManifest", 0)
	if records, err := p.Memory.Journal.Actions(0); err != nil || len(records) > 0 && records[0].Kind == adminapi.WriteManifest {
		t.Errorf("%+v, %v", records, err)
	}
}

// The file of a site without internet adds to what that offers. Of an update in both the file counts, once.
func TestAManifestFileAddsToTheOffersOfTheSite(t *testing.T) {
	t.Parallel()
	update := func(id, name string) adminapi.Update { return adminapi.Update{ID: id, Name: name} }
	site := operation.Offer{Manifest: adminapi.Manifest{
		Patches:  []adminapi.Update{update("p1", "of the site"), update("p2", "of the site")},
		Releases: []adminapi.Update{update("r1", "of the site"), update("r2", "of the site")},
	}}
	both := site.WithManifest(adminapi.Manifest{Patches: []adminapi.Update{update("p2", "of the file")}, Releases: []adminapi.Update{update("r1", "of the file"), update("r3", "of the file")}})
	said := func(updates []adminapi.Update) (all []string) {
		for _, u := range updates {
			all = append(all, u.ID+" "+u.Name)
		}
		slices.Sort(all)
		return all
	}
	if got := said(both.Manifest.Patches); !slices.Equal(got, []string{"p1 of the site", "p2 of the file"}) {
		t.Errorf("patches %q", got)
	}
	if got := said(both.Manifest.Releases); !slices.Equal(got, []string{"r1 of the file", "r2 of the site", "r3 of the file"}) {
		t.Errorf("releases %q", got)
	}
	if len(both.Chain.Entries) != 5 {
		t.Errorf("%d are offered", len(both.Chain.Entries))
	}
}

// Without the time of its sending any import could be taken for it.
func TestAnImportWithoutTheTimeOfTheSiteStaysUnknown(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	claim, err := p.Memory.Journal.Claim(adminapi.TargetSite, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Memory.Journal.BeforeWrite(adminapi.Write{ID: 99, Kind: adminapi.WriteManifest, Target: adminapi.TargetSite, Operation: "import the manifest", Path: "/x/admin/system/upgrades/importManifest"}); err != nil {
		t.Fatal(err)
	}
	claim.Release()
	p.Clock.Advance(time.Hour)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/manifestStatus") {
			pass()
			return
		}
		_, _ = fmt.Fprint(w, `{"versionManifestSource":"a file","lastImportedTimestamp":1000}`)
	})
	found, err := p.ResolveWrites(t.Context())
	if err != nil || len(found) != 1 || found[0].Outcome != adminapi.OutcomeUnknown || !strings.Contains(found[0].How, "time by the site's clock is unknown") {
		t.Errorf("%+v, %v", found, err)
	}
	p.WantOutcome(t, adminapi.OutcomeUnknown)
}

// An update that does not apply has a reason of its own.
func TestAFailedReleaseBlocksOnlyWhatCouldBeStartedElse(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "running-release-fails-late")
	p.Clock.Advance(12 * time.Hour)
	offer, err := p.Offers(t.Context())
	if _, failed := offer.Failed(); err != nil || !failed {
		t.Fatalf("failed %v, %v", failed, err)
	}
	for id, want := range map[string]bool{operationtest.ReleaseID: false, operationtest.PatchID: true} {
		e, offered := offer.Chain.Find(id)
		if _, blocked := offer.Blocked(e); !offered || e.State != upgrade.Applicable || blocked != want {
			t.Errorf("%s, %v: blocked %v", id, e.State, blocked)
		}
		e.State = upgrade.NotApplicable
		if _, blocked := offer.Blocked(e); blocked {
			t.Errorf("%s is called blocked, and does not apply at all", id)
		}
	}
}

// As ours was lost somebody else may have imported another manifest: what the site offers since says so. By the whole seconds of a
// Date header an import may be a moment older than its request.
func TestTheImportOfSomebodyElseIsNotTakenForOurs(t *testing.T) {
	t.Parallel()
	for _, theirs := range []bool{false, true} {
		p := operationtest.WithJournal(t, "healthy")
		var imported adminapi.Millis
		offered, err := p.Client.Upgrades.Available(t.Context())
		if err != nil || len(offered.Patches) < 2 {
			t.Fatalf("%d patches, %v", len(offered.Patches), err)
		}
		held := append(slices.Clone(offered.Patches), offered.Releases...)
		if theirs {
			held = held[1:]
		}
		var versions []string
		for _, u := range held {
			versions = append(versions, fmt.Sprintf(`{"id":%q,"type":"patch"}`, u.ID))
		}
		path := filepath.Join(t.TempDir(), "manifest.dat")
		if err := os.WriteFile(path, []byte(`{"versions":[`+strings.Join(versions, ",")+`],"signature":"x"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/importManifest"):
				imported = p.ServerMillis() - 900
				operationtest.HangUp(w)
			case strings.HasSuffix(r.URL.Path, "/manifestStatus"):
				_, _ = fmt.Fprintf(w, `{"versionManifestSource":"User provided","lastImportedTimestamp":%d}`, imported)
			default:
				pass()
			}
		})
		want := map[bool]adminapi.Outcome{true: adminapi.OutcomeUnknown, false: adminapi.OutcomeDone}[theirs]
		if _, result := p.ImportManifest(t.Context(), operation.ManifestImport(path), nil); result.Outcome != want {
			t.Errorf("another one was imported %v: %v, %v", theirs, result.Outcome, result.Err)
		}
		p.WantSent(t, "POST importManifest", 1)
	}
}

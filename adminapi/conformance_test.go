package adminapi_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator/simtest"
)

// finished moves the clock until the upgrade ends.
func finished(t *testing.T, c *adminapi.Client, clock *simtest.ManualClock) adminapi.UpgradeStatus {
	t.Helper()
	for range 48 {
		clock.Advance(30 * time.Minute)
		if status, err := c.Upgrades.Status(t.Context()); err != nil || !status.Running() {
			check(t, "end", status.State, adminapi.UpgradeSuccess, err)
			return status
		}
	}
	t.Fatal("the upgrade does not end")
	return adminapi.UpgradeStatus{}
}

func TestAReleaseFromTheOfferToTheHistory(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, clock := simtest.SignIn(t, "healthy", "operator")
	manifest, err := c.Upgrades.Available(ctx)
	if err != nil || len(manifest.Releases) == 0 || len(manifest.Patches) == 0 {
		t.Fatal(manifest, err)
	}
	target := manifest.Releases[0]
	settings, err := c.Upgrades.Settings(ctx, target.ID)
	check(t, "settings", strings.Contains(string(settings.Raw), `"licenseUpload"`), true, err)

	licence := adminapi.Part{FileName: "l.json", Content: simtest.Licence(target.Version), Secret: true}
	id, outcome, err := c.Uploads.Send(ctx, licence, "for the upgrade", nil)
	check(t, "upload", outcome, adminapi.OutcomeDone, err)
	item, err := c.Uploads.Item(ctx, id)
	check(t, "item", []any{item.ID, item.Name, item.Description, item.Committed}, []any{id, "l.json", "for the upgrade", true}, err)

	filled := strings.Replace(string(settings.Raw), `"value":""`, `"value":"`+id+`"`, 1)
	status, outcome, err := c.Upgrades.Start(ctx, []adminapi.Part{
		{Name: "versionManifest", Content: []byte(`{"id":"` + target.ID + `"}`)},
		{Name: "versionManifestFile", File: true},
		{Name: "upgradeSettings", Content: []byte(filled)},
	})
	check(t, "start", []any{outcome, status.Running(), status.Messages[0].Code}, []any{adminapi.OutcomeDone, true, 2010}, err)
	for name, r := range readers(t, c) {
		if name != "upload" && name != "stores" && name != "backups" {
			t.Run("closed/"+name, func(t *testing.T) { wantKind(t, r.read(), adminapi.KindBusy) })
		}
	}
	_, outcome, err = c.Upgrades.Rollback(ctx, target.ID)
	wantKind(t, err, adminapi.KindBusy)
	check(t, "rollback meanwhile", outcome, adminapi.OutcomeRefused, nil)

	succeeded := false
	for _, m := range finished(t, c, clock).Messages {
		succeeded = succeeded || m.Code == 2012
	}
	check(t, "told to have succeeded", succeeded, true, nil)
	current, err := c.Upgrades.Current(ctx)
	check(t, "version", []string{current.Version, current.Build}, []string{target.Version, target.Build}, err)
	history, err := c.Upgrades.History(ctx)
	check(t, "history", []any{history[0].Type, history[0].Result, history[0].PreviousVersion, history[0].Start},
		[]any{"upgrade", "success", "11.5.0.6745", status.Messages[0].When}, err)
	outcome, err = c.Uploads.Delete(ctx, id)
	check(t, "delete", outcome, adminapi.OutcomeDone, err)
	_, err = c.Uploads.Item(ctx, id)
	wantKind(t, err, adminapi.KindNotFound)
}

func TestAnOldSiteTakesTheLicenceAsAFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, clock := simtest.SignIn(t, "oldest", "operator")
	manifest, err := c.Upgrades.Available(ctx)
	if err != nil || len(manifest.Releases) == 0 {
		t.Fatal(manifest, err)
	}
	target := manifest.Releases[0]
	parts := []adminapi.Part{
		{Name: "versionManifest", Content: []byte(`{"id":"` + target.ID + `"}`)},
		{Name: "versionManifestFile", File: true},
		{Name: "licenseFile", File: true, Secret: true},
		{Name: "upgradeSettings", Content: []byte("{}")},
		{Name: "updateToLatestPatch", Content: []byte("false")},
	}
	_, outcome, err := c.Upgrades.Start(ctx, parts)
	wantKind(t, err, adminapi.KindInvalid)
	check(t, "an empty licence", outcome, adminapi.OutcomeRefused, nil)
	parts[2].FileName, parts[2].Content = "l.json", simtest.Licence(target.Version)
	_, outcome, err = c.Upgrades.Start(ctx, parts)
	check(t, "start", outcome, adminapi.OutcomeDone, err)
	finished(t, c, clock)
	_, err = c.Upgrades.Config(ctx)
	if _, rootErr := c.Root(ctx); rootErr != nil {
		t.Fatal(rootErr)
	}
	wantKind(t, err, adminapi.KindVersionTooOld)
}

func TestAPatchIsRolledBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, clock := simtest.SignIn(t, "upgraded", "operator")
	offered, err := c.Upgrades.CheckRollback(ctx)
	if err != nil || len(offered) == 0 {
		t.Fatal(offered, err)
	}
	before, err := c.Upgrades.Installed(ctx)
	check(t, "installed", len(before) > 1, true, err)
	status, outcome, err := c.Upgrades.Rollback(ctx, offered[0].ID)
	check(t, "rollback", []any{outcome, status.Running()}, []any{adminapi.OutcomeDone, true}, err)
	finished(t, c, clock)
	after, err := c.Upgrades.Installed(ctx)
	check(t, "fewer than before", len(after) < len(before), true, err)
}

func TestASiteWithoutInternetImportsItsManifest(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, _ := simtest.SignIn(t, "empty-manifest", "operator")
	manifest, err := c.Upgrades.Available(ctx)
	check(t, "offered", len(manifest.Patches)+len(manifest.Releases), 0, err)
	file := adminapi.Part{FileName: "manifest.dat", Content: []byte(recorded(t, "version_manifest_file_11.5.0_TRIMMED"))}
	outcome, err := c.Upgrades.ImportManifest(ctx, file)
	check(t, "import", outcome, adminapi.OutcomeDone, err)
	manifest, err = c.Upgrades.Available(ctx)
	check(t, "offered now", len(manifest.Patches) > 0 && len(manifest.Releases) > 0, true, err)
	status, err := c.Upgrades.ManifestStatus(ctx)
	check(t, "imported", status.LastImported.IsZero(), false, err)
}

func TestThePreflightReadsTheSite(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, _ := simtest.SignIn(t, "healthy", "operator")
	config, err := c.Upgrades.Config(ctx)
	check(t, "placement", len(config.PodPlacement) > 0, true, err)
	stores, err := c.Backups.Stores(ctx)
	if err != nil || len(stores) == 0 || !stores[0].Default {
		t.Fatal(stores, err)
	}
	backups, err := c.Backups.List(ctx, stores[0].Name)
	if err != nil || len(backups) == 0 || backups[0].Name == "" || backups[0].Status != adminapi.BackupCompleted || backups[0].Start.IsZero() {
		t.Error(backups, err)
	}
}

func TestAUserMayUpgradeButNotUpload(t *testing.T) {
	t.Parallel()
	c, _ := simtest.SignIn(t, "healthy", "servers")
	_, err := c.Upgrades.Available(t.Context())
	check(t, "available", err, nil, nil)
	_, outcome, err := c.Uploads.Send(t.Context(), aFile, "", nil)
	if e := wantKind(t, err, adminapi.KindPrivilege); !strings.Contains(e.Error(), "Publisher") {
		t.Error(e)
	}
	check(t, "outcome", outcome, adminapi.OutcomeRefused, nil)
}

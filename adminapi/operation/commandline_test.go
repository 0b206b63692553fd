package operation_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
)

func TestACommandThatIsCopiedIsReadByAShellAsItIsMeant(t *testing.T) {
	t.Parallel()
	service := adminapi.ServiceRef{Folder: "Ann's", Name: "Roads & Rails", Type: "MapServer"}
	for _, c := range []struct {
		change operation.Change
		want   string
	}{
		{operation.Switch{Service: service, Start: true}, `geodeck service start --site x 'Ann'\''s/Roads & Rails.MapServer'`},
		{operation.Switch{Service: service}, `geodeck service stop --confirm 'Roads & Rails' --site x 'Ann'\''s/Roads & Rails.MapServer'`},
		{operation.HealthCheck{SuiteIDs: []string{"A", `B "1", C`}, Name: "-n $HOME"}, `geodeck health run --suite A --suite '"B ""1"", C"' --name '-n $HOME' --site x`},
		{operation.ReportDeletion{IDs: []string{"a", "-b"}}, `geodeck health delete --site x -- a -b`},
		{operation.ManifestImport("/tmp/*.dat"), `geodeck upgrade import-manifest --site x '/tmp/*.dat'`},
	} {
		if got, err := commandOf(t, c.change).Text([]string{"--site", "x"}); err != nil || got != c.want {
			t.Errorf("%s\nwant %s, %v", got, c.want, err)
		}
	}
	for _, name := range []string{"a\nrm", "a\x1b[31m", "a\xff"} {
		service.Name = name
		if got, err := commandOf(t, operation.Switch{Service: service, Start: true}).Text(nil); !errors.Is(err, operation.ErrNoCommandLine) {
			t.Errorf("%q: %v", got, err)
		}
	}
}

// commandOf returns the command of a change that is one.
func commandOf(t *testing.T, of operation.Change) operation.CommandLine {
	t.Helper()
	lines, err := of.Prepare(operation.Site{}).Commands()
	if err != nil || len(lines) != 1 {
		t.Fatal(lines, err)
	}
	return lines[0]
}

func TestOneRequestIsCopiedAsAnObjectAndSeveralAsAList(t *testing.T) {
	t.Parallel()
	request := adminapi.Request{Method: "POST", Path: "/admin/mode/update"}
	for want, requests := range map[string][]adminapi.Request{"{": {request}, "[": {request, request}} {
		if text, err := operation.RequestsJSON(requests); err != nil || text[:1] != want || !strings.Contains(text, `"path": "/admin/mode/update"`) {
			t.Errorf("of %d: %s, %v", len(requests), text, err)
		}
	}
}

func TestTheCommandsOfASentenceReachTheSite(t *testing.T) {
	t.Parallel()
	site := []string{"--site", "my site", "--ca", "/ca.pem", "--config", "/c", "--state-dir", "/s"}
	const all = ` --site 'my site' --ca /ca.pem --config /c --state-dir /s`
	for text, want := range map[string]string{
		"See: {command:health reports}, {command:job list}":                     "See: geodeck health reports" + all + ", geodeck job list" + all,
		operation.CommandText("service status --wait", "a/O'X}.MapServer"):      `geodeck service status --wait 'a/O'\''X}.MapServer'` + all,
		operation.CommandText("service get", "-x.MapServer"):                    "geodeck service get" + all + " -- -x.MapServer",
		operation.CommandText("service explain --nodes-command", "kubectl get"): "geodeck service explain --nodes-command 'kubectl get'" + all,
		"{command:health run --site other}":                                     "geodeck health run --site other --config /c --state-dir /s", // which has a way of its own
		"{command:site use NAME}":                                               "geodeck site use NAME --config /c --state-dir /s",
		"{command:demo}":                                                        "geodeck demo",
		"{command:serve --port 1}":                                              "geodeck serve --port 1",
		"{command:health run --url https://x/admin}":                            "geodeck health run --url https://x/admin --config /c --state-dir /s",
		"{command:placement check rules.json}":                                  "geodeck placement check rules.json --config /c --state-dir /s", // which is about no site
		"{command:placement get X.MapServer}":                                   "geodeck placement get X.MapServer" + all,
		"{command:health run --name ''}":                                        "geodeck health run --name ''" + all,
		"a brace {command:":                                                     "a brace {command:",
		"a quote {command:job get 'x}":                                          "a quote {command:job get 'x}",
		"nothing {command:}":                                                    "nothing {command:}",
		"a backslash {command:job get x\\":                                      "a backslash {command:job get x\\",
		"a bell {command:job get x\a}":                                          "a bell {command:job get x\a}", // which no line can have
	} {
		if got := operation.NameCommands(text, site); got != want {
			t.Errorf("%s\n%s\nnot %s", text, got, want)
		}
	}
}

func TestEveryActionWithACommandTakesItsArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		action explain.Action
		want   string
	}{
		{explain.RunHealth.To(), "{command:health run}"},
		{explain.AwaitService.To("X.MapServer"), "{command:service status --wait X.MapServer}"},
		{explain.LoadNodes.To("X.MapServer"), "{command:service explain --nodes-command 'kubectl get nodes -o json' X.MapServer}"},
		{explain.OpenHistory.To("X.MapServer", "j1;$(reboot)"), "{command:job get 'j1;$(reboot)'}"},
		{explain.ReadTest.To("HC_2", "a'b", "store"), `{command:health explain 'a'\''b' store}`},
		{explain.LookForWrite.To("service", "get", "X.MapServer"), "{command:service get X.MapServer}"},
		{explain.LookForSwitched.To("service", "status", "X.MapServer"), "{command:service status X.MapServer}"},
		{explain.ReadTest.To("HC_2"), ""},
		{explain.LookForWrite.To(), ""},
		{explain.SignIn.To(), ""},
		{explain.Action{}, ""},
	} {
		got := ""
		if line, ok := operation.CommandOfAction(c.action); ok {
			got = line.InText()
		}
		if got != c.want {
			t.Errorf("%v: %s, not %s", c.action, got, c.want)
		}
	}
}

// Whoever runs the command sends what was reviewed: nothing that was chosen is left out, and no secret is in it.
func TestTheCommandOfAReviewedUpgradeSendsWhatWasReviewed(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	release := adminapi.Update{ID: "rel_1", Version: "12.0.0"}
	asks := settingsOf(t, `{"userInputs":[{"id":"licenseUpload","type":"File"},{"id":"updateToLatestPatch","type":"Boolean"},
		{"id":"volumesConfig","type":"Object"},{"id":"dbPassword","type":"String"}]}`)
	caution := []finding.Finding{{ID: "health", Accept: "failed-health"}, {ID: "backup", Accept: "no-backup"}}
	for name, c := range map[string]struct {
		request     operation.UpgradeRequest
		want, first string
		inputs      string // of the file of settings; empty for no file
	}{
		"nothing chosen": {operation.UpgradeRequest{Target: release}, "geodeck upgrade start --confirm 12.0 rel_1", "", ""},
		"cautions":       {operation.UpgradeRequest{Target: release, Accepted: caution}, "geodeck upgrade start --confirm 12.0 --accept 'failed-health,no-backup' rel_1", "", ""},
		"a rollback": {operation.UpgradeRequest{Target: release, Accepted: caution[:1], Rollback: &upgrade.Rollback{}, ManifestPath: "/m.dat", LicencePath: "/l.json"},
			"geodeck upgrade rollback --confirm 12.0 --accept failed-health rel_1", "", ""},
		"a manifest and a licence that is not asked for": {operation.UpgradeRequest{Target: release, ManifestPath: "/m.dat", LicencePath: "/l.json"},
			"geodeck upgrade start --confirm 12.0 --manifest-file /m.dat --license /l.json rel_1", "", ""},
		"the old style": {operation.UpgradeRequest{Target: adminapi.Update{ID: "rel_1", Version: "10.9.1"}, LatestPatch: &no, LicencePath: "/l.json",
			Settings: asks, Answers: upgrade.Answers{"licenseUpload": {Path: "/other.json"}, "volumesConfig": {JSON: `{"a":1}`}}},
			"geodeck upgrade start --confirm 12.0 --license /l.json --latest-patch=false rel_1", "", ""},
		"settings with flags": {operation.UpgradeRequest{Target: release, Settings: asks, Answers: upgrade.Answers{"licenseUpload": {Path: "/l.json"}, "updateToLatestPatch": {Bool: &yes}}},
			"geodeck upgrade start --confirm 12.0 --license /l.json --latest-patch rel_1", "", ""},
		"settings without flags": {operation.UpgradeRequest{Target: release, Settings: asks, Answers: upgrade.Answers{"volumesConfig": {JSON: `{"a":1}`}, "updateToLatestPatch": {Bool: &no}}},
			"geodeck upgrade start --confirm 12.0 --settings SETTINGS --latest-patch=false rel_1", "", `"volumesConfig"`},
		"a secret": {operation.UpgradeRequest{Target: release, Settings: asks, Answers: upgrade.Answers{"dbPassword": {JSON: `"canary-secret"`}}},
			"geodeck upgrade start --confirm 12.0 --settings SETTINGS rel_1", "Fill in db password in SETTINGS first.", `"userInputs"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "settings.json")
			line := commandOf(t, operation.ReviewedUpgrade{UpgradeRequest: c.request, Version: "12.0", SettingsPath: path})
			text, err := line.Text(nil)
			if text = strings.ReplaceAll(text, path, "SETTINGS"); err != nil || text != c.want {
				t.Errorf("%s\nwant %s, %v", text, c.want, err)
			}
			if first := strings.ReplaceAll(line.First, path, "SETTINGS"); !strings.EqualFold(first, c.first) {
				t.Errorf("before it: %q, want %q", first, c.first)
			}
			written, err := os.ReadFile(path)
			if (err == nil) != (c.inputs != "") || !strings.Contains(string(written), c.inputs) || strings.Contains(string(written)+text, "canary") {
				t.Errorf("the file has %s, %v", written, err)
			}
		})
	}
}

// Without its file the command would send less than was reviewed.
func TestThereIsNoCommandOfSettingsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	r := operation.ReviewedUpgrade{Version: "12.0", SettingsPath: filepath.Join(t.TempDir(), "missing", "settings.json"), UpgradeRequest: operation.UpgradeRequest{
		Target:   adminapi.Update{ID: "rel_1", Version: "12.0.0"},
		Settings: settingsOf(t, `{"userInputs":[{"id":"volumesConfig","type":"Object"}]}`), Answers: upgrade.Answers{"volumesConfig": {JSON: `{"a":1}`}},
	}}
	if lines, err := r.Prepare(operation.Site{}).Commands(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", lines, err)
	}
}

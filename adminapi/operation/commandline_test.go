package operation_test

import (
	"errors"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
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
	site := []string{"--site", "my site", "--ca", "/ca.pem", "--config", "/c"}
	const all = ` --site 'my site' --ca /ca.pem --config /c`
	for text, want := range map[string]string{
		"See: {command:health reports}, {command:job list}":                     "See: geodeck health reports" + all + ", geodeck job list" + all,
		operation.CommandText("service status --wait", "a/O'X}.MapServer"):      `geodeck service status --wait 'a/O'\''X}.MapServer'` + all,
		operation.CommandText("service get", "-x.MapServer"):                    "geodeck service get" + all + " -- -x.MapServer",
		operation.CommandText("service explain --nodes-command", "kubectl get"): "geodeck service explain --nodes-command 'kubectl get'" + all,
		"{command:health run --site other}":                                     "geodeck health run --site other --config /c", // which has a way of its own
		"{command:site use NAME}":                                               "geodeck site use NAME --config /c",
		"{command:demo}":                                                        "geodeck demo",
		"a brace {command:":                                                     "a brace {command:",
		"a quote {command:job get 'x}":                                          "a quote {command:job get 'x}",
		"nothing {command:}":                                                    "nothing {command:}",
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

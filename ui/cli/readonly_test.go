package cli_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
)

// leaves returns every command that does something, by its path without the program.
func leaves(cmd *cobra.Command) (paths []string) {
	if !cmd.HasSubCommands() {
		return []string{strings.TrimPrefix(cmd.CommandPath(), "geodeck ")}
	}
	for _, child := range cmd.Commands() {
		paths = append(paths, leaves(child)...)
	}
	return paths
}

// readsByPost are what a site reads though it is posted.
var readsByPost = []string{"/available ", "/getUpgradeSettings ", "/checkRollback ", "/generateToken "}

// writes are the requests that change something at the site.
func (w *wireLog) writes() (sent []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, request := range w.all {
		if strings.HasPrefix(request, "POST ") && !slices.ContainsFunc(readsByPost, func(read string) bool { return strings.Contains(request, read) }) {
			sent = append(sent, request)
		}
	}
	return sent
}

// Every command, also one that goes on with a draft or takes an edit back, and the same
// without --read-only: it is the flag that stops it.
func TestReadOnlyEveryCommandThatWritesIsRefused(t *testing.T) {
	t.Parallel()
	const manifest = `{"versions": [{"id": "pat_new_6900", "name": "First", "type": "patch", "version": "11.5.0", "previousVersion": "11.5.0",` +
		`"build": "6900", "previousBuild": "6745", "releaseBuild": "6745", "containers": []}], "signature": "x"}`
	without := []string{"completion", "demo", "serve", "help", "version", "health open"} // a site
	writers := map[string]func(t *testing.T, run func(args ...string) result) (args []string){
		"health run": func(*testing.T, func(...string) result) []string { return []string{"--name", "nightly"} },
		"service stop": func(*testing.T, func(...string) result) []string {
			return []string{cities, "--confirm", "SampleWorldCities"}
		},
		"service start": func(t *testing.T, run func(...string) result) []string {
			ok(t, run("service", "stop", cities, "--confirm", "SampleWorldCities"))
			return []string{cities}
		},
		"service apply": func(t *testing.T, run func(...string) result) []string {
			return []string{cities, "-f", fileOf(t, "edited.json", strings.Replace(ok(t, run("service", "get", cities)).out, `"maxRecordCount":4000`, `"maxRecordCount":2000`, 1))}
		},
		"health delete": func(t *testing.T, run func(...string) result) []string {
			return []string{idsIn(t, run("health", "reports", "-o", "json"))[0]}
		},
		"service edit": func(t *testing.T, run func(...string) result) []string {
			ok(t, run("service", "edit", cities, "--dry-run"))
			return []string{cities, "--continue"}
		},
		"service restore": func(t *testing.T, run func(...string) result) []string {
			ok(t, run("service", "edit", cities))
			return []string{cities, oldest(t, run("service", "history", cities, "-o", "json"))}
		},
		"placement apply": func(t *testing.T, run func(...string) result) []string {
			return []string{cities, "-f", rulesOfPool(t, "spot")}
		},
		"placement restore": func(t *testing.T, run func(...string) result) []string {
			ok(t, run("placement", "apply", cities, "-f", rulesOfPool(t, "spot")))
			return []string{cities, oldest(t, run("placement", "history", cities, "-o", "json"))}
		},
		"upgrade import-manifest": func(t *testing.T, _ func(...string) result) []string {
			return []string{fileOf(t, "manifest.dat", manifest)}
		},
		"upgrade start": func(*testing.T, func(...string) result) []string {
			return []string{"pat_12082025_6805", "--accept", "clock,health,placement", "--confirm", "11.5.0.6805"}
		},
		"upgrade rollback": func(*testing.T, func(...string) result) []string {
			return []string{"pat_23102025_6825", "--accept", "clock,health,placement", "--confirm", "11.5.0.6825"}
		},
	}
	scenarios := map[string]string{"upgrade rollback": "upgraded", "upgrade import-manifest": "empty-manifest"}
	for _, command := range leaves(cli.Tree()) {
		if slices.Contains(without, command) {
			continue
		}
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			scenario := "healthy"
			if other := scenarios[command]; other != "" {
				scenario = other
			}
			clock, env, seen := siteOnAWire(t, scenario)
			env["EDITOR"] = simtest.Script(t, "editor.sh", `subst s/1800/900/ "$1"`)
			run := func(args ...string) result { return runInProcess(t, clock, env, args...) }
			writer := writers[command]
			if writer == nil { // with any arguments
				for _, args := range [][]string{nil, {cities}, {cities, "ID"}} {
					run(slices.Concat(strings.Fields(command), args, []string{"--timeout", "5s"})...)
				}
				if sent := seen.writes(); len(sent) > 0 {
					t.Errorf("it writes, and is not known to: %q", sent)
				}
				return
			}
			args := append(strings.Fields(command), writer(t, run)...)
			before := len(seen.writes())
			if r := run(append(args, "--read-only")...); r.code != 4 || !strings.Contains(r.err, "read-only; nothing was sent") {
				t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
			}
			if sent := seen.writes()[before:]; len(sent) > 0 {
				t.Errorf("sent: %q", sent)
			}
			if r := run(args...); len(seen.writes()) == before {
				t.Errorf("without the flag: exit code %d, it says\n%s%s", r.code, r.out, r.err)
			}
		})
	}
}

func ok(t *testing.T, r result) result {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
	return r
}

// oldest is the first version of a history.
func oldest(t *testing.T, r result) string {
	t.Helper()
	ids := idsIn(t, r)
	return ids[len(ids)-1]
}

// idsIn are the ids in a list, of which it has some.
func idsIn(t *testing.T, r result) (ids []string) {
	t.Helper()
	var list []struct{ ID string }
	if err := json.Unmarshal([]byte(r.out), &list); err != nil || len(list) == 0 {
		t.Fatal(err, r)
	}
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return ids
}

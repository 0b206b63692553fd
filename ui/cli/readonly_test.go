package cli_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
	"geodeck/ui/uitest/clitest"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

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

const manifest = `{"versions": [{"id": "pat_new_6900", "name": "First", "type": "patch", "version": "11.5.0", "previousVersion": "11.5.0",` +
	`"build": "6900", "previousBuild": "6745", "releaseBuild": "6745", "containers": []}], "signature": "x"}`

// writers are the commands that change a site, with what makes their arguments.
var writers = map[string]func(t *testing.T, run func(args ...string) clitest.Result) (args []string){
	"health run": func(*testing.T, func(...string) clitest.Result) []string { return []string{"--name", "nightly"} },
	"service stop": func(*testing.T, func(...string) clitest.Result) []string {
		return []string{clitest.Cities, "--confirm", "SampleWorldCities"}
	},
	"service start": func(t *testing.T, run func(...string) clitest.Result) []string {
		clitest.Ok(t, run("service", "stop", clitest.Cities, "--confirm", "SampleWorldCities"))
		return []string{clitest.Cities}
	},
	"service apply": func(t *testing.T, run func(...string) clitest.Result) []string {
		return []string{clitest.Cities, "-f", clitest.FileOf(t, "edited.json", strings.Replace(clitest.Ok(t, run("service", "get", clitest.Cities)).Out, `"maxRecordCount":4000`, `"maxRecordCount":2000`, 1))}
	},
	"health delete": func(t *testing.T, run func(...string) clitest.Result) []string {
		return []string{clitest.IDsIn(t, run("health", "reports", "-o", "json"))[0]}
	},
	"service edit": func(t *testing.T, run func(...string) clitest.Result) []string {
		clitest.Ok(t, run("service", "edit", clitest.Cities, "--dry-run"))
		return []string{clitest.Cities, "--continue"}
	},
	"service restore": func(t *testing.T, run func(...string) clitest.Result) []string {
		clitest.Ok(t, run("service", "edit", clitest.Cities))
		return []string{clitest.Cities, clitest.Oldest(t, run("service", "history", clitest.Cities, "-o", "json"))}
	},
	"placement apply": func(t *testing.T, run func(...string) clitest.Result) []string {
		return []string{clitest.Cities, "-f", clitest.RulesOfPool(t, "spot")}
	},
	"placement restore": func(t *testing.T, run func(...string) clitest.Result) []string {
		clitest.Ok(t, run("placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot")))
		return []string{clitest.Cities, clitest.Oldest(t, run("placement", "history", clitest.Cities, "-o", "json"))}
	},
	"upgrade import-manifest": func(t *testing.T, _ func(...string) clitest.Result) []string {
		return []string{clitest.FileOf(t, "manifest.dat", manifest)}
	},
	"upgrade start": func(*testing.T, func(...string) clitest.Result) []string {
		return []string{"pat_12082025_6805", "--accept", "clock,health,placement", "--confirm", "11.5.0.6805"}
	},
	"upgrade rollback": func(*testing.T, func(...string) clitest.Result) []string {
		return []string{"pat_23102025_6825", "--accept", "clock,health,placement", "--confirm", "11.5.0.6825"}
	},
}

// writerScenarios are those in which a writer has something to change.
var writerScenarios = map[string]string{"upgrade rollback": "upgraded", "upgrade import-manifest": "empty-manifest"}

// Every command, also one that goes on with a draft or takes an edit back, and the same
// without --read-only: it is the flag that stops it.
func TestReadOnlyEveryCommandThatWritesIsRefused(t *testing.T) {
	t.Parallel()
	without := []string{"completion", "man", "demo", "serve", "help", "version", "health open"} // a site
	for _, command := range leaves(cli.Tree()) {
		if slices.Contains(without, command) {
			continue
		}
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			clock, env, seen := clitest.SiteOnAWire(t, cmp.Or(writerScenarios[command], "healthy"))
			env["EDITOR"] = simtest.Script(t, "editor.sh", `subst s/1800/900/ "$1"`)
			run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
			writer := writers[command]
			if writer == nil { // with any arguments
				for _, args := range [][]string{nil, {clitest.Cities}, {clitest.Cities, "ID"}} {
					words := slices.Concat(strings.Fields(command), args, []string{"--timeout", "5s"})
					if command == "pull" { // into this folder otherwise
						words = append(words, "-d", t.TempDir())
					}
					run(words...)
				}
				if sent := seen.Writes(); len(sent) > 0 {
					t.Errorf("it writes, and has no row in writers: %q", sent)
				}
				return
			}
			args := append(strings.Fields(command), writer(t, run)...)
			before := len(seen.Writes())
			if r := run(append(args, "--read-only")...); r.Code != 4 || !strings.Contains(r.Err, "read-only; nothing was sent") {
				t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
			}
			if sent := seen.Writes()[before:]; len(sent) > 0 {
				t.Errorf("sent: %q", sent)
			}
			if r := run(args...); len(seen.Writes()) == before {
				t.Errorf("without the flag: exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
			}
		})
	}
}

// A script can look first at whatever it is about to change.
func TestEveryCommandThatWritesHasADryRun(t *testing.T) {
	t.Parallel()
	written := []string{"apply", "fleet health run"} // their scripts have a dry run
	for command := range writers {
		written = append(written, command)
	}
	root := cli.Tree()
	for _, command := range leaves(root) {
		cmd, _, _ := root.Find(strings.Fields(command))
		if dry := cmd.Flags().Lookup("dry-run") != nil; dry != slices.Contains(written, command) {
			t.Errorf("%s: has --dry-run %v, writes %v", command, dry, !dry)
		}
		if cmd.Flags().Lookup("again") != nil && !slices.Contains(written, command) {
			t.Errorf("%s takes --again, and has no row in writers", command)
		}
	}
	for command, writer := range writers {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			clock, env, seen := clitest.SiteOnAWire(t, cmp.Or(writerScenarios[command], "healthy"))
			env["EDITOR"] = simtest.Script(t, "editor.sh", `subst s/1800/900/ "$1"`)
			run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
			args := append(strings.Fields(command), writer(t, run)...)
			before := len(seen.Writes())
			args = append(args, "--dry-run")
			if r := run(args...); r.Code != 0 || !strings.Contains(r.Out, "\nrequest: POST ") || !strings.HasSuffix(r.Out, "\ndry run: nothing was sent\n") {
				t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
			}
			if r := run(append(args, "-o", "json")...); r.Code != 0 || !strings.Contains(r.Out, `"request": {`) {
				t.Errorf("exit code %d, as JSON\n%s%s", r.Code, r.Out, r.Err)
			}
			if r := run(append(args, "--read-only")...); r.Code != 4 || !strings.Contains(r.Err, "read-only; nothing was sent") {
				t.Errorf("of what would be refused: exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
			}
			if sent := seen.Writes()[before:]; len(sent) > 0 {
				t.Errorf("sent: %q", sent)
			}
		})
	}
}

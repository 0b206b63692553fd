package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/upgrade/progress"
)

func TestEveryStepOfAnExplanationIsACommand(t *testing.T) {
	var list []explain.Explanation
	for kind := adminapi.KindServer; kind <= adminapi.KindLocked; kind++ {
		err := &adminapi.Error{Kind: kind, Message: "no", Explicit: true}
		list = append(list, explain.Write(explain.WriteFacts{What: "edit X", Err: err, Outcome: adminapi.OutcomeRefused}),
			explain.Upgrade(explain.UpgradeFacts{Refused: err}), explain.Upgrade(explain.UpgradeFacts{Unreachable: err}),
			explain.Write(explain.WriteFacts{What: "edit X", Err: err, Outcome: adminapi.OutcomeUnknown}))
	}
	failed := adminapi.Job{ID: "j1", OperationURI: "/services/X.MapServer/edit", Status: adminapi.JobCancelled}
	list = append(list, explain.Write(explain.WriteFacts{What: "edit X", Job: &failed, Outcome: adminapi.OutcomeDone}))
	for meaning := progress.StateUnknown; meaning <= progress.StateFailed; meaning++ {
		stall := &progress.Stall{Quiet: time.Hour}
		f := explain.UpgradeFacts{Progress: progress.Progress{Meaning: meaning}}
		list = append(list, explain.Upgrade(f))
		f.Stall = stall
		list = append(list, explain.Upgrade(f))
		for _, s := range []adminapi.ServiceStatus{{Configured: "STARTED", RealTime: "STOPPED"}, {Configured: "STOPPED", RealTime: "STOPPED"}} {
			list = append(list, explain.Service(explain.ServiceFacts{
				Service: adminapi.ServiceRef{Name: "X", Type: "MapServer"}, Status: s, Site: explain.SiteFacts{Known: true, Upgrade: meaning}}))
		}
	}
	seen := 0
	for _, x := range list {
		if x.Next.Shell == "" {
			continue
		}
		seen++
		cmd, rest, err := Tree().Find(strings.Fields(x.Next.Shell))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil || !cmd.Runnable() || cmd.HasSubCommands() {
			t.Errorf("%s: geodeck %s does not exist: %v", x.Cause.ID, x.Next.Shell, err)
		}
	}
	if seen < 20 {
		t.Errorf("%d steps have a command", seen)
	}
}

// Every command line in a text of the program can be run: the command exists and takes these
// flags and that many arguments, and the path of a service only where its usage names one.
func TestEveryCommandThatATextNamesExists(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("geodeck ((?:service|placement|health|upgrade|job) [^\"`\n;|>,()&\\\\]*)(?:\" \\+ ([A-Za-z.()]+))?")
	path := regexp.MustCompile(`^([A-Za-z]+/)?[A-Za-z]+\.[A-Z][A-Za-z]*Server$`)
	seen := 0
	for _, dir := range []string{".", "../views", "../../adminapi"} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile(name)
			for _, m := range named.FindAllStringSubmatch(string(text), -1) {
				line, args := strings.TrimRight(m[1], " ."), m[2]
				if line, _, _ = strings.Cut(line, ". "); strings.Contains(args, "ath()") || args == "subject" {
					line += " X.MapServer"
				} else if args != "" {
					line += " x"
				}
				words := strings.Fields(strings.NewReplacer(" '", " ", "'", "").Replace(line))
				cmd, rest, err := Tree().Find(words)
				if err != nil || !cmd.Runnable() || cmd.HasSubCommands() {
					t.Errorf("%s: %q is no command: %v", name, line, err)
					continue
				}
				seen++
				if err := cmd.ParseFlags(rest); err != nil && strings.Contains(err.Error(), "unknown") {
					t.Errorf("%s: %q: %v", name, line, err)
				}
				for _, arg := range cmd.Flags().Args() {
					if path.MatchString(arg) && !strings.Contains(cmd.Use, "NAME.TYPE") {
						t.Errorf("%s: %q names a service, but takes %s", name, line, cmd.Use)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if seen < 60 {
		t.Errorf("only %d commands are named", seen)
	}
}

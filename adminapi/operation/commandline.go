package operation

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
)

// CommandLine is a geodeck command that sends what was reviewed on the screen. It holds no secret,
// and unlocks no site: who runs it says that.
type CommandLine struct {
	Words []string // after the name of the program: the command, then its flags
	Args  []string // what it is about
	// First says what has to be done before it is run, in sentences; may be empty.
	First string
}

// ErrNoCommandLine says that a name has characters that no command line can be copied with.
var ErrNoCommandLine = errors.New("a name has control characters or invalid UTF-8, which no command can be copied with")

// Text is the line for a shell. site are the flags that name the site.
func (c CommandLine) Text(site []string) (string, error) {
	words := slices.Concat([]string{"geodeck"}, c.Words, site)
	if slices.ContainsFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
		words = append(words, "--")
	}
	words = append(words, c.Args...)
	for i, word := range words {
		if plain.Line(word) != word {
			return "", ErrNoCommandLine
		}
		words[i] = plain.ShellWord(word)
	}
	return strings.Join(words, " "), nil
}

// CommandOfSwitch is the command that starts or stops a service.
func CommandOfSwitch(service adminapi.ServiceRef, start bool) CommandLine {
	if start {
		return CommandLine{Words: []string{"service", "start"}, Args: []string{service.Path()}}
	}
	return CommandLine{Words: []string{"service", "stop", "--confirm", service.Name}, Args: []string{service.Path()}}
}

// CommandOfHealthRun is the command that runs a health check.
func CommandOfHealthRun(run adminapi.HealthRun) CommandLine {
	c := CommandLine{Words: []string{"health", "run"}}
	for _, id := range run.SuiteIDs {
		if strings.ContainsAny(id, `",`) { // the flag takes a list
			id = `"` + strings.ReplaceAll(id, `"`, `""`) + `"`
		}
		c.Words = append(c.Words, "--suite", id)
	}
	c.Words = append(c.Words, "--name", run.Name)
	return c
}

// CommandOfDeletion is the command that deletes reports.
func CommandOfDeletion(ids ...string) CommandLine {
	return CommandLine{Words: []string{"health", "delete"}, Args: ids}
}

// CommandOfImport is the command that imports the manifest of a file.
func CommandOfImport(path string) CommandLine {
	return CommandLine{Words: []string{"upgrade", "import-manifest"}, Args: []string{wholePath(path)}}
}

// CommandOfUpgrade is the command that starts an upgrade, or rolls back. version is the
// one that confirms it, accepted are the words of the warnings that were acknowledged. Settings
// that no flag takes are written into a new private file, without those that hold a secret: First
// names these.
func CommandOfUpgrade(request UpgradeRequest, version string, accepted []string, settingsPath string) (CommandLine, error) {
	id, words := request.Target.ID, []string{"upgrade", "start", "--confirm", version}
	if request.Rollback != nil {
		words[1] = "rollback"
	}
	if len(accepted) > 0 {
		words = append(words, "--accept", strings.Join(accepted, ","))
	}
	c := CommandLine{Words: words, Args: []string{id}}
	if request.Rollback != nil {
		return c, nil
	}
	if request.ManifestPath != "" {
		c.Words = append(c.Words, "--manifest-file", wholePath(request.ManifestPath))
	}
	licence, latest := request.LicencePath, request.LatestPatch
	if upgrade.StyleOf(request.Target) == upgrade.New {
		settings := upgrade.FileOf(request.Settings, request.Answers)
		licence, latest = settings.Licence, settings.Latest
		if len(settings.Inputs) > 0 || len(settings.Left) > 0 {
			path, err := writeSettings(settingsPath, settings.Inputs)
			if err != nil {
				return c, err
			}
			c.Words = append(c.Words, "--settings", path)
			if len(settings.Left) > 0 {
				c.First = "Fill in " + strings.Join(settings.Left, ", ") + " in " + path + " first."
			}
		}
	}
	if licence != "" {
		c.Words = append(c.Words, "--license", wholePath(licence))
	}
	if latest != nil {
		c.Words = append(c.Words, map[bool]string{true: "--latest-patch", false: "--latest-patch=false"}[*latest])
	}
	return c, nil
}

// CommandsOfEdits are the commands that send reviewed edits, one of each in their order. Each
// applies the plan of its edit, which is written into a new private file: pathOf names it. Keys that
// were confirmed as removed are in the plan; rules that no node takes have to be allowed by who
// runs the command.
func (s Site) CommandsOfEdits(edits []PlannedEdit, pathOf func(Target) string) (lines []CommandLine, err error) {
	for _, e := range edits {
		e.AllowNone = false
		path, err := s.WritePlan(pathOf(e.Target), []PlannedEdit{e})
		if err != nil {
			return nil, err
		}
		line := CommandOfPlan(e.Part, wholePath(path))
		line.First = "It sends the plan in " + path + "."
		if len(e.Plan.Unschedulable()) > 0 {
			line.First += " No node takes these pods: add --allow-none."
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// CommandOfPlan is the command that sends what the file of a plan holds.
func CommandOfPlan(part Part, path string) CommandLine {
	group := "service"
	if part == Placement {
		group = "placement"
	}
	return CommandLine{Words: []string{group, "apply", "--plan", path}}
}

// writeSettings writes answers as upgrade start --settings reads them.
func writeSettings(path string, inputs []upgrade.FileInput) (string, error) {
	text, err := json.Marshal(struct {
		Inputs []upgrade.FileInput `json:"userInputs"`
	}{append([]upgrade.FileInput{}, inputs...)}, jsontext.WithIndent("  "))
	if err != nil {
		return "", err
	}
	path, err = WriteNew(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	return wholePath(path), err
}

// wholePath is a path that another folder does not change.
func wholePath(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// RequestsJSON is requests as JSON for people: of one the object, else an array.
func RequestsJSON(requests []adminapi.Request) (string, error) {
	var value any = requests
	if len(requests) == 1 {
		value = requests[0]
	}
	text, err := json.Marshal(value, jsontext.WithIndent("  "))
	return string(plain.SafeJSON(text)), err
}

package operation

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/finding"
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

// Text is the line for a shell. site are the flags that name the site, and the way to it.
func (c CommandLine) Text(site []string) (string, error) {
	words := c.with(c.taken(site))
	for i, word := range words {
		if plain.Line(word) != word {
			return "", ErrNoCommandLine
		}
		words[i] = plain.ShellWord(word)
	}
	return "geodeck " + strings.Join(words, " "), nil
}

// with returns all words, with more flags.
func (c CommandLine) with(flags []string) []string {
	words := slices.Concat(c.Words, flags)
	if slices.ContainsFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
		words = append(words, "--")
	}
	return append(words, c.Args...)
}

// elsewhere are the commands that are about no site, or about all.
var elsewhere = []string{"site", "fleet", "demo", "serve", "--help", "placement presets", "placement check", "placement simulate"}

// taken returns those of the site's flags that the command takes: the folder and the file of all
// sites, where it is about no site or names one itself.
func (c CommandLine) taken(site []string) (flags []string) {
	verb := strings.Join(c.Words[:min(len(c.Words), 2)], " ")
	if !slices.Contains(elsewhere, verb) && !slices.Contains(elsewhere, c.Words[0]) && !slices.Contains(c.Words, "--site") && !slices.Contains(c.Words, "--url") {
		return site
	}
	if c.Words[0] == "demo" || c.Words[0] == "serve" {
		return nil
	}
	for i, flag := range site {
		if flag == "--config" || flag == "--state-dir" {
			flags = append(flags, site[i:i+2]...)
		}
	}
	return flags
}

// CommandMark begins a command in a sentence, which ends with a brace: see [NameCommands].
const CommandMark = "{command:"

// CommandText is a command in a sentence of who does not know the site: [NameCommands] writes it.
// words are the command and its flags, args what it is about.
func CommandText(words string, args ...string) string {
	return CommandLine{Words: strings.Fields(words), Args: args}.InText()
}

// InText is [CommandText] of the command.
func (c CommandLine) InText() string {
	words := c.with(nil)
	for i, word := range words {
		words[i] = plain.ShellWord(word)
	}
	return CommandMark + strings.Join(words, " ") + "}"
}

// NameCommands writes each {command:WORDS} of a sentence as a line for a shell, with the flags that
// name the site.
func NameCommands(text string, site []string) string {
	var done strings.Builder
	for {
		before, rest, found := strings.Cut(text, CommandMark)
		done.WriteString(before)
		if !found {
			return done.String()
		}
		text = rest
		written := CommandMark // of no command
		if line, after, ok := commandIn(rest); ok {
			if shell, err := line.Text(site); err == nil {
				written, text = shell, after
			}
		}
		done.WriteString(written)
	}
}

// commandIn returns the command at the beginning of a text, up to its brace, and what follows.
func commandIn(text string) (c CommandLine, after string, ok bool) {
	var word strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '\'':
			quoted, begun = !quoted, true
		case quoted:
			word.WriteByte(b)
		case b == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
		case b == ' ' || b == '}':
			if begun || word.Len() > 0 {
				c.Words = append(c.Words, word.String())
			}
			if begun = false; b == '}' {
				if at := slices.Index(c.Words, "--"); at >= 0 {
					c.Words, c.Args = c.Words[:at], c.Words[at+1:]
				}
				return c, text[i+1:], len(c.Words) > 0
			}
			word.Reset()
		default:
			word.WriteByte(b)
		}
	}
	return c, text, false
}

// actionWords are the words of the commands of actions.
var actionWords = map[explain.ActionID]struct {
	words string
	args  int // the first argument of the action that it takes
}{
	explain.RunHealth: {words: "health run"}, explain.ListReports: {words: "health reports"}, explain.ListServices: {words: "service list"},
	explain.WatchUpgrade: {words: "upgrade watch"}, explain.KeepWatching: {words: "upgrade watch"}, explain.RefreshUpgrade: {words: "upgrade status"},
	explain.ExplainUpgrade: {words: "upgrade explain"}, explain.OpenUpgrade: {words: "upgrade explain"}, explain.SaveEvidence: {words: "upgrade evidence"},
	explain.ListInstalled: {words: "upgrade history"}, explain.ListUpdates: {words: "upgrade available"}, explain.RefreshUpdates: {words: "upgrade available"},
	explain.ListJobs: {words: "job list"}, explain.OpenStopped: {words: "service start"}, explain.OpenStatus: {"job get", 1}, explain.OpenHistory: {"job get", 1},
	explain.StartService: {words: "service start"}, explain.StopService: {words: "service stop"}, explain.RefreshService: {words: "service status"},
	explain.AwaitService: {words: "service status --wait"}, explain.CorrectRules: {words: "placement get"},
	explain.ReadReport: {words: "health explain"}, explain.ReadTest: {"health explain", 1}, explain.ReadJob: {words: "job get"},
	explain.LoadNodes: {words: "service explain --nodes-command 'kubectl get nodes -o json'"},
}

// CommandOfAction is the command that does what an explanation advises; false where none does.
func CommandOfAction(a explain.Action) (c CommandLine, ok bool) {
	if own, found := actionWords[a.ID]; found && (own.args == 0 || len(a.Args) > own.args) {
		c, _, ok = commandIn(own.words + "}")
		c.Args = a.Args[own.args:]
		return c, ok
	}
	if a.ID == explain.LookForWrite || a.ID == explain.LookForSwitched {
		verb := min(2, len(a.Args))
		c.Words, c.Args = a.Args[:verb], a.Args[verb:]
	}
	return c, len(c.Words) > 0
}

// ReviewedUpgrade is an upgrade, or a rollback, whose review can be copied as a command.
type ReviewedUpgrade struct {
	UpgradeRequest
	Version string // that confirms it
	// SettingsPath names a new private file for settings that no flag takes, without those that hold a
	// secret: the first line of the command names these.
	SettingsPath string
}

// Prepare returns it as it would be sent, with its command.
func (r ReviewedUpgrade) Prepare(s Site) Prepared {
	p := r.UpgradeRequest.Prepare(s)
	p.Commands = func() ([]CommandLine, error) {
		line, err := r.command()
		return []CommandLine{line}, err
	}
	return p
}

func (r ReviewedUpgrade) command() (CommandLine, error) {
	request := r.UpgradeRequest
	id, words := request.Target.ID, []string{"upgrade", "start", "--confirm", r.Version}
	if request.Rollback != nil {
		words[1] = "rollback"
	}
	if accepted := finding.Words(request.Accepted); len(accepted) > 0 {
		words = append(words, "--accept", strings.Join(accepted, ","))
	}
	c := CommandLine{Words: words, Args: []string{id}}
	if request.Rollback != nil {
		return c, nil
	}
	if request.ManifestPath != "" {
		c.Words = append(c.Words, "--manifest-file", WholePath(request.ManifestPath))
	}
	licence, latest := request.LicencePath, request.LatestPatch
	if upgrade.StyleOf(request.Target) == upgrade.New {
		settings := upgrade.FileOf(request.Settings, request.Answers)
		licence, latest = cmp.Or(settings.Licence, licence), settings.Latest
		if len(settings.Inputs) > 0 || len(settings.Left) > 0 {
			path, err := writeSettings(r.SettingsPath, settings.Inputs)
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
		c.Words = append(c.Words, "--license", WholePath(licence))
	}
	if latest != nil {
		c.Words = append(c.Words, map[bool]string{true: "--latest-patch", false: "--latest-patch=false"}[*latest])
	}
	return c, nil
}

// writeSettings writes answers as upgrade start --settings reads them.
func writeSettings(path string, inputs []upgrade.FileInput) (string, error) {
	path, err := WriteJSON(path, struct {
		Inputs []upgrade.FileInput `json:"userInputs"`
	}{append([]upgrade.FileInput{}, inputs...)})
	return WholePath(path), err
}

// WholePath is a path that another folder does not change.
func WholePath(path string) string {
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

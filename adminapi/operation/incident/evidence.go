package incident

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/archive"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/health"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// Evidence is a bundle of files about an upgrade run, for somebody who was not there.
type Evidence struct {
	Name   string    // of the file, such as geodeck-evidence-12.0.0.7286-20261120T143107Z.zip
	Made   time.Time // of every file in it
	Absent []string  // what is missing, a sentence each; also in the summary
	// Transcript names the record on this machine that is in it; empty for none.
	Transcript string
	files      []archive.File // without the checksums, which are the last
	mask       secrets.ByValue
	site       string           // in config.yaml; may be empty
	after      *adminapi.Report // the first health report since the end of the run; nil where none was read
	changed    string           // the health since before the run; empty where it is not known
}

// GatherEvidence collects what is known of a run: a summary with phases and times, all
// messages in the form of the API, the transcript, the request, the health reports before
// and after, the containers with their checksums, and the checksums of all files. Secrets
// are masked everywhere. site is its name in config.yaml. id names a transcript; empty is the newest
// run at the site, or of the transcripts where the site cannot be reached, which is not asked again
// then. What is missing is named in Absent; an error means that there is no run.
func GatherEvidence(ctx context.Context, s operation.Site, site, id string) (Evidence, error) {
	run, err := runFor(ctx, s, id)
	if err != nil {
		return Evidence{}, err
	}
	e := &Evidence{Made: s.Clock.Now().UTC().Truncate(time.Second), Transcript: run.Transcript, mask: s.Client.Secrets(), site: site}
	if run.Unreachable != nil {
		e.absent("What the site reports now: unreachable (%s). The run is that of the transcript %s, last seen %s.",
			adminapi.UnreachableText(run.Unreachable), run.Transcript, rfc3339(run.ServerAt()))
	}
	if n := run.Log.LeftOut(); n > 0 {
		e.absent("%d messages from the middle of the run: too many to keep.", n)
	}
	e.addMessages(run)
	e.addTranscript(s.Memory.Journal, run)
	if sent, found := s.Memory.SentFor(run.Progress); found {
		e.addJSON("request.json", sent)
	} else {
		e.absent("The request: none of this machine is known for the run.")
	}
	e.addHealth(ctx, s, run)
	e.addContainers(ctx, s, run)
	e.addProgress(run)
	e.files = append([]archive.File{{Name: "summary.md", Content: []byte(e.mask.Text(e.summary(ctx, s, run), secrets.InKept))}}, e.files...)
	e.Name = evidenceName(run.Progress, e.Made)
	return *e, nil
}

// runFor returns a transcript, or the newest run at the site together with its transcript.
func runFor(ctx context.Context, s operation.Site, id string) (watching.Snapshot, error) {
	if id != "" {
		if s.Memory.Journal == nil {
			return watching.Snapshot{}, fmt.Errorf("there is no journal, so there is no transcript %q", id)
		}
		return watching.Replay(s, id)
	}
	status, err := s.Client.Upgrades.Status(ctx)
	if err != nil {
		return runOffline(ctx, s, err)
	}
	r := watching.UpgradeNow(s, status)
	if r.Log.Len() == 0 {
		return r, fmt.Errorf("the site reports no upgrade (%s), so there is nothing to show", r.Meaning)
	}
	return r, nil
}

// runOffline returns the newest transcript where an error says that the site cannot be reached.
func runOffline(ctx context.Context, s operation.Site, unreachable error) (watching.Snapshot, error) {
	late := errors.Is(ctx.Err(), context.DeadlineExceeded)
	if runs, _ := s.Memory.WatchedRuns(); len(runs) > 0 && (late || ctx.Err() == nil && adminapi.IsTransient(unreachable)) {
		run, err := watching.Replay(s, runs[0].ID)
		run.Unreachable = unreachable
		return run, err
	}
	return watching.Snapshot{}, unreachable
}

// add adds a file, with secrets masked once more: an older version may have written it.
func (e *Evidence) add(name string, content []byte) {
	switch path.Ext(name) {
	case ".json", ".jsonl":
		content = plain.SafeJSON(e.mask.JSON(content, secrets.InKept))
	case ".csv": // of names and checksums
		content = []byte(e.mask.Text(string(content), secrets.InNames))
	default:
		content = []byte(e.mask.Text(string(content), secrets.InKept))
	}
	e.files = append(e.files, archive.File{Name: name, Content: content})
}

func (e *Evidence) absent(format string, args ...any) {
	e.Absent = append(e.Absent, fmt.Sprintf(format, args...))
}

// Files lists the names of the files.
func (e Evidence) Files() []string {
	names := make([]string, len(e.files), len(e.files)+1)
	for i, f := range e.files {
		names[i] = f.Name
	}
	return append(names, archive.SumsName)
}

// Write writes the files as a zip.
func (e Evidence) Write(w io.Writer) error { return archive.Write(w, e.Made, e.files) }

func evidenceName(p progress.Progress, made time.Time) string {
	version := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return -1
	}, p.To)
	return "geodeck-evidence-" + cmp.Or(version[:min(len(version), operation.MaxFileName)], "upgrade") + "-" + made.Format("20060102T150405Z") + ".zip"
}

// ended is when a run has ended, zero where it has not or that is not known.
func ended(r watching.Snapshot) adminapi.Millis {
	if r.Meaning.Over() {
		return r.Progress.Last
	}
	return 0
}

// lenient accepts what the server wrote against the rules of JSON.
var lenient = json.JoinOptions(jsonx.AsWritten, json.Deterministic(true))

// addMessages adds the messages of the run, one a line, in the form of the API.
func (e *Evidence) addMessages(run watching.Snapshot) {
	var out bytes.Buffer
	for i := run.Log.Run(); i < run.Log.Len(); i++ {
		line, err := adminapi.JSONLine(run.Log.At(i).UpgradeMessage)
		if err != nil {
			e.absent("Message %d of %d could not be written: %v.", i+1, run.Log.Len(), err)
			continue
		}
		out.Write(append(line, '\n'))
	}
	e.add("messages.jsonl", out.Bytes())
}

// addTranscript adds the transcript, as it was written during the watch.
func (e *Evidence) addTranscript(j *journal.Journal, run watching.Snapshot) {
	if run.Transcript == "" {
		e.absent("A transcript: the run was not watched from this machine.")
		return
	}
	content, err := j.TranscriptContent(run.Transcript)
	if err != nil {
		e.absent("The transcript could not be read: %v.", err)
		return
	}
	e.add("transcript.jsonl", content)
}

func (e *Evidence) addHealth(ctx context.Context, s operation.Site, run watching.Snapshot) {
	if run.Unreachable != nil {
		e.absent("The health before and after the run: not fetched.")
		return
	}
	around, err := s.Reports().Around(ctx, run.Progress.ChangesFrom(), ended(run))
	if err != nil {
		e.absent("The health reports could not be read: %v.", err)
		return
	}
	e.addReport("health-before", around.Before, Origin(s, e.site, run.Progress.From), "A health report from before the run: none.")
	after := "A health report from after the run: none yet; run a health check."
	if !run.Meaning.Over() {
		after = "A health report from after the run: none, it is not over."
	}
	e.addReport("health-after", around.After, Origin(s, e.site, run.Progress.To), after)
	e.after = around.After
	if around.Comparison != nil {
		e.changed = around.Comparison.Words()
		e.addJSON("health-comparison.json", around.Comparison.JSON())
	}
}

func (e *Evidence) addReport(name string, report *adminapi.Report, origin [][2]string, without string) {
	if report == nil {
		e.absent("%s", without)
		return
	}
	for _, format := range []health.Format{health.JSON, health.Markdown} {
		var out bytes.Buffer
		if err := health.Export(&out, *report, format, health.Handover{Facts: origin}); err != nil {
			e.absent("%s could not be written: %v.", name+format.Extension(), err)
			continue
		}
		e.add(name+format.Extension(), out.Bytes())
	}
}

// addContainers adds image and checksum of every container of the version that the run led
// to.
func (e *Evidence) addContainers(ctx context.Context, s operation.Site, run watching.Snapshot) {
	containers := containersOf(ctx, s, run)
	if len(containers) == 0 {
		e.absent("Containers and checksums: unknown for this version.")
		return
	}
	var out bytes.Buffer
	table := csv.NewWriter(&out)
	_ = table.Write([]string{"component", "image", "checksum", "state"})
	for _, c := range (upgrade.Installed{}).Changes(containers) {
		_ = table.Write([]string{plain.Cell(c.Name), plain.Cell(c.Image), plain.Cell(c.Checksum), string(c.State)})
	}
	table.Flush() // a buffer takes everything
	e.add("containers.csv", out.Bytes())
}

// containersOf returns the containers of the request, or those that the site has installed or offers
// as the version that the run led to.
func containersOf(ctx context.Context, s operation.Site, run watching.Snapshot) []adminapi.Container {
	if sent, found := s.Memory.SentFor(run.Progress); found && len(sent.Target) > 0 {
		var target adminapi.Update
		if json.Unmarshal(sent.Target, &target, lenient) == nil && len(target.Containers) > 0 {
			return target.Containers
		}
	}
	if run.Unreachable != nil {
		return nil
	}
	current, _ := s.Client.Upgrades.Current(ctx) // what cannot be read is not known
	offered, _ := s.Client.Upgrades.Available(ctx)
	for _, u := range slices.Concat([]adminapi.Update{current}, offered.Patches, offered.Releases) {
		if u.FullVersion() == run.Progress.To && len(u.Containers) > 0 {
			return u.Containers
		}
	}
	return nil
}

// phaseJSON is a phase for scripts.
type phaseJSON struct {
	Name         string          `json:"name"`
	State        string          `json:"state"`
	Began        adminapi.Millis `json:"began"`
	SpentSeconds float64         `json:"spentSeconds"`
	Messages     int             `json:"messages"`
}

// progressJSON is the progress of a run for scripts.
type progressJSON struct {
	State        string          `json:"state"`
	From         string          `json:"from"`
	To           string          `json:"to"`
	Kind         string          `json:"kind"`
	Began        adminapi.Millis `json:"began"`
	Last         adminapi.Millis `json:"last"`
	ReadOnlyFrom adminapi.Millis `json:"readOnlyFrom"`
	ReadOnlyTo   adminapi.Millis `json:"readOnlyTo"`
	Done         int             `json:"done"`
	Total        int             `json:"total"`
	RolledBack   bool            `json:"rolledBack"`
	Messages     int             `json:"messages"`
	UnknownCodes int             `json:"unknownCodes"`
	Phases       []phaseJSON     `json:"phases"`
}

func (e *Evidence) addProgress(run watching.Snapshot) {
	p := run.Progress
	out := progressJSON{
		State: run.Meaning.String(), From: p.From, To: p.To, Kind: string(p.Kind), Began: p.Began, Last: p.Last,
		ReadOnlyFrom: p.ReadOnly.From, ReadOnlyTo: p.ReadOnly.To,
		Done: p.Done, Total: p.Total, RolledBack: p.RolledBack, Messages: p.Messages, UnknownCodes: p.UnknownCodes,
	}
	for _, phase := range p.Phases {
		out.Phases = append(out.Phases, phaseJSON{phase.Name, phase.State.String(), phase.Began, phase.Spent.Seconds(), phase.Messages})
	}
	e.addJSON("progress.json", out)
}

func (e *Evidence) addJSON(name string, v any) {
	content, err := json.Marshal(v, lenient, jsontext.WithIndent("  "))
	if err != nil {
		e.absent("%s could not be written: %v.", name, err)
		return
	}
	e.add(name, append(content, '\n'))
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// clockText says how far this machine's clock is off the site's, or was where a run is
// replayed; nothing where it is not.
func clockText(run watching.Snapshot) string {
	off, way := run.Ahead.Abs(), " behind the site's"
	if off <= 2*time.Second {
		return ""
	}
	if run.Ahead < 0 {
		way = " ahead of the site's"
	}
	text := adminapi.FormatElapsed(off) + way
	if run.Resumed {
		return ", which was " + text + " when the run was last seen, at " + rfc3339(run.ServerAt())
	}
	return ", " + text
}

// summary is the file that is read first.
func (e *Evidence) summary(ctx context.Context, s operation.Site, run watching.Snapshot) string {
	utc := func(m adminapi.Millis) string {
		if m.IsZero() {
			return "not reported"
		}
		return rfc3339(m.Time())
	}
	var out strings.Builder
	title, phases, _ := strings.Cut(progress.Summary(run.Progress, run.Log, run.Meaning, run.Usual, utc), "\n\n")
	out.WriteString(title + "\n\n")
	if run.Confirmed != "" {
		out.WriteString("**" + plain.Markdown(run.Elsewhere()) + ".**\n\n")
	}
	version := ""
	if run.Unreachable == nil {
		if root, err := s.Client.Root(ctx); err == nil {
			version = root.FullVersion
		}
	}
	facts := append(Origin(s, e.site, version), [2]string{"Health since before the run", cmp.Or(e.changed, "not known")})
	f := UpgradeFactsOf(run, Surroundings{})
	f.Site.Version = version
	var lines []string
	for _, fact := range facts {
		lines = append(lines, fact[0]+": "+fact[1])
	}
	f.After = e.after
	for _, line := range append(append(lines, ""), explain.Upgrade(f).InEvidence().Lines("")...) { // each is one line: no text of the site ends the block
		out.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
	sent, _ := s.Memory.SentFor(run.Progress)
	if sent.Reason != "" {
		out.WriteString("\n## Reason of the start\n\n" + plain.Markdown(sent.Reason) + "\n")
	}
	if len(sent.Accepted) > 0 {
		out.WriteString("\n## Accepted before the start\n\n")
		for _, a := range sent.Accepted {
			out.WriteString("- " + plain.Markdown(a.String()) + "\n")
		}
	}
	out.WriteString("\n## Run\n\n" + phases)
	transcript := ""
	if run.Transcript != "" {
		transcript = ", as are the times in the transcript"
	}
	fmt.Fprintf(&out, "\n## Contents\n\nMade %s by this machine's clock%s%s. All times above are by the site's clock.\n\n",
		rfc3339(e.Made), clockText(run), transcript)
	for _, f := range e.files {
		fmt.Fprintf(&out, "- %s, %d bytes\n", f.Name, len(f.Content))
	}
	for _, absent := range e.Absent {
		out.WriteString("- Missing: " + plain.Line(absent) + "\n")
	}
	return out.String()
}

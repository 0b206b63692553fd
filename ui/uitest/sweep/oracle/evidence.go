package oracle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// summaryAgrees judges the summary of an upgrade by the messages beside it.
func summaryAgrees(l Look) (judged int, wrong []string) {
	page, has := l.Evidence["summary.md"]
	var messages []message
	for line := range strings.Lines(l.Evidence["messages.jsonl"]) {
		var m message
		if json.Unmarshal([]byte(line), &m) == nil {
			messages = append(messages, m)
		}
	}
	state, now := statusTold(l.Day.Ask("/system/upgrades"))
	if !has || len(messages) == 0 || state == "" {
		return 0, nil
	}
	if latest := now[len(now)-1]; state != inProgress && latest.When > messages[len(messages)-1].When { // it has ended since
		state = inProgress
	}
	r := runOf(messages, state)
	lines := strings.Split(page, "\n")
	for _, want := range r.summary(strings.Contains(page, "\n- Failure seen: ")) {
		if !slices.ContainsFunc(lines, want.MatchString) {
			wrong = append(wrong, fmt.Sprintf("the summary in the evidence of an upgrade has no line as %s:\n%s", want, page))
		}
	}
	if _, rest, has := strings.Cut(page, "\n## Started and never completed\n"); has || len(r.open) > 0 {
		rest, _, _ = strings.Cut(rest, "\n## ")
		if n := strings.Count(rest, "\n|") - 2; n != len(r.open) {
			wrong = append(wrong, fmt.Sprintf("the summary in the evidence of an upgrade has %d steps that were not completed, and its messages %v:\n%s", n, r.open, page))
		}
	}
	text := spentSeconds.ReplaceAllStringFunc(l.Evidence["progress.json"], func(spent string) string {
		seconds, _ := strconv.ParseFloat(spentSeconds.FindStringSubmatch(spent)[1], 64)
		return fmt.Sprintf(`"spentSeconds": %.3f`, seconds)
	})
	if !sameJSON(text, r.json()) {
		wrong = append(wrong, fmt.Sprintf("the progress in the evidence of an upgrade is\n%s\nand by its messages\n%s", text, r.json()))
	}
	return 1, wrong
}

// spentSeconds is the time in a phase, which may have more digits than the site has told.
var spentSeconds = regexp.MustCompile(`"spentSeconds": ([\d.e+-]+)`)

// exact is the time of a message, as a summary has it.
func exact(when int64) string {
	if when == 0 {
		return ""
	}
	return time.UnixMilli(when).UTC().Format(time.RFC3339)
}

// spanText is a span of time, in whole seconds.
func spanText(ms int64) string {
	text := took(1, millis(1+max(ms, 0)/1000*1000))
	return strings.Replace(text, ".0 s", " s", 1)
}

// summary are the lines that a summary has of the run; later says that somebody has seen when it failed.
func (r *upgradeRun) summary(later bool) (all []*regexp.Regexp) {
	line := func(format string, args ...any) {
		all = append(all, regexp.MustCompile("^"+fmt.Sprintf(format, args...)+"$"))
	}
	title := map[bool]string{true: "# Rollback", false: "# Upgrade"}[r.kind == "rollback"]
	if r.from != "" {
		title += " from " + regexp.QuoteMeta(r.from) + " to " + regexp.QuoteMeta(r.to)
	}
	began, last := r.ends()
	line("%s", title)
	line(`- State: \*\*%s\*\*`, r.state)
	if r.kind != "" {
		line("- Kind: %s", r.kind)
	}
	line("- First message: %s", exact(began))
	line("- Last message: %s", exact(last))
	line("- Time between them: %s", spanText(last-began))
	if r.took > 0 {
		line(`- Took \(reported by the site\): %s`, spanText(r.took.Milliseconds()))
	}
	switch {
	case r.readOnly == 0:
		line("- Read-only: never, according to the messages")
	case r.until == 0:
		line(`- Read-only: from %s, its end is not reported \(at least .*\)`, exact(r.readOnly))
	default:
		line(`- Read-only: from %s to %s \(%s\)`, exact(r.readOnly), exact(r.until), spanText(r.until-r.readOnly))
	}
	switch {
	case r.total == 0:
	case r.back:
		line("- Deployments: %d of %d rolled back after the failure", r.done, r.total)
	case r.state == "failed":
		line("- Deployments: %d of %d at the last count before the failure", r.done, r.total)
	default:
		line("- Deployments: %d of %d", r.done, r.total)
	}
	line(`- Messages: %d \(with unknown codes: %d\)`, len(r.messages), r.unknown())
	for i, p := range r.phases {
		spent, silence := "", ""
		if p.messages > 0 {
			spent, silence = spanText(p.spent), spanText(p.silence)
		}
		if later && i == r.newest {
			spent = ".*" // until then
		}
		state := map[string]string{"stopped": `\*\*stopped\*\*`, "absent": "not in this " + r.kind, "ahead": "no message(?: yet)?", "open": "open", "done": "done"}[r.stateOf(i)]
		line(`\| %s \| %s \| %s \| %s \| .* \| %s \| %d \|`, phaseNames[i], state, exact(p.began), spent, silence, p.messages)
	}
	for _, m := range r.open {
		line(`\| %s \| %s \| %d \| [A-Z][^|]+ \| .* \|`, exact(m.When), phaseNames[phaseOf(m.Code)], m.Code)
	}
	for code, list := range r.strange {
		line(`\| %d \| %d \| %s \| .* \|`, code, len(list), exact(list[0].When))
	}
	for _, row := range r.stores() {
		line(`\| %s \| `+strings.Repeat(`.* \| `, len(row)-2)+`%s \|`, regexp.QuoteMeta(row[0]), regexp.QuoteMeta(row[len(row)-1]))
	}
	return all
}

func (r *upgradeRun) unknown() (n int) {
	for _, list := range r.strange {
		n += len(list)
	}
	return n
}

// ends are the times of its first message and of its last.
func (r *upgradeRun) ends() (began, last int64) {
	for _, m := range r.messages {
		last = max(last, m.When)
	}
	return r.messages[0].When, last
}

// stores are the rows of how the stores of a release ended: name, and first to last value.
func (r *upgradeRun) stores() (rows [][]string) {
	var told struct {
		Stores map[string]struct {
			Status, FromVersion, ToVersion string
			DurationSeconds                int
		}
	}
	_ = json.Unmarshal([]byte(r.newestStores), &told)
	for name, s := range told.Stores {
		rows = append(rows, []string{name, s.Status, s.FromVersion, s.ToVersion, fmt.Sprint(s.DurationSeconds)})
	}
	return rows
}

// json is the progress of the run for scripts.
func (r *upgradeRun) json() string {
	began, last := r.ends()
	var phases []map[string]any
	for i, p := range r.phases {
		phases = append(phases, map[string]any{"name": phaseNames[i], "state": r.stateOf(i), "began": p.began, "spentSeconds": float64(p.spent) / 1000, "messages": p.messages})
	}
	text, _ := json.Marshal(map[string]any{"state": r.state, "from": r.from, "to": r.to, "kind": r.kind, "began": began, "last": last, "readOnlyFrom": r.readOnly,
		"readOnlyTo": r.until, "done": r.done, "total": r.total, "rolledBack": r.back, "messages": len(r.messages), "unknownCodes": r.unknown(), "phases": phases})
	return string(text)
}

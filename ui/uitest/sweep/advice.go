package sweep

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"geodeck/ui/cli"
)

// advised finds a command in what a program says: it ends at the end of the line, or before the next one.
var advised = sync.OnceValue(func() *regexp.Regexp {
	var nouns []string
	for _, c := range cli.Tree().Commands() {
		nouns = append(nouns, c.Name())
	}
	return regexp.MustCompile(`(?m)(?:^ *|: |, |; |see |with )geodeck ((?:` + strings.Join(nouns, "|") + `)(?: (?:'(?:[^']|'\\'')*'|[^\s',;"\\]+)+)*)`)
})

// Words of commands that change something, ask for something or run another program; and names that somebody has to fill in.
var (
	sending     = []string{"start", "stop", "edit", "apply", "restore", "run", "rollback", "delete", "import-manifest", "add", "use", "remove", "login", "logout", "token", "demo", "serve", "evidence", "pull", "--nodes-command"}
	placeholder = regexp.MustCompile(`(?: |=)[A-Z]+(?:\.[A-Z]+)?(?: |$)`)
)

// commandsIn are the commands that a text names.
func commandsIn(text string) (lines []string) {
	for _, found := range advised().FindAllStringSubmatch(text, -1) {
		line, _, _ := strings.Cut(found[1], ". ")
		lines = append(lines, strings.TrimSuffix(line, "."))
	}
	return lines
}

// advises keeps the commands that a program prints, until the end of the day.
func (m *machine) advises(text string) {
	for _, line := range commandsIn(text) {
		if !slices.Contains(m.advice, line) && !strings.Contains(text, "Usage:") {
			m.advice = append(m.advice, line)
		}
	}
}

// followsAdvice looks at some commands of the day as they were printed: each is one of geodeck, and one that reads comes to the site,
// where no address is known but its own. Where sites are kept, what was printed may be of one that is gone.
func (m *machine) followsAdvice() {
	if m.day.Want == keepsSites {
		return
	}
	r := m.day.random("advice")
	r.Shuffle(len(m.advice), func(i, j int) { m.advice[i], m.advice[j] = m.advice[j], m.advice[i] })
	for _, line := range m.advice[:min(len(m.advice), 2)] {
		args := wordsOf(line)
		if why := refusedBy(args); why != "" {
			m.day.fail("geodeck %s was printed, and is no command: %s", line, why)
		}
		if slices.ContainsFunc(args, func(word string) bool { return slices.Contains(sending, word) }) || placeholder.MatchString(line) {
			m.day.meet("a printed command: it sends")
			continue
		}
		m.takesAdvice(args)
	}
}

// takesAdvice runs a command that reads.
func (m *machine) takesAdvice(args []string) {
	run := m.begin()
	defer run.end()
	ctx, stops := context.WithTimeout(run.ctx, time.Minute)
	defer stops()
	run.advised, run.until, run.says = true, ctx, map[string]string{"GEODECK_URL": ""}
	p := run.command("", args...)
	if run.dead.Load() {
		return
	}
	m.day.meet("a printed command: it reads")
	switch {
	case p.code == codeUsage && strings.Contains(p.err, "no site: "):
		m.day.fail("geodeck %s was printed, and names no site: %.300s", strings.Join(args, " "), p.err)
	case !run.calls.Load() && slices.Contains([]string{"service", "health", "upgrade", "job"}, args[0]) && !slices.ContainsFunc(args, ofThisMachine):
		m.day.fail("geodeck %s was printed, and asks no site: exit %d, %.300s", strings.Join(args, " "), p.code, p.err)
	}
}

// ofThisMachine reports whether a word is that of a command which shows what is kept here.
func ofThisMachine(word string) bool { return word == "history" || word == "transcripts" }

// wordsOf are the words of a line for a shell.
func wordsOf(line string) (words []string) {
	for i, part := range strings.Split(strings.ReplaceAll(line, `'\''`, "\x00"), "'") {
		if i%2 == 1 {
			words = append(words, strings.ReplaceAll(part, "\x00", "'"))
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// refusedBy says why a command would not take these words, empty where it would.
func refusedBy(args []string) string {
	cmd, rest, err := cli.Tree().Find(args) // anew: flags stay set
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil && cmd.Args != nil {
		err = cmd.Args(cmd, cmd.Flags().Args())
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

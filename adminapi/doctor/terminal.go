package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi/parallel"
	"geodeck/adminapi/pattern"
)

// Terminal is the terminal of the program, if it has one.
type Terminal struct {
	// Ask writes a question, and returns what the terminal answers up to its kind, or within
	// a short time. Nil means that there is no terminal.
	Ask            func(question string) []byte
	Columns, Lines int
	UTF8           bool // by the locale
	ASCII, Plain   bool // whether only ASCII is drawn, and no colours
}

// answers is what a terminal said of itself.
type answers struct {
	known     bool // it answered at all
	kind      []string
	program   string // and its version
	positions []int  // of the cursor behind each sample, counted from 0
}

// samples are characters with the cells that geodeck expects each to take.
var samples = []struct {
	text, what string
	cells      int
}{
	{"✓", "a glyph", 1},
	{"─", "a line", 1},
	{"地", "a wide character", 2},
	{"e\u0301", "a letter with a mark", 1},
}

// The sequences of the question. The kind comes last: every terminal answers that.
const (
	savePosition, restorePosition = "\x1b7", "\x1b8"
	askPosition                   = "\x1b[6n"
	eraseLine                     = "\r\x1b[2K"
	askProgram                    = "\x1b[>0q"
	askKind                       = "\x1b[c"
)

// question asks for the width of each sample, the program and the kind.
func question() string {
	var b strings.Builder
	b.WriteString(savePosition)
	for _, s := range samples {
		b.WriteString(eraseLine + s.text + askPosition)
	}
	b.WriteString(eraseLine + restorePosition + askProgram + askKind)
	return b.String()
}

var (
	saidPosition = pattern.New(`\x1b\[\d+;(\d+)R`)
	saidKind     = pattern.New(`\x1b\[\?([\d;]+)c`)
	saidProgram  = pattern.New(`\x1bP>\|([^\x1b\a]{1,80})`)
)

// answersIn reads what a terminal said.
func answersIn(said []byte) (a answers) {
	for _, m := range saidPosition().FindAllSubmatch(said, -1) {
		column, err := strconv.Atoi(string(m[1]))
		if err == nil {
			a.positions = append(a.positions, column-1)
		}
	}
	if m := saidKind().FindSubmatch(said); m != nil {
		a.kind = strings.Split(string(m[1]), ";")
	}
	if m := saidProgram().FindSubmatch(said); m != nil {
		a.program = string(m[1])
	}
	a.known = len(a.positions) > 0 || a.kind != nil
	return a
}

// The smallest terminal that the dashboard is drawn in.
const leastColumns, leastLines = 60, 15

// checkTerminal asks the terminal all that later checks want to know.
func (e *examination) checkTerminal(context.Context) *Check {
	kind := e.Env("TERM")
	seen := []string{"TERM=" + cmp.Or(kind, "(not set)"), fmt.Sprintf("%d columns, %d lines", e.Terminal.Columns, e.Terminal.Lines)}
	seen = append(seen, e.given("TERM_PROGRAM", "TERM_PROGRAM_VERSION")...)
	if kind == "dumb" || kind == "" {
		return saying(Warning, "The terminal obeys no sequences, as TERM says.").with(seen...).
			advising("Commands work. The dashboard needs TERM to name your terminal.")
	}
	e.said = answersIn(e.Terminal.Ask(question()))
	if e.said.program != "" {
		seen = append(seen, "it calls itself "+e.said.program)
	}
	switch {
	case e.Terminal.Columns < leastColumns || e.Terminal.Lines < leastLines:
		return saying(Warning, "The terminal is too small for the dashboard.").with(seen...).
			advising(fmt.Sprintf("Make it at least %d columns and %d lines.", leastColumns, leastLines))
	case !e.said.known:
		return saying(Warning, "The terminal answers no question in time.").with(seen...).
			advising("The line may be slow. --theme dark or light gives the dashboard its colours without one.")
	}
	return saying(Passed, "The terminal answers.").with(seen...)
}

// given returns the variables that are set, with their values.
func (e *examination) given(variables ...string) (set []string) {
	for _, variable := range variables {
		if value := e.Env(variable); value != "" {
			set = append(set, variable+"="+value)
		}
	}
	return set
}

// checkLocale says whether glyphs can be drawn.
func (e *examination) checkLocale(context.Context) *Check {
	seen := e.given("LC_ALL", "LC_CTYPE", "LANG")
	switch {
	case e.Terminal.UTF8 && e.Terminal.ASCII:
		return saying(Passed, "The locale is UTF-8; only ASCII is drawn, as you asked.").with(seen...)
	case !e.Terminal.UTF8:
		return saying(Warning, "The locale is not UTF-8, so geodeck draws with ASCII.").with(seen...).
			advising("Set LANG to a locale such as en_US.UTF-8, here and on the machine that you come from.")
	}
	return saying(Passed, "The locale is UTF-8.").with(seen...)
}

// checkColours says how many colours the terminal has by its environment. geodeck uses the
// first sixteen.
func (e *examination) checkColours(context.Context) *Check {
	kind := e.Env("TERM")
	seen := e.given("COLORTERM", "NO_COLOR", "COLORFGBG")
	switch {
	case e.Env("NO_COLOR") != "":
		return saying(Passed, "Colours are switched off by NO_COLOR.").with(seen...)
	case e.Terminal.Plain:
		return saying(Warning, "geodeck draws without colours.").with(append(seen, "TERM="+kind)...).
			advising("Set TERM to the name of your terminal, such as xterm-256color.")
	case e.Env("TMUX") != "" && !strings.HasPrefix(kind, "tmux") && !strings.HasPrefix(kind, "screen"):
		return saying(Warning, "TERM names another terminal than tmux.").with(append(seen, "TERM="+kind)...).
			advising("Leave TERM to tmux: set -g default-terminal tmux-256color in ~/.tmux.conf.")
	}
	return saying(Passed, "geodeck uses the terminal's own sixteen colours.").with(append(seen, "TERM="+kind)...)
}

// checkWidth compares how wide characters are drawn with how wide geodeck takes them to be.
func (e *examination) checkWidth(context.Context) *Check {
	switch {
	case e.Terminal.ASCII:
		return saying(NotApplicable, "Only ASCII is drawn.")
	case len(e.said.positions) < len(samples):
		return saying(NotKnown, "The terminal does not tell where its cursor is.").advising("If cells are in the wrong place: --paint plain, or --ascii.")
	}
	var wrong []string
	for i, s := range samples {
		if got := e.said.positions[i]; got != s.cells {
			wrong = append(wrong, fmt.Sprintf("%s is %d wide, and should be %d", s.what, got, s.cells))
		}
	}
	if len(wrong) > 0 {
		return saying(Warning, "The terminal draws characters with another width.").with(wrong...).
			advising("Use --ascii, or set the terminal to narrow ambiguous characters. --paint plain redraws whole lines.")
	}
	return saying(Passed, "The terminal draws characters as wide as geodeck expects.").with(fmt.Sprintf("%d characters measured", len(samples)))
}

// tmuxTime is how long tmux may take to tell its settings.
const tmuxTime = 2 * time.Second

// tmuxOptions are the settings of tmux that decide what arrives at the terminal.
var tmuxOptions = []string{"set-clipboard", "allow-passthrough", "escape-time", "default-terminal"}

// checkTmux reads the settings of tmux.
func (e *examination) checkTmux(ctx context.Context) *Check {
	if e.Env("TMUX") == "" {
		if strings.HasPrefix(e.said.program, "tmux") || strings.HasPrefix(e.Env("TERM"), "tmux") {
			return saying(NotKnown, "tmux is in between, perhaps on another machine: its settings cannot be read from here.").
				advising("There: tmux show -gv escape-time; more than 50 ms delays the esc key.")
		}
		return saying(NotApplicable, "tmux is not in between.")
	}
	settings, errs := make([]string, len(tmuxOptions)), make([]error, len(tmuxOptions))
	var shows parallel.Group
	for i, option := range tmuxOptions {
		shows.Go(func() { settings[i], errs[i] = e.tmuxOption(ctx, option) })
	}
	shows.Wait()
	e.tmux = map[string]string{}
	var seen []string
	for i, option := range tmuxOptions {
		if errs[i] != nil {
			seen = append(seen, option+": "+errs[i].Error())
			continue
		}
		e.tmux[option] = settings[i]
		seen = append(seen, option+" "+settings[i])
	}
	slow, err := strconv.Atoi(e.tmux["escape-time"])
	switch {
	case len(e.tmux) == 0:
		return saying(NotKnown, "tmux does not tell its settings.").with(seen...)
	case err == nil && slow > maxEscapeTime:
		return saying(Warning, "tmux holds the esc key for %d ms.", slow).with(seen...).advising("Put set -sg escape-time 20 into ~/.tmux.conf.")
	}
	return saying(Passed, "tmux is set up well.").with(seen...)
}

// maxEscapeTime is how many milliseconds tmux may wait behind an esc.
const maxEscapeTime = 50

// tmuxOption asks tmux for a setting. It gets no more of the environment than it needs.
func (e *examination) tmuxOption(ctx context.Context, option string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, tmuxTime)
	defer cancel()
	cmd := exec.CommandContext(limited, cmp.Or(e.Tmux, "tmux"), "show", "-gv", option)
	cmd.Env = e.given("PATH", "HOME", "TMUX", "TMUX_PANE", "TMUX_TMPDIR", "TMPDIR", "LANG", "LC_ALL", "TERM")
	var said, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaint
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case limited.Err() != nil:
		return "", errors.New("no answer in time")
	case err != nil && complaint.Len() > 0:
		return "", errors.New(strings.TrimSpace(complaint.String()))
	case err != nil:
		return "", err
	}
	return strings.TrimSpace(said.String()), nil
}

// passes reports whether tmux hands sequences on to the terminal, and whether that is known.
func (e *examination) passes() (passes, known bool) {
	value, known := e.tmux["allow-passthrough"]
	return value == "on" || value == "all", known
}

// programs that are known to obey a sequence, by TERM_PROGRAM, TERM or what they call
// themselves.
var (
	copies   = pattern.New(`(?i)kitty|ghostty|wezterm|iterm|alacritty|foot|contour|rio|windows terminal|xterm\(`)
	notifies = pattern.New(`(?i)kitty|ghostty|wezterm|iterm|foot|contour|rio`)
)

// isOneOf reports whether the terminal is one of a pattern, and how that is known.
func (e *examination) isOneOf(pattern *regexp.Regexp) (how string, ok bool) {
	for _, named := range []string{e.said.program, e.Env("TERM_PROGRAM"), e.Env("TERM")} {
		if named != "" && pattern.MatchString(named) {
			return "the terminal is " + named, true
		}
	}
	if e.Env("WT_SESSION") != "" && pattern.MatchString("windows terminal") {
		return "the terminal is Windows Terminal", true
	}
	return "", false
}

// clipboardKind is the number in the kind of a terminal that copies.
const clipboardKind = "52"

// checkClipboard says whether y in the dashboard would copy.
func (e *examination) checkClipboard(context.Context) *Check {
	setting, known := e.tmux["set-clipboard"]
	if e.Env("TMUX") != "" {
		passes, told := e.passes()
		switch {
		case known && setting == "on", told && passes:
			return saying(Passed, "tmux takes what is copied.").with("set-clipboard " + setting)
		case known:
			return saying(Warning, "tmux does not take what is copied.").with("set-clipboard " + setting).
				advising("Put set -s set-clipboard on into ~/.tmux.conf.")
		}
		return saying(NotKnown, "What tmux does with copies is not known.").advising("It needs set -s set-clipboard on in ~/.tmux.conf.")
	}
	if slices.Contains(e.said.kind, clipboardKind) {
		return saying(Passed, "The terminal says that it copies.")
	}
	if how, ok := e.isOneOf(copies()); ok {
		return saying(Passed, "Terminals of this kind copy, unless that is switched off.").with(how)
	}
	return saying(NotKnown, "Terminals do not tell whether they copy.").advising("Try y in the dashboard. Exports to files always work.")
}

// checkNotifications says whether alarms would reach the desktop.
func (e *examination) checkNotifications(context.Context) *Check {
	if e.Env("TMUX") != "" {
		switch passes, known := e.passes(); {
		case known && !passes:
			return saying(Warning, "tmux keeps notifications from the terminal.").with("allow-passthrough " + e.tmux["allow-passthrough"]).
				advising("Put set -g allow-passthrough on into ~/.tmux.conf, or use --alarms bell.")
		case !known:
			return saying(NotKnown, "What tmux does with notifications is not known.").advising("They need set -g allow-passthrough on in ~/.tmux.conf.")
		}
	}
	if how, ok := e.isOneOf(notifies()); ok {
		return saying(Passed, "Terminals of this kind notify.").with(how)
	}
	return saying(NotKnown, "Terminals do not tell whether they notify.").advising("The bell works everywhere: --alarms bell.")
}

package plan

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// Arrows writes the arrows of words as the terminal can show them.
func Arrows(k *rows.Inks, text string) string {
	return strings.ReplaceAll(text, editing.Arrow, k.Glyphs.Arrow)
}

// By names who made a version, after a blank; empty where that is not known.
func By(who string) string {
	if who = plain.Line(who); who != "" {
		return " by " + who
	}
	return ""
}

// MaxMoves bounds the deployments that a step names, each with what becomes of its pods.
const MaxMoves = 3

// NodesMove says how many nodes took the pods and take them then.
func NodesMove(move editing.Move, arrow string) string {
	total := move.To.Total
	switch {
	case total == 0 && move.Never != "":
		return "no node can match the rules"
	case total == 0:
		return "its rules change"
	}
	taking := func(nodes int, word string) string {
		if nodes == 0 {
			return "none"
		}
		return strconv.Itoa(nodes) + " of " + strconv.Itoa(total) + word
	}
	to := taking(move.To.Taking, " nodes")
	switch {
	case move.Before == nil:
		return to
	case move.From.Taking == 0 && move.To.Taking == 0:
		return "none of " + plain.Plural(total, "node") + ", as before"
	case move.To.Taking == 0:
		return taking(move.From.Taking, " nodes") + " " + arrow + " " + to
	}
	from := "none"
	if move.From.Taking > 0 {
		from = strconv.Itoa(move.From.Taking)
	}
	return from + " " + arrow + " " + to
}

// ManyRow is the command that plans the same change for other services.
func ManyRow(hint, whyNot func() string, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.many", Key: "M", Hint: hint, Name: "same change on marked services", Group: Group,
		Enabled: whyNot, Run: run, Help: "Plan the same change, a batch, on marked services for one review."}
}

// Group gathers the commands of a change in help.
const Group = "Change"

package health

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// View draws the heading and the entries.
func (l *reportList) View() string {
	room, at := l.Width-len(indent), l.rows.Position()
	if l.next > 0 && at != "" {
		at += "+"
	}
	body := l.rows.View()
	if l.rows.Len() == 0 {
		text := "No report matches."
		if l.next > 0 {
			text = "None of the newest " + strconv.Itoa(len(l.site)) + " reports matches."
		}
		body = l.rows.Unmatched(text, "", views.Keys("{key:health.back} shows all again."))
	}
	return l.inks.Headed(l.Width, l.Height, body,
		l.inks.Beside(indent+l.title(room-len(at)-2), at, l.Width),
		l.cache.For(frameOf(&l.child, l.entries), func() string { return indent + l.strip(room) }))
}

// strip draws the verdicts of the newest reports of the site, newest last, and in words how many
// failed.
func (l *reportList) strip(width int) string {
	shown := l.site[:max(0, min(len(l.site), width-len("  99 of 99 failed")))]
	if len(shown) == 0 {
		return ""
	}
	var b strings.Builder
	failed := 0
	for i := len(shown) - 1; i >= 0; i-- {
		v := entry{entryKey{fromSite, ""}, shown[i]}.verdict()
		b.WriteString(l.inks.sign(v))
		if v.Bad() {
			failed++
		}
	}
	note := strconv.Itoa(failed) + " of " + strconv.Itoa(len(shown)) + " failed"
	return b.String() + "  " + l.inks.Muted.On(cmp.Or(firstFitting(width-len(shown)-2, note+", newest last"), note))
}

// title returns the heading, with how many reports are marked and what for.
func (l *reportList) title(width int) string {
	title, marked := l.inks.title(l.focused).On("Reports"), l.rows.Marked()
	if marked == 0 {
		return title
	}
	note := l.inks.Glyphs.Marked + " " + strconv.Itoa(marked) + " marked"
	for _, text := range []string{note + views.Keys(": {key:health.compare} compares"), note} {
		if len("Reports  ")+ansi.StringWidth(text) <= width {
			return title + "  " + l.inks.Accent.On(text)
		}
	}
	return title
}

// emptyView draws why there is no report to show.
func (l *reportList) emptyView(width, height int) string {
	return l.inks.Headed(width, height, l.inks.Sentences(l.emptyText(), width, max(0, height-listHead)), indent+l.inks.Accent.On("Reports"), "")
}

func (l *reportList) emptyText() []string {
	open := views.Keys("Press {key:health.open-ask} to open a saved report.")
	switch {
	case l.Env.Offline:
		return []string{"There is no site.", "", open}
	case errors.Is(l.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the reports could not be read.", "", views.Keys("Press {key:health.refresh} to refresh."), open}
	case l.Err != nil, l.Unreachable != nil:
		lines := l.NotRead()
		if l.Env.Kept != nil {
			lines = append(lines, "No list of reports was kept on this machine.")
		}
		return append(lines, open)
	case l.Loading || l.Updated.IsZero():
		return []string{"Reading the reports" + l.inks.Glyphs.Ellipsis}
	}
	return []string{"No reports yet.", "", views.Keys("Press {key:health.run} to run a health check."), open}
}

// tooOldView draws the whole view for a site without health checks.
func (l *reportList) tooOldView(width, height int) string {
	version := cmp.Or(plain.Line(l.Env.State.Version.Value.FullVersion), "an older version")
	lines := []string{
		"",
		l.inks.Heading.On("No health checks at this site"),
		"",
		"Installed is " + l.inks.Strong.On(version) + "; health checks need 11.2 or newer.",
		"",
		"You can still open and compare saved reports: " + l.inks.Key.On(views.KeyOf("health.open-ask")),
	}
	if height < len(lines)+2 {
		lines = lines[1:]
	}
	for i := range lines {
		lines[i] = " " + indent + lines[i]
	}
	return l.inks.Block(lines, width, height)
}

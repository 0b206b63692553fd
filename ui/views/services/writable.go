package services

import (
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// writable knows whether the site takes changes. Where that is not known, a refusal says so.
type writable struct{ views.Base }

// whyNot says why the site accepts no changes, empty where it does as far as is known.
func (w *writable) whyNot() string {
	if w.Env.Offline {
		return ""
	}
	state := &w.Env.State
	asOf := func(old, text string) string {
		if old != "" {
			text = strings.Replace(text, ": ", "; ", 1) // one colon is enough
		}
		return views.Sentence(old + text)
	}
	switch {
	case w.Env.Site.Client.ReadOnly():
		return "Started with --read-only: nothing is sent. To edit, start without it."
	case state.Runs():
		return asOf(views.AsOf(w.Env, state.Upgrade), state.Upgrade.Value.Progress.Kind.One()+" is running: until it ends the site accepts no changes.")
	case state.LeftFailed():
		return asOf(views.AsOf(w.Env, state.Mode), "The upgrade has failed, and the site is still in read-only mode: it accepts no changes.") // what it says is of before
	case state.Mode.Value.ReadOnly:
		text := asOf(views.AsOf(w.Env, state.Mode), "The site is in read-only mode: it takes no changes.")
		if said := plain.Line(state.Mode.Value.Message); said != "" {
			text += " The site says: " + said
		}
		return text
	}
	return ""
}

package services

import (
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// stateOf says the state of a service as sign, words and colour.
func (st *states) stateOf(path string) (glyph, text string, ink rows.Ink) {
	k := st.inks
	if s := st.switched[path]; s != nil {
		return k.Glyphs.Running, s.word(), k.Running
	}
	known, read := st.known[path]
	switch {
	case st.sends(path) != "":
		return k.Glyphs.Running, st.sends(path), k.Running
	case !read:
		return " ", "", k.Muted
	case known.Err != nil && known.RealTime == "":
		return k.Glyphs.Unknown, "not known", k.Unknown
	case st.restarting(path):
		return k.Glyphs.Running, "restarting", k.Running
	case known.Err != nil && known.Down():
		return k.Glyphs.Fail, "down, " + st.Env.Times.Clock(known.read), k.Fail
	case known.Err != nil:
		return k.Glyphs.Unknown, plain.Line(strings.ToLower(known.RealTime)) + ", " + st.Env.Times.Clock(known.read), k.Unknown
	case known.Settled() && known.Running() && st.pods.behind[path]:
		return k.Glyphs.Unknown, "started, checking", k.Unknown
	case known.Settled() && known.Running() && st.pods.short(path):
		return k.Glyphs.Warn, "started, pods wait", k.Warn
	case known.Settled() && known.Running():
		return k.Glyphs.Pass, "started", k.OK
	case known.Settled() && known.RealTime == adminapi.ServiceStopped:
		return k.Glyphs.Skipped, "stopped", k.Muted
	case known.Down():
		return k.Glyphs.Fail, "stopped, should run", k.Fail
	case known.Running() && known.Configured == adminapi.ServiceStopped:
		return k.Glyphs.Warn, "runs, should not", k.Warn
	}
	return k.Glyphs.Unknown, plain.Line(strings.ToLower(known.RealTime)), k.Unknown
}

// sinceRestart says since when a service restarts, empty where it does not.
func (st *states) sinceRestart(path string) string {
	if since := st.restarts[path].Since; since > 0 && st.restarting(path) {
		return " since " + st.Env.Times.Site().Clock(since.Time())
	}
	return ""
}

// writeState says the state, and how it should be where that differs.
func (st *states) writeState(p *rows.Page, path string) {
	glyph, text, ink := st.stateOf(path)
	if text == "" {
		p.Fact("State", "not known yet")
		return
	}
	known := st.known[path]
	if known.Settled() && known.Err == nil && st.switched[path] == nil && st.sends(path) == "" && !st.pods.short(path) && !st.pods.behind[path] {
		text += ", as configured"
	}
	text += st.sinceRestart(path)
	name := "State"
	for _, line := range views.Wrap(glyph+" "+text, max(8, p.Width-factNames)) {
		p.Line(p.Inks.Label.On(p.Inks.Fit(name, factNames)) + ink.On(line))
		name = ""
	}
	if unknown := st.drafts.UnknownOf(path); unknown != "" {
		p.Fact("Edit", p.Inks.Unknown.On(p.Inks.Glyphs.Unknown)+" "+unknown+views.Keys("; {key:services.refresh} looks for it"))
	}
	if known.amiss() {
		p.Fact("Configured", strings.ToLower(plain.Line(known.Configured)))
		p.Fact("Real", strings.ToLower(plain.Line(known.RealTime)))
	}
	if known.Err != nil {
		p.Signed(p.Inks.Glyphs.Warn, p.Inks.Warn, views.Sentence(known.Err.Error()))
	}
}

// writePods says how many pods of a service are ready, how many it may have, and what is not
// known of that.
func (st *states) writePods(p *rows.Page, path string) {
	f, k := &st.pods, st.inks
	_, known := f.own(path)
	pods, counted := f.of(path)
	switch {
	case f.behind[path]:
	case counted && st.othersPods(path):
		p.Fact("Pods", podsText(pods)+", for other services")
	case counted && pods.short:
		p.Line(k.Label.On(k.Fit("Pods", factNames)) + k.Warn.On(k.Glyphs.Warn+" "+podsText(pods)))
	case counted && len(f.scaling[path].Deployments) > 1 && pods.total > 0:
		p.Fact("Pods", podsText(pods)+", in "+plain.Plural(len(f.scaling[path].Deployments), "deployment"))
	case counted:
		p.Fact("Pods", podsText(pods))
	case f.refused != nil || f.hidden != nil:
		p.Fact("Pods", "not known: needs the default administrator")
	case known:
		p.Fact("Pods", "not known")
	}
	if f.rangeText(path) != "" {
		p.Fact("Scales", availability.ScalesText(f.scales(path)))
	}
}

// othersPods reports whether the pods of a service are there only for others: it is stopped. Where
// it should run and none is ready, they are what it waits for.
func (st *states) othersPods(path string) bool {
	pods, known := st.pods.of(path)
	state := st.known[path]
	return known && pods.total > 0 && state.RealTime == adminapi.ServiceStopped && (state.Settled() || pods.ready > 0)
}

// writeDeployment says whether other services run in the pods of a service, and who provides
// them.
func (st *states) writeDeployment(p *rows.Page, path string) {
	own, _ := st.pods.own(path)
	one, known := st.deployments.Of(own.DeploymentID)
	if !known {
		return
	}
	name := plain.Line(adminapi.DeploymentName(one.Name, one.ID))
	if one.Shared() {
		name += ", shared with other services"
	} else if mode := strings.ToLower(plain.Line(one.Mode)); mode != "" {
		name += ", " + mode
	}
	p.Fact("Deployment", name)
	p.Fact("Provider", plain.Line(one.Provider))
}

// sharedWith says which other services run in the pods of one, empty where none is known to.
func (st *states) sharedWith(path string) string {
	own, _ := st.pods.own(path)
	others := slices.DeleteFunc(st.pods.sharing()[own.DeploymentID], func(other string) bool { return other == path })
	one, _ := st.deployments.Of(own.DeploymentID)
	switch {
	case len(others) > 0:
		return "with " + plain.Line(plain.Listed(others, 1, "", " and "))
	case one.Shared():
		return "with other services"
	}
	return ""
}

// together is how many of some services at most run in the same pods, and whether others are known to run in pods of theirs.
func (st *states) together(paths []string) (most int, others bool) {
	within, sharing := map[string]int{}, st.pods.sharing()
	for _, path := range paths {
		own, known := st.pods.own(path)
		if !known || own.DeploymentID == "" {
			continue
		}
		within[own.DeploymentID]++
		most = max(most, within[own.DeploymentID])
		one, _ := st.deployments.Of(own.DeploymentID)
		others = others || one.Shared() && len(sharing[own.DeploymentID]) < 2 || slices.ContainsFunc(sharing[own.DeploymentID], func(other string) bool { return !slices.Contains(paths, other) })
	}
	return most, others
}

// factNames is the column of names before values, as facts have it.
const factNames = 15

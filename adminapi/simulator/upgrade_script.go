package simulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// script is how an upgrade goes, as data: what it reports, when, and what that
// does to the world.
type script struct {
	Ends  UpgradeState // what the Upgrades resource shows afterwards
	Steps []step
}

// step is one message, or steps that are repeated for each of something.
type step struct {
	Code   int
	After  Duration // usual time since the message before
	Text   string   // with {names}, see player
	Count  string   // counts up {n} of {total} of these
	Effect string   // what it does to the world
	Each   string   // component, deployment, module, container, pack
	Steps  []step
	Since  int // {took} counts from the newest message of this code
}

// scriptFallback is how a site rolls back a patch that failed.
const scriptFallback = "fallback"

// upgradeScript returns the script of a name: the type of an update, or of what undoes it.
func upgradeScript(name string) script { return embedded[script]("upgrade_" + name + ".yaml")() }

// scriptLine is one message of a script that was played.
type scriptLine struct {
	at        time.Duration // after the start
	code      int
	text      string
	effect    string
	component string
	target    version // of the images that are brought
}

// player turns a script into lines. Texts may name {from}, {to}, {module},
// {component}, {image}, {was}, {deployment}, {resource}, {n}, {total}, {took} since another
// message, {elapsed} since the start, {stores}.
type player struct {
	draw    *rand.Rand
	targets *scriptTargets
	target  version
	at      time.Duration
	counts  map[string]int
	lines   []scriptLine

	pace       float64 // of all times of the script
	stall      *Stall
	untilStall int  // so many of its messages are still to come
	silent     bool // the stall never ends
}

func newPlayer(w *world, r *upgradeRun, draw *rand.Rand) *player {
	return &player{draw: draw, targets: newScriptTargets(w, r, draw), target: r.to, counts: map[string]int{}, pace: 1}
}

func (p *player) play(steps []step, names map[string]string) {
	for _, s := range steps {
		if s.Each == "" {
			p.add(s, names)
			continue
		}
		for _, more := range p.targets.each(s.Each, names) {
			inner := maps.Clone(names)
			maps.Copy(inner, more)
			p.play(s.Steps, inner)
		}
	}
}

func (p *player) add(s step, names map[string]string) {
	if p.silent || s.Effect == effectReadOnly && p.readOnly() {
		return
	}
	p.at += time.Duration(p.pace * float64(s.After.Duration) * (0.85 + 0.3*p.draw.Float64())).Round(time.Millisecond)
	var begun time.Duration
	for _, line := range slices.Backward(p.lines) {
		if line.code == s.Since {
			begun = line.at
			break
		}
	}
	places := []string{"{took}", durationText(p.at - begun), "{elapsed}", durationText(p.at), "{stores}", p.targets.stores}
	if s.Count != "" {
		p.counts[s.Count]++
		places = append(places, "{n}", fmt.Sprint(p.counts[s.Count]), "{total}", fmt.Sprint(p.targets.total(s.Count)))
	}
	for name, value := range names {
		places = append(places, "{"+name+"}", value)
	}
	line := scriptLine{p.at, s.Code, strings.NewReplacer(places...).Replace(s.Text), s.Effect, names["component"], p.target}
	p.lines = append(p.lines, line)
	if p.stall == nil || !p.stall.After.matches(line) {
		return
	}
	if p.untilStall--; p.untilStall == 0 {
		p.at += p.stall.For.Duration
		p.silent = p.stall.For.Duration == 0
	}
}

// readOnly reports whether the lines so far leave the site in read-only mode.
func (p *player) readOnly() bool {
	for _, line := range slices.Backward(p.lines) {
		if line.effect == effectReadOnly || line.effect == effectWritable {
			return line.effect == effectReadOnly
		}
	}
	return false
}

// cutAfter drops what follows the message, and reports whether there is one.
func (p *player) cutAfter(f UpgradeFailure) bool {
	at, ok := Moment{Code: f.After, Nth: f.Nth}.index(p.lines)
	if ok {
		p.lines, p.at = p.lines[:at+1], p.lines[at].at
	}
	return ok
}

// durationText is a duration in words: 1 h 02 min 03 s.
func durationText(d time.Duration) string {
	s := int(d / time.Second)
	switch {
	case s >= 3600:
		return fmt.Sprintf("%d h %02d min %02d s", s/3600, s/60%60, s%60)
	case s >= 60:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d s", s)
}

// scriptTargets are what a script repeats its steps for: the containers of the
// update, in their modules, and the deployments that run them.
type scriptTargets struct {
	list   []scriptTarget
	stores string // outcome of the upgrade of each store, as JSON text
}

type scriptTarget struct {
	container
	module      string
	oldImage    string // that it runs before
	deployments []string
}

// The modules that a patch goes through, in order.
var moduleNames = []string{"stores", "system", "services"}

func newScriptTargets(w *world, r *upgradeRun, draw *rand.Rand) *scriptTargets {
	t := &scriptTargets{}
	for _, item := range r.update.Containers {
		image, _, _ := strings.Cut(item.Image, ":")
		target := scriptTarget{container: item, module: "system", oldImage: image + ":" + r.from.String()} // what is no component has the site's version
		if c := w.component(item.Name); c != nil {
			target.oldImage = image + ":" + c.version.String()
			switch {
			case c.Store:
				target.module = "stores"
			case c.Type != "System":
				target.module = "services"
			}
		}
		name := "arcgis-" + strings.ReplaceAll(strings.ToLower(item.Name), "_", "-")
		if target.module == "stores" {
			target.deployments = []string{name + "-0"}
		} else {
			for range 1 + draw.IntN(2) {
				target.deployments = append(target.deployments, name+"-"+shortID(draw, 5))
			}
		}
		t.list = append(t.list, target)
	}
	t.stores = storeOutcome(draw)
	return t
}

// storeOutcome is what message 2153 carries: each database with its versions
// and how long it took.
func storeOutcome(draw *rand.Rand) string {
	type outcome struct {
		Status  string `json:"status"`
		From    string `json:"fromVersion"`
		To      string `json:"toVersion"`
		Seconds int    `json:"durationSeconds"`
	}
	stores := map[string]outcome{}
	for _, name := range []string{"relational-primary", "relational-standby", "system-configuration"} {
		stores[name] = outcome{"completed", "15.4", "16.4", 60 + draw.IntN(240)}
	}
	text, _ := json.Marshal(map[string]any{"stores": stores})
	return string(text)
}

// each returns the names that steps are repeated with.
func (t *scriptTargets) each(what string, names map[string]string) []map[string]string {
	var list []map[string]string
	switch what {
	case "module":
		for _, name := range moduleNames {
			if slices.ContainsFunc(t.list, func(item scriptTarget) bool { return item.module == name }) {
				list = append(list, map[string]string{"module": name})
			}
		}
		return list
	case "component", "container", "pack", "deployment":
	default:
		panic("a script repeats steps for the unknown " + what)
	}
	for _, item := range t.list {
		switch {
		case what == "deployment" && item.Name == names["component"]:
			for _, name := range item.deployments {
				list = append(list, map[string]string{"deployment": name, "resource": item.resource(name)})
			}
		case what == "component" && !item.isPack(), what == "pack" && item.isPack(), what == "container" && item.module == names["module"]:
			list = append(list, map[string]string{"component": item.Name, "image": item.Image, "was": item.oldImage, "resource": item.resource(item.deployments[0])})
		}
	}
	return list
}

// isPack reports whether a container is a language pack, which is no component.
func (t scriptTarget) isPack() bool { return strings.HasPrefix(t.Name, "ENTERPRISE_HELP_") }

// resource is the kind of what runs a container in the cluster, and its name.
func (t scriptTarget) resource(deployment string) string {
	kind := "deployment"
	if t.module == "stores" {
		kind = "statefulset"
	}
	return kind + " " + strings.TrimSuffix(deployment, "-0")
}

// total is how many of something the script will count.
func (t *scriptTargets) total(what string) int {
	n := 0
	for _, item := range t.list {
		switch {
		case what == "deployment" && !item.isPack():
			n += len(item.deployments)
		case what == "container", what == "pack" && item.isPack():
			n++
		}
	}
	return n
}

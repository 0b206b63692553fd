package simulator

import (
	"embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/yaml"
)

// script is how an upgrade goes, as data: what it reports, when, and what that
// does to the world.
type script struct {
	Ends  UpgradeState `json:"ends"` // what the Upgrades resource shows afterwards
	Steps []step       `json:"steps"`
}

// step is one message, or steps that are repeated for each of something.
type step struct {
	Code   int      `json:"code"`
	After  Duration `json:"after"`  // usual time since the message before
	Text   string   `json:"text"`   // with {names}, see player
	Count  string   `json:"count"`  // counts up {n} of {total} of these
	Effect string   `json:"effect"` // what it does to the world
	Each   string   `json:"each"`   // component, deployment, module, container, pack
	Steps  []step   `json:"steps"`
}

//go:embed data/upgrade_*.yaml
var scriptFiles embed.FS

// upgradeScripts are the scripts that ship, by name.
var upgradeScripts = sync.OnceValue(func() map[string]script {
	scripts := map[string]script{}
	for _, name := range []string{typePatch, typeRelease, operationRollback, scriptFallback} {
		text, err := scriptFiles.ReadFile("data/upgrade_" + name + ".yaml")
		if err != nil {
			panic("an embedded script is missing: " + err.Error())
		}
		if scripts[name], err = readScript(text); err != nil {
			panic("the embedded script " + name + " is broken: " + err.Error())
		}
	}
	return scripts
})

// readScript reads a script from YAML; unknown keys, effects and repetitions are
// errors.
func readScript(text []byte) (script, error) {
	var s script
	if err := yaml.UnmarshalStrict(text, &s); err != nil {
		return s, err
	}
	return s, checkSteps(s.Steps)
}

func checkSteps(steps []step) error {
	effects := []string{"", effectReadOnly, effectWritable, effectImage, effectVersion, effectCheckBefore, effectCheckAfter}
	for _, s := range steps {
		switch {
		case !slices.Contains(effects, s.Effect):
			return fmt.Errorf("code %d: there is no effect %q", s.Code, s.Effect)
		case !slices.Contains([]string{"", "component", "deployment", "module", "container", "pack"}, s.Each):
			return fmt.Errorf("there is no %q to repeat steps for", s.Each)
		case !slices.Contains([]string{"", "deployment", "container", "pack"}, s.Count):
			return fmt.Errorf("code %d: there is no %q to count", s.Code, s.Count)
		case s.Each == "" && (s.Code == 0 || s.Text == "" || s.After.Duration < 0):
			return fmt.Errorf("code %d: a message has a code, a text and no time before the last one", s.Code)
		}
		if err := checkSteps(s.Steps); err != nil {
			return err
		}
	}
	return nil
}

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
// {component}, {image}, {was}, {deployment}, {resource}, {n}, {total}, {took} since the
// steps around it began, {elapsed} since the start, {stores}.
type player struct {
	draw   *rand.Rand
	cast   *cast
	target version
	at     time.Duration
	counts map[string]int
	lines  []scriptLine

	pace       float64 // of all times of the script
	stall      *Stall
	untilStall int  // so many of its messages are still to come
	silent     bool // nothing is said any more
}

func newPlayer(w *world, r *upgradeRun, draw *rand.Rand) *player {
	return &player{draw: draw, cast: newCast(w, r, draw), target: r.to, counts: map[string]int{}, pace: 1}
}

func (p *player) play(steps []step, names map[string]string, begun time.Duration) {
	for _, s := range steps {
		if s.Each == "" {
			p.say(s, names, begun)
			continue
		}
		for _, more := range p.cast.each(s.Each, names) {
			inner := maps.Clone(names)
			maps.Copy(inner, more)
			p.play(s.Steps, inner, p.at)
		}
	}
}

func (p *player) say(s step, names map[string]string, begun time.Duration) {
	if p.silent {
		return
	}
	p.at += time.Duration(p.pace * float64(s.After.Duration) * (0.85 + 0.3*p.draw.Float64())).Round(time.Millisecond)
	told := []string{"{took}", spoken(p.at - begun), "{elapsed}", spoken(p.at), "{stores}", p.cast.stores}
	if s.Count != "" {
		p.counts[s.Count]++
		told = append(told, "{n}", fmt.Sprint(p.counts[s.Count]), "{total}", fmt.Sprint(p.cast.total(s.Count)))
	}
	for name, value := range names {
		told = append(told, "{"+name+"}", value)
	}
	line := scriptLine{p.at, s.Code, strings.NewReplacer(told...).Replace(s.Text), s.Effect, names["component"], p.target}
	p.lines = append(p.lines, line)
	p.pause(line)
}

// spoken is a duration in words: 1 h 2 min 3 s.
func spoken(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	switch {
	case s >= 3600:
		return fmt.Sprintf("%d h %d min %d s", s/3600, s/60%60, s%60)
	case s >= 60:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d s", s)
}

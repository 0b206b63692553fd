package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// production is the site in config.yaml as one in production, by another name and another
// spelling of its address: it gets nothing before that name is given.
var production = oddity{"it is in production", func(p *plan) { p.locked = true }}

// spelledOtherwise is one that the file has by that other spelling alone.
var spelledOtherwise = oddity{"it is in production, and its address spelled otherwise", func(p *plan) { p.locked, p.otherwise = true, true }}

// Config is the file of the sites that production days are played with, see [WriteConfig].
var Config string

// WriteConfig writes that file to a folder.
func WriteConfig(folder string) error {
	Config = filepath.Join(folder, "config.yaml")
	const head, here, text = "sites:\n  ", practice + ":\n    url: http://127.0.0.1:7443/geodeck/admin\n  ",
		productionName + ":\n    url: http://LOCALHOST.:07443//Geodeck/./Admin/\n    production: true\n  " +
			elsewhere + ":\n    url: http://127.0.0.1:7999/geodeck/admin\n    readOnly: true\n"
	if err := errors.Join(writeFleetConfig(folder, &FleetConfig, ""), writeFleetConfig(folder, &sitesConfig, "production: true")); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(Config+".broken", []byte(head+here+text+"sites:"), 0o600),
		os.WriteFile(Config+".otherwise", []byte(head+text), 0o600), os.WriteFile(Config, []byte(head+here+text), 0o600))
}

// The names in that file: one of the site as it is spelled here, which says nothing of a lock and has to be given; another,
// by which it is in production; and another site.
const (
	practice       = "practice"
	productionName = "prod"
	elsewhere      = "elsewhere"
)

const (
	theLock = "the lock of a production site"
)

// unlockTitle is the question for the name of a locked site.
var unlockTitle = regexp.MustCompile(`Unlock \S+ at 127\.0\.0\.1`)

// config is the path of the file of the sites; none is there unless the site is in production.
func (d *Day) config() string {
	switch {
	case d.Want == severalSites, d.Want == fleetPlay && d.plan.locked:
		return sitesConfig
	case d.plan.broken:
		return Config + ".broken"
	case d.plan.otherwise:
		return Config + ".otherwise"
	case d.plan.locked:
		return Config
	case d.Want == fleetPlay:
		return FleetConfig
	}
	return "/home/ada/.config/geodeck/config.yaml"
}

// lockedName is the name of the site that unlocks it.
func (d *Day) lockedName() string {
	if d.plan.otherwise {
		return productionName
	}
	return practice
}

// change runs a command that changes the site: before that at times with --read-only, and first without the name of a
// production site, or with another one.
func (r *run) change(in string, args ...string) printed {
	day, hand := r.machine.day, r.machine.day.random(r.name+" change")
	if hand.IntN(6) == 0 {
		r.sendsNothing("with --read-only", in, append(slices.Clone(args), "--read-only")...)
	}
	if !day.plan.locked {
		return r.command(in, args...)
	}
	name := day.lockedName()
	others := slices.DeleteFunc([]string{productionName, practice, elsewhere}, func(other string) bool { return other == name })
	if hand.IntN(3) == 0 {
		r.sendsNothing("with the name of another site", in, append(slices.Clone(args), "--unlock", pick(hand, others))...)
	}
	if hand.IntN(3) == 0 {
		r.sendsNothing("with the name of a locked site and --read-only", in, append(slices.Clone(args), "--read-only", "--unlock", name)...)
	}
	if hand.IntN(3) == 0 {
		day.plan.broken = true
		r.sendsNothing("beside a config.yaml that cannot be read", in, args...)
		day.plan.broken = false
	}
	if hand.IntN(3) == 0 && !day.plan.otherwise {
		r.sendsNothing("by another name of a locked site", in, append(slices.Clone(args), "--site", practice)...)
	}
	if p := r.command(in, args...); p.code == codeRefused && strings.Contains(p.err, "--unlock "+name) {
		day.meet(theLock)
	}
	return r.command(in, r.unlocked(args...)...)
}

// unlocked gives the name of the site to a command, where that is in production.
func (r *run) unlocked(args ...string) []string {
	if !r.machine.day.plan.locked {
		return args
	}
	r.opens.Store(true)
	return append(args, "--unlock", r.machine.day.lockedName())
}

// changeUnless is change, where nothing is a reason for the command to send nothing; else [run.sendsNothing].
func (r *run) changeUnless(why string, args ...string) printed {
	if why != "" {
		return r.sendsNothing(why, "", args...)
	}
	return r.change("", args...)
}

// sendsNothing runs a command that has to be refused before anything is sent.
func (r *run) sendsNothing(why, in string, args ...string) printed {
	before := len(r.machine.site.sent(r.writes))
	p := r.command(in, args...)
	r.machine.day.meet("a command " + why)
	if posts := len(r.machine.site.sent(r.writes)) - before; posts > 0 {
		r.machine.day.fail("geodeck %s %s exits with %d, and %d requests were posted", args[0], why, p.code, posts)
	}
	return p
}

// from reports whether a program has sent a post.
func (r *run) from(p *post) bool { return p.run == r }

// writes reports whether a program has sent a post that is no list of what is offered, which is posted, too.
func (r *run) writes(p *post) bool { return p.run == r && p.path != "/system/upgrades/available" }

// names keeps that the name of a site is given.
func (r *run) names(site string) {
	if r.opens.Store(true); len(r.machine.fleet) > 0 {
		r.machine.day.oracle.Names(r.name, site)
	}
}

// unlock gives the name that the question asks for, and reports whether the question is open.
func (s *screen) unlock() bool {
	asked := word.FindStringSubmatch(s.read())
	if asked == nil || !unlockTitle.MatchString(s.shown) {
		return false
	}
	s.run.machine.day.meet(theLock)
	s.wait(2 * time.Second)
	if s.hand.IntN(3) == 0 {
		s.types(elsewhere)
		s.press("enter")
		s.wait(time.Second)
		if !unlockTitle.MatchString(s.read()) && !s.dead() {
			s.wrong("the name of another site unlocks this one")
		}
		s.press("ctrl+u")
	}
	s.answers(asked[1], unlockTitle.MatchString, func() { s.run.names(asked[1]) })
	s.until(10*time.Second, func(shown string) bool { return !unlockTitle.MatchString(shown) })
	return true
}

package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// production is the site in config.yaml as one in production, by another name and another
// spelling of its address: it gets nothing before that name is given.
var production = oddity{"it is in production", func(p *plan) { p.locked = true }}

// Config is the file of the sites that production days are played with, see [WriteConfig].
var Config string

// WriteConfig writes that file to a folder.
func WriteConfig(folder string) error {
	Config = filepath.Join(folder, "config.yaml")
	const text = "sites:\n  " + productionName + ":\n    url: http://LOCALHOST.:07443//Geodeck/./Admin/\n    production: true\n"
	if err := writeFleetConfig(folder); err != nil {
		return err
	}
	return os.WriteFile(Config, []byte(text), 0o600)
}

const (
	productionName = "prod"
	theLock        = "the lock of a production site"
	unlockTitle    = "Unlock 127.0.0.1 at"
)

// config is the path of the file of the sites; none is there unless the site is in production.
func (d *Day) config() string {
	switch {
	case d.plan.locked:
		return Config
	case d.Want == fleetPlay:
		return FleetConfig
	}
	return "/home/ada/.config/geodeck/config.yaml"
}

// change runs a command that changes the site, first without the name of a production site.
func (r *run) change(in string, args ...string) printed {
	if !r.machine.day.plan.locked {
		return r.command(in, args...)
	}
	if p := r.command(in, args...); p.code == codeRefused && strings.Contains(p.err, "--unlock "+productionName) {
		r.machine.day.meet(theLock)
	}
	r.opens.Store(true)
	return r.command(in, append(args, "--unlock", productionName)...)
}

// unlock gives the name that the question asks for, and reports whether the question is open.
func (s *screen) unlock() bool {
	asked := word.FindStringSubmatch(s.read())
	if asked == nil || !strings.Contains(s.shown, unlockTitle) {
		return false
	}
	s.run.machine.day.meet(theLock)
	s.wait(2 * time.Second)
	s.run.opens.Store(true)
	s.types(asked[1])
	s.press("enter")
	s.until(10*time.Second, func(shown string) bool { return !strings.Contains(shown, unlockTitle) })
	return true
}

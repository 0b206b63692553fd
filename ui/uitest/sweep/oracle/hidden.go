package oracle

import (
	"fmt"
	"regexp"
)

// Hides keeps a secret that a definition has: only where a definition itself is shown, or kept, may it stand.
func (d *Day) Hides(name, secret string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hidden == nil {
		d.hidden = &Secrets{}
	}
	d.hidden.Add(name, secret)
}

// hides are the secrets of definitions; nil for none.
func (d *Day) hides() *Secrets {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hidden
}

var (
	// ofChange are the pages on the way of a change, and the views that show no definition.
	ofChange = regexp.MustCompile(`› (?:review|conflict|sending|result)\b|\[(?:Health|Upgrades|Progress|Activity)\]`)
	// keepsDefinitions are the folders of files that have definitions as they are: drafts, what editors have open, backups, and the plan of a batch.
	keepsDefinitions = regexp.MustCompile(`/(?:drafts|backups)/|/batch-[^/]*\.json$`)
)

// hiddenAreMasked wants no secret of a definition where a change of it is shown: in reviews, conflicts, questions about
// them, results, and in what commands print but those that print definitions.
func hiddenAreMasked(s Saying) (int, []string) {
	hidden := s.Day.hides()
	if hidden == nil || s.Definition || s.Frame && !ofChange.MatchString(s.Text) {
		return 0, nil
	}
	for _, text := range []string{s.Text, narrow(s.Text)} {
		if name, how, found := hidden.In(text); found {
			return 1, []string{fmt.Sprintf("%s of %s shows the %s of a definition (%s)", s.Where, s.Program, name, how)}
		}
	}
	return 1, nil
}

// Files judges what is on disk at the end of a day: secrets of definitions are with definitions alone.
func (d *Day) Files(files map[string][]byte) {
	hidden := d.hides()
	if hidden == nil {
		return
	}
	d.Meet(counted(keptRule))
	for path, content := range files {
		if keepsDefinitions.MatchString(path) {
			continue
		}
		if name, how, found := hidden.In(string(content)); found {
			d.Fail(fmt.Sprintf("%s: %s holds the %s (%s)", keptRule, path, name, how))
		}
	}
}

const keptRule = "a secret of a definition is kept with definitions alone"

package upgrade

import (
	"time"
)

// Fold makes the progress of the newest run of a log, one message after the other.
// Adding to a log that was only extended costs what was added.
type Fold struct {
	log   Log
	start int // of the run in it
	run   *runFold
	texts runTexts
}

// NewFold returns a fold of an empty log.
func NewFold() *Fold { return &Fold{run: newRunFold()} }

// Add brings the progress up to a log, which grows between calls, and returns it
// with the phases as the meaning of the status has them. What it returns is never
// written to again.
func (f *Fold) Add(l Log, meaning Reading) Progress {
	from, start := f.log.Len(), l.Run()
	if start != f.start || !l.Extends(f.log) {
		*f = Fold{start: start, run: newRunFold()}
		from = start
	}
	f.log = l
	for i := from; i < l.Len(); i++ {
		f.run.take(l.At(i).UpgradeMessage)
	}
	f.texts.read(l, from)
	p := f.run.progress(meaning)
	f.texts.tell(&p)
	p.Kind = runKindOf(f.run.codes, p.From, p.To)
	return p
}

// runTexts is what the texts of a run tell: of each sort the newest that can be
// read counts.
type runTexts struct {
	from, to string
	patch    tally // deployments that have the patch
	release  tally // and the release
	stores   *Table
	took     time.Duration
}

// tally is how many of how many; a total of 0 was not told.
type tally struct{ done, total int }

// read looks at the texts of the messages from an index on. It begins with the
// newest, so that most texts of a long log are not looked at.
func (t *runTexts) read(l Log, from int) {
	var versions, patch, release, stores, took bool
	for i := l.Len() - 1; i >= from && !(versions && patch && release && stores && took); i-- {
		m := l.At(i)
		switch m.Code {
		case codeStart:
			versions = versions || t.readVersions(m.Message)
		case codePatchCount:
			patch = patch || t.patch.read(m.Message)
		case codeReleaseCount:
			release = release || t.release.read(m.Message)
		case codeStores:
			stores = stores || t.readStores(m.Message)
		case codeEnd:
			took = took || t.readTook(m.Message)
		}
	}
}

func (t *runTexts) readVersions(text string) bool {
	from, to := VersionsIn(text)
	if from == "" {
		return false
	}
	t.from, t.to = from, to
	return true
}

func (c *tally) read(text string) bool {
	done, total, ok := CountIn(text)
	if ok {
		*c = tally{done, total}
	}
	return ok
}

func (t *runTexts) readStores(text string) bool {
	table, ok := TableIn(text)
	if ok {
		t.stores = &table
	}
	return ok
}

func (t *runTexts) readTook(text string) bool {
	took, ok := DurationIn(text)
	if ok {
		t.took = took
	}
	return ok
}

func (t *runTexts) tell(p *Progress) {
	p.From, p.To, p.Stores, p.Took = t.from, t.to, t.stores, t.took
	count := t.release
	if count.total == 0 {
		count = t.patch // which modules of a release have, too, after the release itself
	}
	p.Done, p.Total = count.done, count.total
}

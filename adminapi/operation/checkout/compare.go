package checkout

import (
	"context"
	"errors"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
)

// Side says where a part is.
type Side uint8

// The sides. A part that neither has was named, and is not there.
const (
	Both Side = iota
	OnlyFile
	OnlySite
	Neither
)

// Comparison is a part of a service in the folder beside what the site has.
type Comparison struct {
	editing.Target
	In Side
	// Changes lead from what the site has to what the file has, without those of what the site generates.
	Changes []document.Change
	// Drift is the time of the pull since which the site has changed the part; zero where it has not, where
	// that is not known, and where the file was pulled from another site.
	Drift time.Time
	// Drifted says why a file that differs may overwrite what others changed; empty where it does not.
	Drifted string
	Err     error // why it could not be compared: a [*FileError], or that of the site
}

// Differs reports whether the file is known to be another than what the site has.
func (c Comparison) Differs() bool { return c.Err == nil && (c.In != Both || len(c.Changes) > 0) }

// Compare compares parts of a site with their files, by meaning: 1000 and 1000.0 are one, and the order of keys
// does not count. exact also finds what is only written in another way. The result has the order of the targets;
// report gets how many are done.
func (f *Folder) Compare(ctx context.Context, s operation.Site, targets []editing.Target, exact bool, report func(done int)) []Comparison {
	all := make([]Comparison, len(targets))
	f.each(ctx, s, targets, report, func(i int, p pair) { all[i] = p.compared(exact) })
	return all
}

// pair is a part of a service as the site has it, and its file. Of a thousand services there is not room for all.
type pair struct {
	editing.Target
	site, file *document.Document // nil where there is none
	left       *document.Document // what a file has of the site's
	digest     string             // of left
	pulled     Pulled             // zero where it was not
	other      string             // the address that the file was pulled from, where it is another
	before     *document.Document // the file as it was applied last, where that is given
	beforeErr  error
	siteErr    error
	fileErr    error
}

// each reads parts of the site and their files, a few beside each other, and does something with each pair, by
// several goroutines.
func (f *Folder) each(ctx context.Context, s operation.Site, targets []editing.Target, report func(done int), do func(i int, p pair)) {
	var mu sync.Mutex
	done := 0
	group := parallel.Group{Limit: atATime}
	for i, t := range targets {
		group.Go(func() {
			do(i, f.pair(ctx, s, t))
			mu.Lock()
			defer mu.Unlock()
			if done++; report != nil {
				report(done)
			}
		})
	}
	group.Wait()
}

func (f *Folder) pair(ctx context.Context, s operation.Site, t editing.Target) pair {
	p := pair{Target: t, pulled: f.Index.Files[FileOf(t)]}
	if !f.IsOf(s) {
		p.other = f.Index.Address
	}
	var read editing.Content
	err := ctx.Err()
	if err == nil {
		read, err = editing.Read(ctx, s.Client, t)
	}
	p.file, p.fileErr = f.read(t) // now: it may have been edited while the site was slow
	if f.Before != nil {
		if p.before, p.beforeErr = f.Before.read(t); p.before != nil {
			p.before, p.beforeErr = leaveOut(t.Part, p.before)
		}
	}
	if errors.Is(err, adminapi.KindNotFound) {
		return p
	}
	if p.siteErr = err; err == nil {
		p.site = read.Document
		p.left, p.siteErr = leaveOut(t.Part, p.site)
	}
	if p.siteErr == nil {
		p.digest = p.left.Digest()
	}
	return p
}

// in is which side has the part, where both could be read.
func (p pair) in() Side {
	switch {
	case p.site == nil && p.file == nil:
		return Neither
	case p.site == nil:
		return OnlyFile
	case p.file == nil:
		return OnlySite
	}
	return Both
}

// whole is the file with what the site generates.
func (p pair) whole() (*document.Document, error) {
	whole, err := complete(p.Part, p.file, p.site)
	if err != nil {
		return nil, &FileError{FileOf(p.Target), err}
	}
	return whole, nil
}

// compared is what differs.
func (p pair) compared(exact bool) Comparison {
	c := Comparison{Target: p.Target, In: p.in(), Err: errors.Join(p.fileErr, p.siteErr, p.beforeErr)}
	if c.Err != nil || c.In != Both {
		return c
	}
	var whole *document.Document
	if whole, c.Err = p.whole(); c.Err != nil {
		return c
	}
	if c.Changes = document.Diff(p.site, whole); !exact {
		c.Changes = document.ByMeaning(c.Changes)
	}
	if len(c.Changes) > 0 {
		c.Drift, c.Drifted = p.drifted()
	}
	return c
}

// drifted is since when the site has something that the file never had, and in words why that may be.
func (p pair) drifted() (since time.Time, why string) {
	switch {
	case p.before != nil:
		changed := lists.Each(document.ByMeaning(document.Diff(p.before, p.left)), func(c document.Change) string { return c.Path.String() })
		if len(changed) > 0 {
			why = "the site was changed since the file was applied: " + plain.Listed(changed, 3, ", ", " and ")
		}
	case p.other != "" && p.pulled.SHA256 != p.digest:
		why = "the files were pulled from " + plain.Line(p.other) + ", and this site has something else"
	case p.pulled.SHA256 == "":
		why = "what the site had when the file was written is not known"
	case p.pulled.SHA256 != p.digest:
		since, why = p.pulled.Time, "the site was changed since the pull of "+p.pulled.Time.Format(time.DateTime)+" UTC"
	}
	return since, why
}

// changedHere reports whether the file has another meaning than what was pulled.
func (p pair) changedHere() bool {
	left, err := leaveOut(p.Part, p.file)
	return err != nil || left.Digest() != p.pulled.SHA256
}

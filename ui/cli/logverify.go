package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// verifyJSON is what --verify found, for scripts.
type verifyJSON struct {
	output.About
	Intact bool        `json:"intact"`
	Fault  *faultJSON  `json:"fault"` // the first
	Faults []faultJSON `json:"faults"`
	journal.Verification
	From   *time.Time `json:"from"`
	To     *time.Time `json:"to"`
	Unread string     `json:"unread"` // why a transcript was not checked; empty where all were
}

type faultJSON struct {
	journal.Fault
	Time *time.Time `json:"time"`
}

// verifyBody is what was found in JSON.
func verifyBody(record *journal.Journal, v journal.Verification) verifyJSON {
	of := record.Anchor(v)
	body := verifyJSON{About: output.About{Site: of.Site, Address: of.Address}, Intact: len(v.Faults) == 0, Verification: v, From: adminapi.Moment(v.From), To: adminapi.Moment(v.To),
		Faults: lists.Each(v.Faults, func(f journal.Fault) faultJSON { return faultJSON{f, adminapi.Moment(f.Time)} })}
	if v.Unread != nil {
		body.Unread = v.Unread.Error()
	}
	if !body.Intact {
		body.Fault = &body.Faults[0]
	}
	return body
}

// maxFaults is how many faults are told one by one; JSON has all.
const maxFaults = 6

// check verifies the record, with the anchors of a file, and adds one to that where it was asked for.
// One that is not as it was written is no error of the program: exit code 1.
func (l *logCommand) check(ctx context.Context, record *journal.Journal) error {
	anchors, file, err := l.anchors(ctx, record.Site())
	if err != nil {
		return err
	}
	v, err := record.Verify(anchors...)
	if err != nil {
		return session.UnreadRecord(err)
	}
	if l.Out.JSON() && (l.verify || len(v.Faults) > 0) {
		if err := l.Out.PrintValue(verifyBody(record, v)); err != nil {
			return err
		}
	}
	switch {
	case len(v.Faults) > 0:
		return damaged(v, filepath.Join(record.Folder(), journal.LogName))
	case !l.verify && v.Lines == 0:
		return exit.New(exit.Failed, "", errors.New("there is no record of this site on this machine; no anchor was written"))
	case !l.verify:
		return l.addAnchor(record, v, file)
	case l.Out.JSON():
		return nil
	}
	told := v.Proof(output.FormatTime)
	if v.Lines > 0 {
		told = append(told, filepath.Join(record.Folder(), journal.LogName))
	}
	return l.Out.PrintLines(told...)
}

// damaged says what is wrong with a record.
func damaged(v journal.Verification, path string) error {
	first := v.Faults[0]
	f := exit.New(exit.Failed, "", errors.New(first.Sentence(output.FormatTime)))
	for _, more := range v.Faults[1:min(maxFaults, len(v.Faults))] {
		f.Details = append(f.Details, plain.Capital(more.Sentence(output.FormatTime))+".")
	}
	if more := len(v.Faults) - maxFaults; more > 0 {
		f.Details = append(f.Details, "And "+strconv.Itoa(more)+" more; -o json lists all.")
	}
	f.Details = append(f.Details, first.Meaning(), "The record: "+path)
	if first.Kind != journal.FaultAnchor || first.Line > 0 { // else the record may be as it was written
		f.Advice = "Copy that folder before anything else changes it, and find out who could write to it.\n" +
			"Recording goes on. For a new record, move " + journal.LogName + ", " + journal.HeadName +
			", backups and transcripts away."
	}
	return f
}

// anchors reads the file of anchors. One that is written may not be there yet.
func (l *logCommand) anchors(ctx context.Context, site string) (of []journal.Anchor, file []byte, err error) {
	if l.anchor == "" || l.anchor == files.Standard && !l.verify {
		return nil, nil, nil
	}
	file, name, err := files.Content(ctx, l.In, l.anchor)
	if errors.Is(err, fs.ErrNotExist) && !l.verify {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, exit.BadInput("", err)
	}
	if of = journal.AnchorsIn(file, site); len(of) == 0 && l.verify {
		return nil, nil, exit.BadInputf("%s has no anchor of %s; nothing was checked", name, site)
	}
	return of, file, nil
}

// addAnchor adds an anchor to the file, which it begins where there is none, or prints it.
func (l *logCommand) addAnchor(record *journal.Journal, v journal.Verification, file []byte) error {
	anchor := record.Anchor(v)
	line, err := adminapi.JSONLine(anchor)
	if err == nil && l.anchor != files.Standard {
		if len(file) > 0 && file[len(file)-1] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
		err = files.Append(l.anchor, append(line, '\n'))
	}
	switch {
	case err != nil:
		return err
	case l.Out.JSON() || l.anchor == files.Standard:
		return l.Out.PrintEvent(anchor)
	}
	return l.Out.PrintLines("Added to "+l.anchor+": the anchor of "+plain.Plural(v.Lines, "line")+".",
		"Keep it where nobody who can write to the record can change it.")
}

package journal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// Verdict is how the work ended that an accepted write began, such as an upgrade or the job of an
// edit. The outcome of the write says that the site took the request, and no more.
type Verdict string

// The verdicts. A record without one is of a write whose work goes on, whose end nobody saw, or
// that begins none, see [adminapi.WriteKind.EndsLater].
const (
	VerdictSucceeded  Verdict = "succeeded"
	VerdictFailed     Verdict = "failed"
	VerdictRolledBack Verdict = "rolled back" // the site has undone it by itself
	VerdictPartly     Verdict = "partly kept" // the site did not keep all of it
)

// ForScripts is the verdict, nil where there is none.
func (v Verdict) ForScripts() *string {
	if v == "" {
		return nil
	}
	return (*string)(&v)
}

// Record is one write in the log. Its tags are those of the lines, each of which has some of it.
type Record struct {
	ID        string             `json:"id"` // unique in the journal
	Time      time.Time          `json:"time"`
	Kind      adminapi.WriteKind `json:"writes,omitempty"`    // empty where a damaged line no longer tells
	Operation string             `json:"operation,omitempty"` // such as "run a health check"
	Path      string             `json:"path,omitempty"`
	// Fields are the form fields. A long value, or one whose name says that it is a
	// definition, settings or a licence, is replaced by "sha256:…" and its length; a token
	// or a password by a mask. Other values are as sent: clean them before showing them.
	Fields  url.Values `json:"fields,omitempty"`
	Target  string     `json:"target,omitempty"`  // what of the site it changes; empty where sending it twice does no harm
	Subject string     `json:"subject,omitempty"` // what it is about, in a word that a person can type
	By      string     `json:"by,omitempty"`      // user, machine and process; empty where an earlier version did not know
	User    string     `json:"user,omitempty"`    // of the site; empty where that was not known
	Sender
	// Accepted are the findings that were accepted before it was sent; none in lines of earlier versions.
	Accepted []AcceptedFinding `json:"accepted,omitempty"`
	Program  string            `json:"program,omitempty"` // and its version, such as geodeck/1.4.0; empty for earlier versions
	// Server is when it was sent by the site's clock, as that was known then; zero if it was
	// not. The site's clock may have been set since.
	Server adminapi.Millis `json:"server,omitzero"`

	Finished   time.Time        `json:"-"` // when the outcome was recorded; zero for a pending write
	Outcome    adminapi.Outcome `json:"-"`
	ErrorKind  string           `json:"kind,omitempty"`    // as [adminapi.Kind] names it; empty without an error
	Message    string           `json:"message,omitempty"` // of the error, one line fit for a terminal
	Explicit   bool             `json:"explicit,omitzero"` // the site itself answered with the error
	Note       string           `json:"note,omitempty"`    // how the outcome was found out later, see [Journal.Resolve]
	Overridden bool             `json:"-"`                 // the next write may be sent all the same, see [Journal.Override]

	Settled time.Time `json:"-"` // when the verdict was recorded; zero without one
	Verdict Verdict   `json:"verdict,omitempty"`
	Because string    `json:"because,omitempty"` // why, a sentence without its end; may be empty
}

// Sender is who has sent a write, to which site, and why. Lines of earlier versions have none of it.
type Sender struct {
	Site    string `json:"site,omitempty"`    // its name in config.yaml then; empty where the address was given
	Address string `json:"address,omitempty"` // of the site; empty for a throwaway journal
	Account string `json:"account,omitempty"` // of this machine
	Host    string `json:"host,omitempty"`
	Process int    `json:"process,omitzero"`
	Command string `json:"command,omitempty"` // that was run, for a shell, secrets masked; that of the dashboard for what it sends
	Reason  string `json:"reason,omitempty"`  // that was given for it
}

// maxReason bounds a reason, in characters.
const maxReason = 500

// ParseReason returns a reason as records have it. One that is too long, or not one line, is an error.
func ParseReason(text string) (string, error) {
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case n > maxReason:
		return "", fmt.Errorf("a reason has at most %d characters, not %d", maxReason, n)
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", errors.New("a reason is one line, without control characters")
	}
	return sentence(maskText(text)), nil
}

// WithSender sets what records say of the site, the command line and the reason. The words of the
// command line come without the name of the program.
func WithSender(site string, command []string, reason string) Option {
	return func(j *Journal) {
		words := secrets.CommandWords(append([]string{"geodeck"}, command...))
		for i, word := range words {
			words[i] = plain.ShellWord(word)
		}
		j.sender.Site, j.sender.Command, j.sender.Reason = sentence(site), sentence(strings.Join(words, " ")), reason
	}
}

// Name is that of the site in config.yaml, as far as it was told.
func (j *Journal) Name() string { return j.sender.Site }

// Reason is why this program was run, as far as it says.
func (j *Journal) Reason() string { return j.sender.Reason }

// sent is the sender of a write now.
func (j *Journal) sent() Sender {
	of, p := j.sender, j.program()
	of.Account, of.Host, of.Process = sentence(p.User), sentence(p.Host), p.PID
	if j.throwaway == "" {
		of.Address = sentence(j.site)
	}
	return of
}

// AcceptedFinding is a finding that a person has accepted.
type AcceptedFinding struct {
	Word    string `json:"word"`    // that was typed or given, or that names what a key acknowledged
	Finding string `json:"finding"` // what it said then
}

// String is both, such as "backup: The site reports no completed backup."
func (a AcceptedFinding) String() string { return a.Word + ": " + a.Finding }

// AnyTarget is the target of a write whose line in the log is damaged: it may have changed
// anything.
const AnyTarget = "anything"

// Open reports whether the write may have changed its target, that is not known, and nobody
// has overridden it.
func (r Record) Open() bool {
	return r.Target != "" && r.Outcome == adminapi.OutcomeUnknown && !r.Overridden
}

// Pending reports whether no outcome was ever recorded.
func (r Record) Pending() bool { return r.Finished.IsZero() }

const (
	eventBefore   = "before"
	eventAfter    = "after"
	eventResolved = "resolved"
	eventOverride = "overridden"
	eventSettled  = "settled"
)

// entry is one line of the log, without the members of the chain. Its kind of write is that of its
// path in lines of earlier versions.
type entry struct {
	Event string `json:"event"`
	Record
	Outcome string `json:"outcome,omitempty"` // in words
	// Head is how many lines the head of the log counted before this one, see headMissing; nil
	// where it could not be read, and in lines of earlier versions.
	Head *int `json:"head,omitempty"`
}

func (e entry) line(previous string) ([]byte, error) {
	object, err := adminapi.JSONLine(e)
	if err != nil {
		return nil, failed(err, "the record cannot be written: %v", err)
	}
	return seal(object, previous), nil
}

// readEntry reads a line, and reports whether it is as it was written. What it returns of
// another one may be wrong.
func readEntry(line []byte) (e entry, intact bool) {
	_, unchanged := sealOf(line)
	if err := json.Unmarshal(line, &e); err == nil && e.ID != "" {
		e.Kind = cmp.Or(e.Kind, kindOf(e.Path))
		return e, unchanged
	}
	e = entry{}
	for member, into := range map[string]*string{`"id":"`: &e.ID, `"event":"`: &e.Event, `"operation":"`: &e.Operation} {
		if _, rest, found := bytes.Cut(line, []byte(member)); found {
			value, _, _ := bytes.Cut(rest, []byte(`"`))
			*into = string(value)
		}
	}
	return e, false
}

// writeID matches the ids that a journal gives to writes, see [runID].
var writeID = pattern.New(`^[A-Z2-7]{8}-[0-9]{1,20}$`)

// damaged returns what a changed line counts as that may have been a write: one on any
// target. An outcome that was recorded for its id still counts, unless that is known to be of
// another write.
func (e entry) damaged(number int, known bool) entry {
	name := damagedName(number)
	id := name
	if !known && writeID().MatchString(e.ID) {
		id = e.ID
	}
	return entry{Event: eventBefore, Record: Record{
		ID: id, Operation: damagedOperation, Target: AnyTarget, Subject: name, By: "a program on this machine",
	}}
}

// fill adds a line to the record of its write.
func (e entry) fill(r *Record) {
	if e.Event == eventAfter && r.Target == AnyTarget {
		r.Target, r.Kind = e.Target, e.Kind
	}
	if r.ID == "" {
		*r = e.Record
	}
	switch e.Event {
	case eventAfter:
		r.Finished, r.Outcome, r.ErrorKind, r.Message = e.Time, outcomeOf(e.Outcome), e.ErrorKind, e.Message
		r.Explicit = e.Explicit
	case eventResolved:
		r.Finished, r.Outcome, r.Note = e.Time, outcomeOf(e.Outcome), e.Note
	case eventOverride:
		r.Overridden, r.Note = true, e.Note
	case eventSettled:
		r.Settled, r.Verdict, r.Because = e.Time, e.Verdict, e.Because
	}
}

// kindOf reads the kind of a write from its path, for records of earlier versions, which do not
// name it. Nothing else reads a path.
func kindOf(path string) adminapi.WriteKind {
	_, below, _ := strings.Cut(path, "/admin/")
	for _, known := range []struct {
		area, end string
		kind      adminapi.WriteKind
	}{
		{"healthCheck/", "run", adminapi.WriteHealthRun},
		{"healthCheck/", "/delete", adminapi.WriteReportDeletion},
		{"services/", "/placementPolicy/edit", adminapi.WriteRules},
		{"services/", "/edit", adminapi.WriteDefinition},
		{"services/", "/start", adminapi.WriteStart},
		{"services/", "/stop", adminapi.WriteStop},
		{"system/", "upgrades/importManifest", adminapi.WriteManifest},
		{"system/", "upgrades/upgrade", adminapi.WriteUpgrade},
		{"system/", "upgrades/rollback", adminapi.WriteRollback},
		{"uploads/", "upload", adminapi.WriteUpload},
		{"uploads/", "/delete", adminapi.WriteUploadDeletion},
	} {
		if rest, in := strings.CutPrefix(below, known.area); in && strings.HasSuffix(rest, known.end) {
			return known.kind
		}
	}
	return ""
}

// outcomeOf reads the words of an outcome; any others mean unknown.
func outcomeOf(words string) adminapi.Outcome {
	for _, outcome := range []adminapi.Outcome{adminapi.OutcomeDone, adminapi.OutcomeRefused, adminapi.OutcomeNotSent} {
		if words == outcome.String() {
			return outcome
		}
	}
	return adminapi.OutcomeUnknown
}

// damagedOperation is the operation of a write whose line no longer says it.
const damagedOperation = "change what a damaged record no longer tells"

// Damaged reports whether the line that the write began with is damaged: what it was, and
// when, is not known.
func (r Record) Damaged() bool { return r.Operation == damagedOperation }

// damagedName is the id of a write whose line no longer says it.
func damagedName(line int) string { return fmt.Sprintf("line-%d", line) }

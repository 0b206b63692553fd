// Package operation holds what an administrator does, in steps that the dashboard and the commands share: it
// joins calls of package adminapi into operations with an end, and decides whether a write is done, refused or
// of unknown outcome. Calls block and take a context; what takes long is a [polling.Poller]: a command waits for
// its end with [polling.Wait], a view chains its steps.
//
// This package sends the changes of a site, and remembers them. Start at [Site], then change.go, claim.go and
// result.go, with a file for each kind of change: health.go, offer.go (with the import of a manifest),
// upgradestart.go, rollback.go, editapply.go, switch.go. What changes need is in rooms below it: polling, editing
// (what an edit is), reporting and availability (what is read). What stands on it is in rooms above it: batching
// (several edits), watching, offline, incident and nodesource.
package operation

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"syscall"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/reporting"
	"geodeck/adminapi/plain"
)

// Site is what every operation needs: connections (in the client), time, randomness, files
// and the memory of this machine.
type Site struct {
	Client *adminapi.Client
	Clock  adminapi.Clock
	Rand   adminapi.Rand // nil means [adminapi.SystemRand]
	Files  Files         // files that a person names: licences, manifests; nil means [SystemFiles]
	Line   *polling.Line // nil means one that is not slow
	Memory Memory
}

// Memory is what this machine remembers of a site: drafts, writes, transcripts. Without a
// journal it is empty.
type Memory struct {
	Journal *journal.Journal
	Earlier *journal.Journal // of a dry run, which records nothing: what was remembered before; nil for nothing
}

// Reports reads the site's health reports.
func (s Site) Reports() reporting.Reader { return reporting.Reader{Client: s.Client, Clock: s.Clock} }

// Availability reads which services answer, and their pods.
func (s Site) Availability() availability.Reader {
	return availability.Reader{Client: s.Client, Clock: s.Clock, Line: s.Line, Rand: s.Rand}
}

// Pace paces the fetches of a poll of the site.
func (s Site) Pace(b adminapi.Backoff) polling.Pace { return polling.NewPace(b, s.Line, s.Rand) }

// ServerNow is the time by the server's clock, by this machine's until the server has
// answered.
func (s Site) ServerNow() time.Time {
	ahead, _ := s.Client.ServerTime()
	return s.Clock.Now().Add(ahead)
}

// ErrOutcomeUnknown says that a write may or may not have happened, and that the site does
// not show which. Exit code 6.
var ErrOutcomeUnknown = errors.New("the outcome is unknown")

// ErrJobBroken says that a job ended without doing its work. Exit code 1.
var ErrJobBroken = errors.New("the job did not complete")

// ErrUpgradeRuns says that another upgrade than the requested one runs. Exit code 4.
var ErrUpgradeRuns = errors.New("an upgrade is already running")

// Advice returns a sentence that says what to try where no platform is found at an
// address, or where this machine cannot save something; empty for any other error.
func Advice(err error) string {
	e, ok := errors.AsType[*adminapi.Error](err)
	earlier, isEarlier := errors.AsType[*EarlierJobError](err)
	upload, isUpload := errors.AsType[*UploadError](err)
	lacked, isLacked := errors.AsType[*reporting.NotOfferedError](err)
	switch {
	case isLacked && lacked.What == reporting.SuitesOfSite:
		return adminapi.BasicSuite + " is the published id of the basic suite: {command:health run --suite " + adminapi.BasicSuite + "}"
	case isLacked:
		return "Name a report by its id, as the run printed it: {command:health report ID}"
	case isEarlier:
		return "On the screen, opening the service shows it. Wait until it has ended: {command:job wait " + plain.Line(earlier.Job) + "}"
	case isUpload && upload.Err == nil:
		return "The upgrade was not sent. Trying again seldom helps: the site's logs may say why."
	case isUpload && upload.Refused():
		return "The upgrade was not sent. The site refuses this file: allow it there, or give another."
	case isUpload && errors.Is(err, adminapi.KindReadOnly) && ok && (e.Explicit || e.Status != 0):
		return "A read-only site takes no files, so nothing can be started again this way. Where a failed release has left it so,\n" +
			"do not lift read-only mode by hand: stores may be between releases. Call Esri support with the evidence:\n" +
			"{command:upgrade evidence}. Else ask who switched it on: {command:upgrade explain}"
	case NoRoom(err):
		return "Make room on that disk, or name another folder with --state-dir."
	case errors.Is(err, adminapi.KindNotRecorded), errors.As(err, new(*UnrecordedError)):
		return mend(err) + ", or name another folder with --state-dir."
	case !ok:
		return ""
	case errors.Is(err, adminapi.ErrNoReason):
		return unreasoned(e)
	case adminapi.IsCertificate(err):
		return "" // the error says it
	case adminapi.IsProxy(err):
		return "Check the proxy that HTTPS_PROXY or config.yaml names."
	case e.Kind == adminapi.KindUnreachable:
		return "Check the address, the network and HTTPS_PROXY."
	case adminapi.IsCut(err):
		return "Half an answer came. Try again; check the proxy in between."
	case e.Kind == adminapi.KindNotJSON && e.Status >= http.StatusInternalServerError:
		return "A proxy in between answered for the site. Try again; check the proxy."
	case NoPlatform(err):
		tried := ""
		if e.Path != "" {
			tried = "No platform answers at " + plain.Clip(e.Path, 100) + ". "
		}
		return tried + "The administrative root is usually /arcgis/admin, /portal/admin or /gis/admin of the host."
	case e.Kind == adminapi.KindNotJSON:
		return unreasoned(e)
	}
	return ""
}

// unreasoned says what to do about an answer without a reason, empty where nothing was sent.
func unreasoned(e *adminapi.Error) string {
	switch e.Method {
	case "":
		return ""
	case http.MethodGet:
		return "Try again. The site's logs may give the reason."
	}
	return "Check the site before you send it again. Its logs may give the reason."
}

// NoPlatform reports whether an answer shows that there is no platform at its address. What is no
// JSON shows that at an entrance alone, unless it is a page: one resource of a site may be broken.
func NoPlatform(err error) bool {
	e, ok := errors.AsType[*adminapi.Error](err)
	switch {
	case !ok:
	case e.Kind == adminapi.KindNotJSON:
		return e.Status < http.StatusInternalServerError && !adminapi.IsCut(err) && (entrance(e.Path) || errors.Is(err, adminapi.ErrPage))
	case e.Kind == adminapi.KindNotFound:
		return e.Status == http.StatusNotFound && !adminapi.IsCut(err) && !errors.Is(err, adminapi.ErrMissing) && (e.Code == 0 || entrance(e.Path))
	}
	return false
}

// entrance reports whether every platform has what is at a path: its root, services and tokens.
func entrance(path string) bool {
	return strings.HasSuffix(path, "/admin") || strings.HasSuffix(path, "/admin/services") || strings.HasSuffix(path, "/generateToken")
}

// mends says what to do where nothing can be recorded in the state folder, by the error of
// the system.
var mends = []struct {
	err    error
	advice string
}{
	{syscall.ELOOP, "Replace the link by a folder"},
	{syscall.ENOTDIR, "Move that file away"},
	{syscall.EROFS, "Make that disk writable"},
	{context.DeadlineExceeded, "End the other program"},
	{fs.ErrPermission, "Make that folder yours and writable"},
}

func mend(err error) string {
	for _, m := range mends {
		if errors.Is(err, m.err) {
			return m.advice
		}
	}
	return "Fix that and try again"
}

// NoRoom reports whether something could not be saved because the disk, or the quota of
// this user, is full.
func NoRoom(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

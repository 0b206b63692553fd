package adminapi

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// UpgradeStatus is the status of the site's present or last upgrade.
type UpgradeStatus struct {
	State    string           `json:"state"` // see the Upgrade constants
	Code     int              `json:"code"`  // 0, 1, 3 with these states
	Messages []UpgradeMessage `json:"messages"`
	Unknown  Unknown          `json:",embed"`
}

// UpgradeMessage is one line of an upgrade's log. Secrets in it are masked, and a text of
// more than 64 KiB is cut, with a note of its length.
type UpgradeMessage struct {
	Code    int     `json:"code"`
	Message string  `json:"message"`
	When    Millis  `json:"when"`
	Unknown Unknown `json:",embed"`

	// LeftOut is how many messages this one replaces, see [MessagesLeftOut]; 0 in every
	// message of a site.
	LeftOut int `json:"geodeckLeftOut,omitzero"`
}

// The known states of an upgrade. Others exist.
const (
	UpgradeNone       = "no_upgrade"
	UpgradeInProgress = "in_progress"
	UpgradeSuccess    = "success"
)

// Running reports whether an upgrade or a rollback is running.
func (s UpgradeStatus) Running() bool {
	return strings.EqualFold(strings.TrimSpace(s.State), UpgradeInProgress)
}

// Upgrades are the releases and patches of a site: what is offered, installed and running.
type Upgrades struct{ client *Client }

// The operations of this file, with the privilege and the version that they require.
var (
	opStartUpgrade   = upgradeOperation("start the upgrade", VersionUpgrades).writing(WriteUpgrade).inContract()
	opCurrentVersion = upgradeOperation("read the installed version", VersionUpgrades)
	opInstalled      = upgradeOperation("read the installed updates", VersionUpgrades)
	opUpgradeHistory = upgradeOperation("read the history of upgrades", VersionUpgrades)
	opCheckRollback  = upgradeOperation("read what can be rolled back", VersionUpgrades)
	opRollback       = upgradeOperation("start the rollback", VersionUpgrades).writing(WriteRollback)
	opImportManifest = upgradeOperation("import the version manifest", VersionImportManifest).writing(WriteManifest)
	opManifestStatus = upgradeOperation("read where the version manifest is from", VersionManifestStatus)
	opUpgradeConfig  = upgradeOperation("read where the pods of an upgrade run", VersionUpgradeConfig)
)

func upgradeOperation(name string, since Version) operation {
	return operation{name: name, privilege: ToUpgrade, since: since, upgrade: true}
}

// Status fetches the Upgrades resource. To poll it, use [Upgrades.NewReader].
func (u Upgrades) Status(ctx context.Context) (UpgradeStatus, error) {
	return u.NewReader().read(ctx, nil)
}

// ManifestStatus describes where the site's version manifest is from.
type ManifestStatus struct {
	Source       string  `json:"versionManifestSource"` // words, such as "Esri provided"
	LastImported Millis  `json:"lastImportedTimestamp"` // zero if none was imported
	Unknown      Unknown `json:",embed"`
}

// ManifestStatus fetches where the version manifest is from. It requires a site of 11.4.
func (u Upgrades) ManifestStatus(ctx context.Context) (ManifestStatus, error) {
	k := opManifestStatus.at("system", "upgrades", "manifestStatus").masked()
	return readAs(ctx, u.client, k, "source of the manifest", func(s *ManifestStatus) bool { return s.Source != "" || !s.LastImported.IsZero() })
}

// ImportManifest sends a version manifest (a .dat file) to a site without internet. It sets
// Name and File of the part. It is sent once, with the time limit of [Upgrades.Start],
// and requires a site of 10.9.1.
func (u Upgrades) ImportManifest(ctx context.Context, file Part) (Outcome, error) {
	return u.client.write(ctx, ImportOf(file), answer.succeeded)
}

// ImportOf is what [Upgrades.ImportManifest] sends.
func ImportOf(file Part) Call {
	file.Name, file.File = "manifestFile", true
	k := opImportManifest.at("system", "upgrades", "importManifest")
	k.invalid, k.target, k.parts = checkFile(file), TargetSite, []Part{file}
	return k
}

// checkFile returns an error for a file that the platform cannot use.
func checkFile(file Part) *Error {
	switch {
	case file.FileName == "":
		return invalid("the file has no name")
	case len(file.Content) == 0:
		return invalid("the file is empty")
	}
	return nil
}

// UpgradeConfig is how the site runs upgrades.
type UpgradeConfig struct {
	PodPlacement jsontext.Value `json:"podPlacementPolicy"` // of the pods of the upgrade; nil if there is none
	Unknown      Unknown        `json:",embed"`
}

// Config fetches how the site runs upgrades. It requires a site of 11.2.
func (u Upgrades) Config(ctx context.Context) (UpgradeConfig, error) {
	k := opUpgradeConfig.at("system", "upgrades", "config")
	return readAs(ctx, u.client, k, "podPlacementPolicy", func(u *UpgradeConfig) bool { return u.PodPlacement != nil || len(u.Unknown) == 0 })
}

// Start starts an upgrade with exactly these parts in their order, followed by f and
// token (multipart/form-data). It is sent once. The content of secret parts is in no error
// and in no [Write]. The status is that of the upgrade that has begun, empty if the outcome
// is not [OutcomeDone].
//
// The time limit is that of any request, counted from the last byte that was sent, plus
// 1 s for each 20 KiB (at most 205 s).
func (u Upgrades) Start(ctx context.Context, parts []Part) (UpgradeStatus, Outcome, error) {
	return u.send(ctx, UpgradeWith(parts))
}

// UpgradeWith is what [Upgrades.Start] sends.
func UpgradeWith(parts []Part) Call {
	k := opStartUpgrade.at("system", "upgrades", "upgrade")
	k.target, k.parts = TargetSite, parts
	if parts == nil {
		k.parts = []Part{} // refused as such
	}
	return k
}

// Rollback rolls back with an id that [Upgrades.CheckRollback] lists. It is sent once, and returns
// the same as [Upgrades.Start]; the Upgrades resource shows the progress.
func (u Upgrades) Rollback(ctx context.Context, updateID string) (UpgradeStatus, Outcome, error) {
	return u.send(ctx, RollbackTo(updateID))
}

// RollbackTo is what [Upgrades.Rollback] sends.
func RollbackTo(updateID string) Call {
	object, e := idObject(updateID)
	k := opRollback.at("system", "upgrades", "rollback")
	k.invalid, k.target = e, TargetSite
	k.fields = url.Values{"versionManifest": {object}, "rollbackSettings": {"{}"}}
	return k
}

// send sends a write whose answer is the status of an upgrade that has begun. Any
// other status proves neither that it has begun nor that it has not.
func (u Upgrades) send(ctx context.Context, k Call) (UpgradeStatus, Outcome, error) {
	return submit(ctx, u.client, k, func(a answer) (UpgradeStatus, *Error) {
		status, e := readStatus(a)
		if e != nil {
			return status, e
		}
		boundStatus(&status, a.secrets)
		if status.Running() {
			return status, nil
		}
		e = &Error{
			Kind:    KindServer,
			Message: "the site's state " + shortened(status.State) + " does not say whether the upgrade has begun",
		}
		for _, m := range status.Messages[:min(len(status.Messages), maxDetails)] {
			e.Details = append(e.Details, shortened(m.Message))
		}
		return UpgradeStatus{}, e
	})
}

// readStatus reads a status with or without an object around it.
func readStatus(a answer) (UpgradeStatus, *Error) {
	// if the status is a word, the first decoding fails, and the second says why.
	if r, e := decodeAs(a, "status", hasStatus); e == nil {
		return *r.Status, nil
	}
	return decodeAs(a, "status", func(s *UpgradeStatus) bool { return s.State != "" })
}

// Current fetches the installed update: a version object, which is the answer or one
// of its members.
func (u Upgrades) Current(ctx context.Context) (Update, error) {
	k := opCurrentVersion.at("system", "upgrades", "currentVersion")
	return read(ctx, u.client, k, func(a answer) (Update, *Error) {
		members, e := decodeAs[map[string]jsontext.Value](a, "", nil)
		if e != nil {
			return Update{}, e
		}
		candidates := []jsontext.Value{a.body}
		for _, name := range sortedNames(members) {
			candidates = append(candidates, members[name])
		}
		for _, candidate := range candidates {
			var u Update
			if candidate.Kind() != jsontext.KindBeginObject || decode(candidate, &u) != nil || jsontext.Value(u.Version).Kind() == jsontext.KindBeginObject {
				continue
			}
			if u.Version != "" || u.Build != "" {
				return u, nil
			}
		}
		return Update{}, lacks("version")
	})
}

func sortedNames(members map[string]jsontext.Value) []string {
	return slices.Sorted(maps.Keys(members))
}

// Installed fetches the installed updates, in the server's order.
func (u Upgrades) Installed(ctx context.Context) ([]Update, error) {
	return u.list(ctx, opInstalled.at("system", "upgrades", "installed"))
}

// CheckRollback fetches what the site lists to be rolled back: versions to go back to. Package
// upgrade reads it; the list is empty where no patch is installed.
func (u Upgrades) CheckRollback(ctx context.Context) ([]Update, error) {
	return u.list(ctx, Call{
		operation: opCheckRollback, method: http.MethodPost, path: []string{"system", "upgrades", "checkRollback"},
	})
}

// list fetches a list of version objects, as readUpdates reads them.
func (u Upgrades) list(ctx context.Context, k Call) ([]Update, error) {
	values, err := readList[jsontext.Value](ctx, u.client, k, "updates")
	return readUpdates(values), err
}

// HistoryEntry is one upgrade or rollback of the past. Its JSON is not documented: fields
// that were not recognized are empty, and Raw has everything.
type HistoryEntry struct {
	Type            string // upgrade or rollback
	ID              string // of the update
	Name            string // of the update
	Version         string // after it
	PreviousVersion string // before it
	State           string
	Result          string // success or failure, in the site's words
	User            string
	Start           Millis // a text without a zone is read as UTC
	End             Millis
	Unknown         Unknown // the other members

	// Raw is the entry as the server wrote it.
	Raw jsontext.Value
}

// History fetches the upgrades and rollbacks of the past, in the server's order. The
// answer is an array, or an object with one.
func (u Upgrades) History(ctx context.Context) ([]HistoryEntry, error) {
	k := Call{operation: opUpgradeHistory, maskAnswer: true, list: true, path: []string{"system", "upgrades", "history"}}
	return read(ctx, u.client, k, func(a answer) (entries []HistoryEntry, e *Error) {
		list, e := historyList(a)
		if e != nil {
			return nil, e
		}
		values, e := readElements[jsontext.Value](list)
		for _, value := range values {
			entries = append(entries, readHistoryEntry(value))
		}
		return entries, e
	})
}

// historyList returns the array: the answer, or the member that is most likely it.
func historyList(a answer) (jsontext.Value, *Error) {
	if a.body[0] == '[' {
		return a.body, nil
	}
	members, e := decodeAs[map[string]jsontext.Value](a, "", nil)
	if e != nil {
		return nil, e
	}
	var found jsontext.Value
	for _, name := range sortedNames(members) {
		value := members[name]
		if value.Kind() != jsontext.KindBeginArray {
			continue
		}
		if strings.Contains(strings.ToLower(name), "history") {
			return value, nil
		}
		if found == nil || len(value) > len(found) {
			found = value
		}
	}
	if found == nil {
		return nil, notJSON("the answer is JSON, but has no list", nil)
	}
	return found, nil
}

// readHistoryEntry reads the members whose names the platform uses for the same things
// elsewhere.
func readHistoryEntry(raw jsontext.Value) HistoryEntry {
	entry := HistoryEntry{Raw: bytes.Clone(raw)}
	var members map[string]jsontext.Value
	if raw.Kind() != jsontext.KindBeginObject || decode(raw, &members) != nil {
		return entry
	}
	p := picker{members}
	entry.Type = p.text("operation", "operationType", "upgradeType", "type")
	entry.ID = p.text("id", "updateId", "upgradeId")
	entry.Name = p.text("name")
	entry.Version = p.text("version", "toVersion", "targetVersion", "newVersion")
	entry.PreviousVersion = p.text("previousVersion", "fromVersion", "sourceVersion", "oldVersion")
	entry.Result = p.text("result", "outcome", "status")
	entry.State = p.text("state")
	entry.User = p.text("username", "user")
	entry.Start = p.millis("start", "startTime", "startedAt", "startDate")
	entry.End = p.millis("end", "endTime", "endedAt", "endDate")
	entry.Unknown = p.rest()
	return entry
}

// picker removes members from an object.
type picker struct{ members map[string]jsontext.Value }

// take removes and returns the first member with one of these names and a plain value.
func (p picker) take(names []string) jsontext.Value {
	for _, name := range names {
		for _, written := range sortedNames(p.members) {
			value := p.members[written]
			if !strings.EqualFold(written, name) || slices.Contains([]jsontext.Kind{'{', '[', 'n'}, value.Kind()) {
				continue
			}
			delete(p.members, written)
			return value
		}
	}
	return nil
}

func (p picker) text(names ...string) string { return textOf(p.take(names)) }

// millis reads a moment: milliseconds, or a text such as 2026-11-20 12:00:00.000, which is
// taken for UTC since the documentation of the platform names no zone.
func (p picker) millis(names ...string) Millis {
	var m Millis
	value := p.take(names)
	if value == nil || decode(value, &m) == nil && !m.IsZero() {
		return m
	}
	at, _ := time.Parse(time.DateTime, strings.TrimSpace(textOf(value)))
	return MillisOf(at) // another moment in words is in Raw alone
}

func (p picker) rest() Unknown {
	if len(p.members) == 0 {
		return nil
	}
	object := []byte("{")
	for i, name := range sortedNames(p.members) {
		if i > 0 {
			object = append(object, ',')
		}
		object, _ = jsontext.AppendQuote(object, strings.ToValidUTF8(name, "\ufffd"))
		object = append(append(object, ':'), p.members[name]...)
	}
	return append(object, '}')
}

package adminapi

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// HistoryEntry is one upgrade or rollback of the past. The platform does not lay
// its JSON down: fields that were not recognised are empty, Raw has everything.
type HistoryEntry struct {
	Type            string // upgrade or rollback
	ID              string // of the update
	Name            string // of the update
	Version         string // after it
	PreviousVersion string // before it
	State           string
	Result          string // success or failure; the words of the site
	User            string
	Start           Millis
	End             Millis
	Unknown         Unknown // the members beside those above

	// Raw is the entry as the server wrote it.
	Raw jsontext.Value
}

// UpgradeHistory reads the upgrades and rollbacks of the past in the server's
// order, and the whole answer as it was written. The answer is an array, or an
// object that holds one.
func (c *Client) UpgradeHistory(ctx context.Context) ([]HistoryEntry, jsontext.Value, error) {
	k := call{operation: opUpgradeHistory, shown: true, method: http.MethodGet, list: true, path: []string{"system", "upgrades", "history"}}
	var entries []HistoryEntry
	var raw jsontext.Value
	err := c.readAnswer(ctx, k, func(a answer) *Error {
		list, e := historyList(a)
		if e != nil {
			return e
		}
		var values []jsontext.Value
		e = readElements(list, &values)
		for _, value := range values {
			entries = append(entries, readHistoryEntry(value))
		}
		raw = a.body
		return e
	})
	return entries, raw, err
}

// historyList finds the array: the answer, or the member that looks most like it.
func historyList(a answer) (jsontext.Value, *Error) {
	if a.body[0] == '[' {
		return a.body, nil
	}
	var members map[string]jsontext.Value
	if e := a.decode(&members, nil); e != nil {
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
		return nil, notJSON("the answer is JSON, but holds no list", nil)
	}
	return found, nil
}

// readHistoryEntry picks what it knows, by the names that the platform uses for
// such things elsewhere.
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
	entry.Start = p.moment("start", "startTime", "startedAt", "startDate")
	entry.End = p.moment("end", "endTime", "endedAt", "endDate")
	entry.Unknown = p.rest()
	return entry
}

// picker takes members out of an object.
type picker struct{ members map[string]jsontext.Value }

// take returns the first member with one of these names that holds a plain value.
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

func (p picker) moment(names ...string) Millis {
	var m Millis
	if value := p.take(names); value != nil {
		_ = decode(value, &m) // a moment in words is in Raw
	}
	return m
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

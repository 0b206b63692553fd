package adminapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// CurrentVersion reads the installed update and what was recorded when it was
// installed.
func (c *Client) CurrentVersion(ctx context.Context) (Update, []UpgradeMessage, error) {
	k := call{operation: opCurrentVersion, method: http.MethodGet, path: []string{"system", "upgrades", "currentVersion"}}
	var update Update
	var messages []UpgradeMessage
	err := c.readAnswer(ctx, k, func(a answer) (e *Error) {
		update, messages, e = decodeCurrent(a)
		return e
	})
	return update, messages, err
}

// decodeCurrent finds the version object, which may be the answer or one of its
// members.
func decodeCurrent(a answer) (Update, []UpgradeMessage, *Error) {
	var members map[string]jsontext.Value
	if e := a.decode(&members, nil); e != nil {
		return Update{}, nil, e
	}
	var messages []UpgradeMessage
	if list, ok := members["messages"]; ok {
		_ = decode(list, &messages) // what is no list of messages is none
		a.secrets.keptMessages(messages)
	}
	candidates := []jsontext.Value{a.body}
	for _, name := range sortedNames(members) {
		if value := members[name]; value.Kind() == jsontext.KindBeginObject {
			candidates = append(candidates, value)
		}
	}
	for _, candidate := range candidates {
		var u Update
		if decode(candidate, &u) != nil || jsontext.Value(u.Version).Kind() == jsontext.KindBeginObject {
			continue
		}
		if u.Version != "" || u.Build != "" {
			return u, messages, nil
		}
	}
	return Update{}, nil, notJSON("the answer is JSON, but holds no version", nil)
}

func sortedNames(members map[string]jsontext.Value) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Installed reads the updates that are installed, in the server's order.
func (c *Client) Installed(ctx context.Context) ([]Update, error) {
	return c.updates(ctx, call{operation: opInstalled, method: http.MethodGet, path: []string{"system", "upgrades", "installed"}})
}

// CheckRollback reads the patches that can be rolled back; releases never can.
func (c *Client) CheckRollback(ctx context.Context) ([]Update, error) {
	return c.updates(ctx, call{
		operation: opCheckRollback, method: http.MethodPost, path: []string{"system", "upgrades", "checkRollback"},
	})
}

// updates reads a list of version objects, each by itself: one that cannot be
// read has nothing but Raw.
func (c *Client) updates(ctx context.Context, k call) ([]Update, error) {
	var list struct {
		Updates jsontext.Value `json:"updates"`
	}
	var updates []Update
	err := c.readAnswer(ctx, k, func(a answer) *Error {
		if e := a.decode(&list, func() string { return unlessWritten(list.Updates, "updates") }); e != nil {
			return e
		}
		var values []jsontext.Value
		e := readElements(list.Updates, &values)
		updates = readUpdates(values)
		return e
	})
	return updates, err
}

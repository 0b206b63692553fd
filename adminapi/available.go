package adminapi

import (
	"context"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"
)

// Available reads what the site offers to install. Not to be asked while an
// upgrade runs: that is [KindBusy].
func (c *Client) Available(ctx context.Context) (Manifest, error) {
	k := call{operation: opAvailable, method: http.MethodPost, path: []string{"system", "upgrades", "available"}}
	var manifest Manifest
	err := c.readAnswer(ctx, k, func(a answer) (e *Error) {
		manifest, e = decodeManifest(a.body)
		return e
	})
	return manifest, err
}

// readAnswer sends a read and lets take make sense of an answer that is not empty.
func (c *Client) readAnswer(ctx context.Context, k call, take func(answer) *Error) error {
	a, e := c.fetch(ctx, k)
	if e == nil && len(a.body) == 0 {
		e = a.explain(k, notJSON("the answer is empty", nil))
	}
	if e == nil {
		e = a.explain(k, take(a))
	}
	if e != nil {
		return c.complete(ctx, k, e)
	}
	return nil
}

// UpgradeSettings asks what the site wants to know before it installs an update.
// Sites may want nothing, then there are no inputs.
func (c *Client) UpgradeSettings(ctx context.Context, updateID string) (UpgradeSettings, error) {
	object, e := idObject(updateID)
	if e != nil {
		e.Operation = opUpgradeSettings.name
		return UpgradeSettings{}, e
	}
	k := call{
		operation: opUpgradeSettings, method: http.MethodPost,
		path: []string{"system", "upgrades", "getUpgradeSettings"}, fields: url.Values{"upgradeId": {object}},
	}
	var settings UpgradeSettings
	raw, err := c.readWhole(ctx, k, &settings, func() string {
		if settings.Inputs == nil && len(settings.Unknown) > 0 {
			return "userInputs"
		}
		return ""
	})
	if err != nil {
		return UpgradeSettings{}, err
	}
	settings.Raw = raw
	return settings, nil
}

// idObject is how the platform is asked for an update: {"id": ...}.
func idObject(id string) (string, *Error) {
	if e := checkSegment(id); e != nil {
		return "", e
	}
	object, err := jsontext.AppendQuote([]byte(`{"id":`), id)
	if err != nil {
		return "", &Error{Kind: KindInvalid, Message: "the id is no text"}
	}
	return string(object) + "}", nil
}

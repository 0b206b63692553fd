package adminapi

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// EditService replaces the whole definition of a service by these bytes, which
// are sent as they are: what they leave out is gone, and the service may
// restart. The definition is a JSON object without duplicate names, in valid
// UTF-8, and of the same service where it says so; anything else is refused
// before it is sent ([KindInvalid]).
//
// It is sent once. With async it returns at once with a job, whose end is read
// by [Client.Job] and holds what the site made of it ([Job.Service]); that needs
// a site of 10.9.1. Without it returns when the edit is over, after up to ten
// minutes unless ctx ends before. A site may answer either way to either:
// see [Accepted.Finished].
func (c *Client) EditService(ctx context.Context, s ServiceRef, definition jsontext.Value, async bool) (Accepted, Outcome, error) {
	o, timeout := opEditService, longTimeout
	if async {
		o, timeout = opEditServiceJob, c.timeout+onALine(len(definition))
	}
	if e := checkDefinition(s, definition); e != nil {
		e.Operation = o.name
		return Accepted{}, OutcomeNotSent, e
	}
	return c.change(ctx, call{
		operation: o, path: append(s.segments(), "edit"), timeout: timeout, target: TargetService(s),
		fields: url.Values{"service": {string(definition)}, "async": {strconv.FormatBool(async)}},
	})
}

// onALine is what a slow line needs for so many bytes.
func onALine(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / slowestLine
}

// checkDefinition refuses what no site can take, and what is meant for another
// service: an edit cannot be taken back.
func checkDefinition(s ServiceRef, definition jsontext.Value) *Error {
	if definition.Kind() != jsontext.KindBeginObject {
		return &Error{Kind: KindInvalid, Message: "the definition is not a JSON object"}
	}
	if !definition.IsValid() {
		return &Error{Kind: KindInvalid, Message: "the definition is broken JSON, or names a member twice"}
	}
	var given struct {
		Name *string `json:"serviceName"`
		Type *string `json:"type"`
	}
	// With their exact names: whatever else a site writes is not looked at.
	if err := json.Unmarshal(definition, &given); err != nil {
		return &Error{Kind: KindInvalid, Message: "serviceName and type of a definition are texts"}
	}
	if given.Name != nil && !strings.EqualFold(*given.Name, s.Name) {
		return ofAnother("serviceName", *given.Name, s.Name)
	}
	if given.Type != nil && !strings.EqualFold(*given.Type, s.Type) {
		return ofAnother("type", *given.Type, s.Type)
	}
	return nil
}

func ofAnother(member, given, wanted string) *Error {
	return &Error{Kind: KindInvalid, Message: "the definition is of another service: its " + member + " is " + shortened(given) + ", not " + wanted}
}

// change sends a write that the platform answers with a word of success, or
// with a job that goes on.
func (c *Client) change(ctx context.Context, k call) (Accepted, Outcome, error) {
	var accepted Accepted
	outcome, err := c.write(ctx, k, func(a answer) *Error {
		var e *Error
		switch accepted, e = a.accepted(); {
		case accepted.JobID != "":
			return nil
		case e != nil && e.Err == ErrJobID:
			return e
		case a.saysDone():
			accepted = Accepted{Status: "success"}
			return nil
		case e == nil:
			return notJSON("the answer names no job", nil)
		}
		return e
	})
	if err != nil {
		return Accepted{}, outcome, err
	}
	return accepted, outcome, nil
}

// saysDone tells whether an answer is a word of success and no word of an error.
func (a answer) saysDone() bool {
	var reply struct {
		Error jsontext.Value `json:"error"`
	}
	return a.succeeded() == nil && a.decode(&reply, nil) == nil && unlessGiven(reply.Error, "error") != ""
}

// Finished tells that nothing goes on: the operation was over by the time of
// its answer, and there is no job to wait for.
func (a Accepted) Finished() bool { return a.JobID == "" }

// Service returns the definition in the job's result as the site wrote it, and
// false where it holds none: the job is not one of an edit, or has not ended.
func (j Job) Service() (jsontext.Value, bool) {
	return j.service, j.service != nil
}

// serviceIn finds the definition in a job.
func serviceIn(job []byte) (jsontext.Value, bool) {
	var holder struct {
		Result jsontext.Value `json:"result"`
	}
	var result struct {
		Service jsontext.Value `json:"service"`
	}
	if decode(job, &holder) != nil || holder.Result.Kind() != jsontext.KindBeginObject ||
		decode(holder.Result, &result) != nil || result.Service.Kind() != jsontext.KindBeginObject {
		return nil, false
	}
	return result.Service, true
}

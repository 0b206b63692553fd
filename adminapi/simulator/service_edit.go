package simulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"geodeck/adminapi/pattern"

	"github.com/go-json-experiment/json/jsontext"
)

// How long an edit takes by default, and how long a service that it restarts does not
// answer.
const (
	editDuration    = 6 * time.Second
	restartDuration = 10 * time.Second
)

// edit is an edit of a definition that is under way.
type edit struct {
	service *service
	text    []byte // as the site will store it
	plan    EditPlan
	begins  time.Time
	ends    time.Time
	settled time.Time // when the service answers again
}

func (a *services) editDefinition(q *request, s *service) any {
	text, async := q.required("service"), q.boolean("async")
	if q.err != nil {
		return q.err
	}
	if err := s.checkDefinition([]byte(text)); err != nil {
		return err
	}
	stored, err := a.stored(s, []byte(text))
	if err != nil {
		return err
	}
	e := a.scheduleEdit(q.now, s, stored)
	switch {
	case async && a.knowsAsync():
		return a.jobs.inServiceJob(q, e.job())
	case !completes(e.plan.Ends):
		return answer{body: &refusal{code: 500, message: e.reason()}, after: e.ends.Sub(q.now)}
	}
	return answer{body: success, after: e.settled.Sub(q.now)}
}

// scheduleEdit schedules what an edit does, and returns it.
func (a *services) scheduleEdit(now time.Time, s *service, text []byte) *edit {
	e := &edit{service: s, text: text, plan: a.nextEditPlan(), begins: now.Add(queueTime)}
	before := a.textOf(s)
	e.ends = e.begins.Add(cmp.Or(e.plan.Takes.Duration, editDuration))
	e.settled = e.ends
	if completes(e.plan.Ends) || e.plan.Applied {
		if !s.stopped {
			e.settled = a.settledAfter(e.ends, before, text)
		}
		a.schedule(e.ends, func() { a.replace(s, text, e.ends, e.settled) })
	}
	s.busyUntil = e.ends
	return e
}

func (a *services) nextEditPlan() EditPlan {
	n := a.edits
	a.edits++
	for _, p := range a.scenario.Editing.Edits {
		if hits(n, p.After, p.Times) {
			return p
		}
	}
	return EditPlan{}
}

// hits reports whether the n-th of something, from 0, is among so many times after
// the first ones; 0 times are all from then on.
func hits(n, after, times int) bool { return n >= after && (times == 0 || n < after+times) }

func (e *edit) reason() string {
	return cmp.Or(e.plan.Message, "The service "+e.service.path()+" did not become ready within its time.")
}

func editResult(text []byte) any { return object{"service": json.RawMessage(text)} }

func (e *edit) job() job {
	j := job{name: "Edit service", resource: e.service.name, begins: e.begins, ends: e.ends, end: e.plan.Ends,
		result: func() any { return editResult(e.text) }}
	if !completes(e.plan.Ends) {
		j.messages = []string{e.reason()}
		j.result = func() any { return object{"messages": j.messages} }
	}
	return j
}

// replace gives a service another definition: members that are missing in the new one
// are deleted.
func (a *services) replace(s *service, text []byte, at, settled time.Time) {
	s.definition = text
	var members struct {
		Description string `json:"description"`
	}
	_ = json.Unmarshal(text, &members) // of another type: nothing
	s.description = members.Description
	if settled.After(at) && !s.stopped {
		s.transitionState, s.settledAt = serviceStopped, settled
		a.pods.restart(s, settled)
	}
}

// settledAfter returns when a service answers again after an edit at a time: later,
// where it has to restart. Up to 11.5 another time of recycling waits for the next start.
func (a *services) settledAfter(at time.Time, before, after []byte) time.Time {
	without := []string{"description", "capabilities", "extensions"}
	if a.version.before("12.0") {
		without = append(without, "recycleStartTime")
	}
	if !differs(before, after, without) {
		return at
	}
	return at.Add(cmp.Or(a.scenario.Editing.Restart.Duration, restartDuration))
}

// differs reports whether a definition differs in other members than the given ones.
func differs(before, after []byte, without []string) bool {
	var old, now members
	if json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &now) != nil {
		return true
	}
	for _, name := range without {
		delete(old, name)
		delete(now, name)
	}
	return !maps.EqualFunc(old, now, func(a, b json.RawMessage) bool { return sameJSON(a, b) })
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// members is a definition, or an object in it.
type members map[string]json.RawMessage

// What the site wants in the members of a definition.
var (
	textMembers   = []string{"description", "capabilities", "clusterName", "loadBalancing", "isolationLevel", "provider", "recycleStartTime"}
	numberMembers = []string{"minInstancesPerNode", "maxInstancesPerNode", "instancesPerContainer", "maxWaitTime", "maxStartupTime",
		"maxIdleTime", "maxUsageTime", "recycleInterval", "keepAliveInterval"}
	timeOfDay = pattern.New(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
)

// checkDefinition returns why a text is not valid as the definition of a service.
func (s *service) checkDefinition(text []byte) error {
	var d members
	err := json.Unmarshal(text, &d)
	if err != nil || d == nil || !utf8.Valid(text) {
		return invalid("The service definition is not a valid JSON object.", whyNotJSON(err))
	}
	err = cmp.Or(
		d.checkIs("serviceName", s.name),
		d.checkIs("type", s.kind),
		d.checkShape('"', "a text", textMembers...),
		d.checkStartTime(),
		d.checkInstances(),
		d.checkShape('{', "an object", "properties", "frameworkProperties"),
		d.checkShape('[', "a list", "datasets", "extensions"),
		d.checkExtensions(),
	)
	if err != nil {
		return invalid("The service definition is not valid.", err.Error())
	}
	return nil
}

func (d members) checkIs(name, want string) error {
	if value, isText := d.text(name); !isText || value != want {
		return fmt.Errorf("%s has to be %q", name, want)
	}
	return nil
}

// checkShape checks what the members that are given begin with.
func (d members) checkShape(first byte, what string, names ...string) error {
	for _, name := range names {
		if raw := d[name]; raw != nil && raw[0] != first {
			return fmt.Errorf("%s is not %s", name, what)
		}
	}
	return nil
}

func (d members) text(name string) (value string, ok bool) {
	raw, there := d[name]
	return value, there && json.Unmarshal(raw, &value) == nil && raw[0] == '"'
}

func (d members) checkStartTime() error {
	if at, given := d.text("recycleStartTime"); given && !timeOfDay().MatchString(at) {
		return fmt.Errorf("recycleStartTime is %q; HH:MM is wanted", at)
	}
	return nil
}

// number reads whole numbers in any form: 2, 2.0, 2e0.
func (d members) number(name string) (n int, err error) {
	f, err := strconv.ParseFloat(string(d[name]), 64)
	if err != nil || f != math.Trunc(f) || f < -1 || f > math.MaxInt32 {
		return 0, fmt.Errorf("%s is %.40s; a whole number is wanted", name, d[name])
	}
	return int(f), nil
}

func (d members) checkInstances() error {
	for _, name := range numberMembers {
		if d[name] == nil {
			continue
		}
		n, err := d.number(name)
		if err != nil {
			return err
		}
		if n < 0 && name != "keepAliveInterval" {
			return fmt.Errorf("%s is less than nothing", name)
		}
	}
	lowest, errLowest := d.number("minInstancesPerNode")
	highest, errHighest := d.number("maxInstancesPerNode")
	if errLowest == nil && errHighest == nil && lowest > highest {
		return fmt.Errorf("minInstancesPerNode is %d, more than maxInstancesPerNode, which is %d", lowest, highest)
	}
	return nil
}

func (d members) checkExtensions() error {
	if d["extensions"] == nil {
		return nil
	}
	var list []members
	if err := json.Unmarshal(d["extensions"], &list); err != nil {
		return errors.New("extensions does not hold objects")
	}
	seen := map[string]bool{}
	for i, x := range list {
		name, ok := x.text("typeName")
		if !ok || seen[name] {
			return fmt.Errorf("extensions[%d].typeName is missing, no text or there twice", i)
		}
		seen[name] = true
		if err := x.checkExtension(); err != nil {
			return fmt.Errorf("extensions[%d] (%s): %w", i, name, err)
		}
	}
	return nil
}

func (d members) checkExtension() error {
	if on := string(d["enabled"]); on != "true" && on != "false" {
		return errors.New("enabled is neither true nor false")
	}
	var properties members
	_ = json.Unmarshal(d["properties"], &properties) // where it is no object, its shape is wrong
	err := cmp.Or(d.checkShape('"', "a text", "capabilities"), d.checkShape('{', "an object", "properties"))
	for name := range properties {
		if bad := properties.checkShape('"', "a text", name); bad != nil {
			err = cmp.Or(err, fmt.Errorf("properties.%w", bad))
		}
	}
	return err
}

// countRead counts the reads of a definition, and lets another user edit the
// service right after the one that the scenario names.
func (a *services) countRead(s *service, now time.Time) error {
	s.reads++
	e := a.scenario.Editing.Other
	if e == nil || s.path() != cmp.Or(e.Service, sampleService) {
		return nil
	}
	every := max(e.Reads, 1)
	if s.reads%every != 0 || s.reads/every > max(e.Times, 1) {
		return nil
	}
	before := a.textOf(s)
	text, err := rewrite(before, func(at jsontext.Pointer) (jsontext.Value, bool) {
		i := slices.IndexFunc(e.Set, func(set Setting) bool { return set.At == string(at) })
		if i < 0 {
			return nil, true
		}
		return jsontext.Value(e.Set[i].Value), e.Set[i].Value != nil
	})
	if err != nil {
		return err
	}
	a.replace(s, text, now, a.settledAfter(now, before, text))
	a.addOtherJob(s, e.User, job{name: "Edit service", operation: "/edit", ends: now, result: func() any { return editResult(text) }})
	return nil
}

// addOtherJob adds the job of an edit that another user made. Its operation is a path
// below the service.
func (a *services) addOtherJob(s *service, user string, j job) {
	j.username, j.resource = cmp.Or(user, "publisher"), s.name
	j.operation = adminRoot + "/services/" + s.path() + j.operation
	j.submitted, j.begins = j.ends, j.ends
	a.jobs.add(j)
}

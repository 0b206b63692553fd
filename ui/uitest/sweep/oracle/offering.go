package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// offer is a release or a patch that the site has or offers, with its place among the others.
type offer struct {
	update
	PreviousVersion                                          string
	Build, PreviousBuild, ReleaseBuild, PreviousReleaseBuild any
	IsMandatoryUpdate                                        bool
	Containers                                               []struct{ Name, Image, Checksum string }

	state, reason, base     string
	depth                   int
	brings, requires, skips []string
	build, prev, of, prevOf int // of builds; 0 for none
	blocked, release        bool
	raw                     json.RawMessage
}

// full is its version with its build.
func (o *offer) full() string { return fmt.Sprintf("%s.%d", o.Version, o.build) }

func offerOf(raw json.RawMessage) *offer {
	o := &offer{raw: raw}
	_ = json.Unmarshal(raw, &o)
	_ = json.Unmarshal(raw, &o.update)
	for _, to := range []struct {
		told any
		at   *int
	}{{o.Build, &o.build}, {o.PreviousBuild, &o.prev}, {o.ReleaseBuild, &o.of}, {o.PreviousReleaseBuild, &o.prevOf}} {
		*to.at, _ = strconv.Atoi(fmt.Sprint(to.told))
	}
	o.release = o.Type == "release"
	return o
}

// site is what the site has, and what it offers in the order of a list.
type site struct {
	now    *offer
	family int // build of its release
	offers []*offer
	run    *upgradeRun // the last one; nil for none
	state  string
	why    string // what is recommended, and why; empty for nothing
}

// siteNow reads what the site has and offers now.
func (d *Day) siteNow() *site {
	var told struct{ Releases, Patches []json.RawMessage }
	d.into("/system/upgrades/available", &told)
	s := &site{now: offerOf(json.RawMessage(d.Ask("/system/upgrades/currentVersion")))}
	if s.family = s.now.of; s.now.release {
		s.family = s.now.build
	}
	state, messages := statusTold(d.Ask("/system/upgrades"))
	if s.state = state; len(messages) > 0 {
		last := slices.IndexFunc(messages, func(m message) bool { return m.Code == 2010 || m.Code == 2072 })
		for i, m := range messages {
			if m.Code == 2010 || m.Code == 2072 {
				last = i
			}
		}
		s.run = runOf(messages[max(last, 0):], state)
	}
	patches, releases := held(d.Listed)
	for _, raw := range slices.Concat(patches, releases, told.Patches, told.Releases) { // of one in both that of the file counts
		if o := offerOf(raw); s.find(o.ID) == nil || d.Listed == "" {
			s.offers = append(s.offers, o)
		}
	}
	slices.SortStableFunc(s.offers, func(a, b *offer) int {
		return cmp.Or(slices.Compare(numbersOf(a.Version), numbersOf(b.Version)), cmp.Compare(a.build, b.build))
	})
	for _, o := range s.offers {
		s.places(o)
	}
	s.recommends()
	return s
}

// find is what is offered with an id, nil for nothing.
func (s *site) find(id string) *offer {
	if at := slices.IndexFunc(s.offers, func(o *offer) bool { return o.ID == id }); at >= 0 {
		return s.offers[at]
	}
	return nil
}

// releases reports whether the release of a build is offered.
func (s *site) releases(build int) bool {
	return slices.ContainsFunc(s.offers, func(o *offer) bool { return o.release && o.build == build })
}

// places finds out whether an update fits; what it builds on has its place.
func (s *site) places(o *offer) {
	var below *offer
	for _, other := range s.offers {
		if other.build == cmp.Or(o.prevOf, o.prev) && (!o.release || other.release) {
			below = other
		}
	}
	older := slices.Compare(numbersOf(o.Version), numbersOf(s.now.Version)) < 0
	set := func(state, format string, args ...any) { o.state, o.reason = state, fmt.Sprintf(format, args...) }
	switch {
	case !o.release && older, !o.release && below == nil && o.of != s.family && !s.releases(o.of):
		set("not applicable", "It is a patch of %s (release build %d); %s is installed.", o.Version, o.of, s.now.full())
	case !o.release && o.prev >= o.build:
		set("broken", "Build %d says it builds on %d, which is not older.", o.build, o.prev)
	case !o.release && o.prev <= s.now.build:
		set("applicable", "It builds on build %d, which is installed.", o.prev)
	case !o.release && below == nil:
		set("broken", "It builds on build %d, which is neither installed nor offered.", o.prev)
	case o.release && o.prevOf == s.family:
		s.follows(o)
	case below == nil:
		set("not applicable", "It builds on %s (release build %d), neither installed nor offered; %s is installed.", o.PreviousVersion, o.prevOf, s.now.full())
	case below.state == "broken":
		set("broken", "It builds on %s, which has a problem itself.", below.full())
	case below.state == "not applicable":
		set("not applicable", "It builds on %s, which is not for this site.", below.full())
	case o.release:
		o.requires = append(slices.Clone(below.requires), below.ID)
		set("required first", "It requires the release %s first.", below.full())
	case below.release:
		o.requires = append(slices.Clone(below.requires), below.ID)
		set("required first", "It is a patch of release %s, which is required first.", below.full())
	default:
		o.brings, o.requires = append(slices.Clone(below.brings), below.ID), below.requires
		switch {
		case below.state == "required first":
			set("required first", "It builds on %s, which requires another update first.", below.full())
		case len(o.brings) == 1:
			set("applicable", "It includes the update before it: %s.", below.full())
		default:
			set("applicable", "It includes the %d updates before it, up to %s.", len(o.brings), below.full())
		}
	}
	if below != nil && !(o.release && o.prevOf == s.family) && !(!o.release && o.prev <= s.now.build) {
		o.base, o.depth = below.ID, below.depth+1
	}
	if s.between() && o.state == "applicable" && o.Version != strings.Join(strings.Split(s.run.to, ".")[:3], ".") {
		o.blocked = true
	}
}

// follows finds out what the next release requires.
func (s *site) follows(o *offer) {
	for _, p := range s.offers {
		switch {
		case p.release || p.of != s.family || p.build <= s.now.build:
		case p.IsMandatoryUpdate:
			o.requires, o.skips = append(o.requires, p.ID), nil
		default:
			o.skips = append(o.skips, p.ID)
		}
	}
	switch n := len(o.requires); n {
	case 0:
		o.state, o.reason = "applicable", "It builds on the installed release."
	case 1:
		o.state, o.reason = "required first", fmt.Sprintf("It requires the update %s first.", o.requires[0])
	default:
		o.state, o.reason = "required first", fmt.Sprintf("It requires %d updates first; the last, %s, includes the others.", n, o.requires[n-1])
	}
}

// between reports whether a release has failed after it began to change the stores.
func (s *site) between() bool {
	return s.state == failed && s.run != nil && s.run.to != "" && s.run.phases[phaseOf(2108)].messages > 0
}

// recommends says what to install next.
func (s *site) recommends() {
	if s.state == failed {
		return
	}
	for _, o := range s.offers {
		if o.state != "required first" || !o.release {
			continue
		}
		for _, id := range slices.Backward(o.requires) {
			if p := s.find(id); p.state == "applicable" && !p.release {
				s.why = p.ID + ". " + o.full() + " requires it."
				return
			}
		}
		break
	}
	for _, o := range slices.Backward(s.offers) {
		if o.state == "applicable" && !o.release {
			s.why = o.ID + ". Newest patch of " + mainOf(o.Version)
			if n := len(o.brings); n > 0 {
				s.why += fmt.Sprintf(", with the %d before it", n)
			}
			s.why += "."
			return
		}
	}
	for _, o := range s.offers {
		if o.state == "applicable" {
			s.why = o.ID + ". Next release."
			return
		}
	}
}

// mainOf is a version as releases are called.
func mainOf(version string) string { return strings.TrimSuffix(version, ".0") }

// placed are the fields of the place of an update.
func (o *offer) placed(s *site) []field {
	list := func(ids []string) []string { return append([]string{}, ids...) }
	state, reason := o.state, o.reason
	if o.blocked {
		state, reason = "blocked", "only "+s.run.to+" can follow the run that failed"
	}
	return []field{
		{member: "state", column: "STATE", want: state, cell: state}, {member: "reason", column: "WHY", want: reason, cell: reason},
		{member: "depth", want: o.depth}, {member: "base", want: o.base},
		{member: "brings", want: list(o.brings)}, {member: "requires", want: list(o.requires)}, {member: "skips", want: list(o.skips)},
	}
}

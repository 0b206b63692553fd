package before

import (
	"math"
	"slices"
	"strconv"
)

// demand is what the lines of a term ask of one key together.
type demand struct {
	key          string
	present      bool // by In, Exists, Gt or Lt
	absent       bool
	allowed      []string // by In; nil where anything is
	isListed     bool
	banned       map[string]bool
	above, below int64 // by Gt and Lt
	isNumber     bool
	exclusive    bool // two lines with In share no value
}

// contradiction says why no node can match all lines of a term, "" if one can.
// Lines with troubles of their own are left out: those are told by themselves.
func contradiction(t Term) string {
	type about struct {
		key   string
		field bool // names of fields are no labels
	}
	var demands []*demand
	known := map[about]*demand{}
	for _, l := range t.Lines {
		if len(lineTroubles(l).blocking()) > 0 {
			continue
		}
		d := known[about{l.Key, l.Field}]
		if d == nil {
			d = &demand{key: l.Key, banned: map[string]bool{}, above: math.MinInt64, below: math.MaxInt64}
			known[about{l.Key, l.Field}] = d
			demands = append(demands, d)
		}
		d.add(l)
	}
	for _, d := range demands {
		if reason := d.impossible(); reason != "" {
			return reason
		}
	}
	return ""
}

func (d *demand) add(l Line) {
	switch l.Operator {
	case In:
		d.allow(l.Values)
	case NotIn:
		for _, v := range l.Values {
			d.banned[v] = true
		}
	case Exists:
		d.present = true
	case DoesNotExist:
		d.absent = true
	case Gt, Lt:
		n, _ := strconv.ParseInt(l.Values[0], 10, 64)
		d.present, d.isNumber = true, true
		if l.Operator == Gt {
			d.above = max(d.above, n)
		} else {
			d.below = min(d.below, n)
		}
	}
}

// allow keeps the values that every In allows.
func (d *demand) allow(values []string) {
	d.present = true
	if !d.isListed {
		d.isListed, d.allowed = true, slices.Clone(values)
		return
	}
	also := map[string]bool{}
	for _, v := range values {
		also[v] = true
	}
	d.allowed = slices.DeleteFunc(d.allowed, func(v string) bool { return !also[v] })
	d.exclusive = len(d.allowed) == 0
}

func (d *demand) impossible() string {
	key := word(d.key)
	switch {
	case d.present && d.absent:
		return key + " would have to exist and not to exist"
	case d.exclusive:
		return "two lines with In have no value of " + key + " in common"
	// The next whole number above is not below; written so that nothing overflows.
	case d.isNumber && (d.above >= d.below || d.above == math.MaxInt64 || d.above+1 >= d.below):
		return "no number is above and below the limits for " + key
	case d.isListed && !slices.ContainsFunc(d.allowed, d.takes):
		if d.isNumber {
			return "no value that is allowed for " + key + " is within the limits of Gt and Lt"
		}
		return "every value that In allows for " + key + " is taken away by NotIn"
	}
	return ""
}

// takes tells whether a value passes NotIn, Gt and Lt.
func (d *demand) takes(value string) bool {
	if d.banned[value] {
		return false
	}
	if !d.isNumber {
		return true
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && n > d.above && n < d.below
}

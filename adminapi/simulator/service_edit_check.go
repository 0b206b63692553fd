package simulator

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// The members of a definition and what the site wants in them.
var (
	textMembers   = []string{"description", "capabilities", "clusterName", "loadBalancing", "isolationLevel", "provider", "recycleStartTime"}
	numberMembers = []string{"minInstancesPerNode", "maxInstancesPerNode", "instancesPerContainer", "maxWaitTime", "maxStartupTime",
		"maxIdleTime", "maxUsageTime", "recycleInterval", "keepAliveInterval"}
	timeOfDay = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
)

// members is a definition, or an object in it.
type members map[string]json.RawMessage

// mayBecome tells why the site does not take a text as the definition of a service.
func (s *service) mayBecome(text []byte) error {
	var d members
	if err := json.Unmarshal(text, &d); err != nil || d == nil || !utf8.Valid(text) {
		return invalid("The service definition is not a valid JSON object.", fmt.Sprint(err))
	}
	checks := []func() error{
		func() error { return s.isNamedIn(d) },
		d.checkTexts,
		d.checkInstances,
		d.checkShapes,
		d.checkExtensions,
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return invalid("The service definition is not valid.", err.Error())
		}
	}
	return nil
}

func (s *service) isNamedIn(d members) error {
	for _, must := range []struct{ member, value string }{{"serviceName", s.name}, {"type", s.kind}} {
		value, isText := d.text(must.member)
		if !isText || value != must.value {
			return fmt.Errorf("%s has to be %q", must.member, must.value)
		}
	}
	return nil
}

func (d members) text(name string) (value string, ok bool) {
	raw, there := d[name]
	return value, there && json.Unmarshal(raw, &value) == nil && raw[0] == '"'
}

func (d members) checkTexts() error {
	for _, name := range textMembers {
		if _, ok := d.text(name); d[name] != nil && !ok {
			return fmt.Errorf("%s is not a text", name)
		}
	}
	if at, given := d.text("recycleStartTime"); given && !timeOfDay.MatchString(at) {
		return fmt.Errorf("recycleStartTime is %q; HH:MM is wanted", at)
	}
	return nil
}

// number takes whole numbers in any form: 2, 2.0, 2e0.
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
	least, noLeast := d.number("minInstancesPerNode")
	most, noMost := d.number("maxInstancesPerNode")
	if noLeast == nil && noMost == nil && least > most {
		return fmt.Errorf("minInstancesPerNode is %d, more than maxInstancesPerNode, which is %d", least, most)
	}
	return nil
}

func (d members) checkShapes() error {
	for _, name := range []string{"properties", "frameworkProperties"} {
		if raw := d[name]; raw != nil && raw[0] != '{' {
			return fmt.Errorf("%s is not an object", name)
		}
	}
	for _, name := range []string{"datasets", "extensions"} {
		if raw := d[name]; raw != nil && raw[0] != '[' {
			return fmt.Errorf("%s is not a list", name)
		}
	}
	return nil
}

func (d members) checkExtensions() error {
	if d["extensions"] == nil {
		return nil
	}
	var list []members
	if err := json.Unmarshal(d["extensions"], &list); err != nil {
		return fmt.Errorf("extensions does not hold objects")
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
		return fmt.Errorf("enabled is neither true nor false")
	}
	if _, ok := d.text("capabilities"); d["capabilities"] != nil && !ok {
		return fmt.Errorf("capabilities is not a text")
	}
	var properties members
	if raw := d["properties"]; raw != nil && (raw[0] != '{' || json.Unmarshal(raw, &properties) != nil) {
		return fmt.Errorf("properties is not an object")
	}
	for name := range properties {
		if _, ok := properties.text(name); !ok {
			return fmt.Errorf("properties.%s is not a text", name)
		}
	}
	return nil
}

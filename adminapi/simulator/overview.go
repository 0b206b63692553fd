package simulator

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi/lists"
)

// about shows what the site consists of, as far as the published page names it.
func (a *platform) about(*request) any {
	return object{"fullVersion": a.version.String(), "dataStores": a.stores(), "servers": []object{}}
}

// overview shows one part of what the site looks like at a glance, or all.
func (a *platform) overview(q *request) any {
	parts := object{
		"criticalLogs":    only(a.logMessages(q.now), func(m logMessage) bool { return m.Level == logLevels[0] }),
		"dataStores":      a.stores(),
		"systemServices":  a.statesIn("System", q.now),
		"utilityServices": a.statesIn("Utilities", q.now),
	}
	wanted := cmp.Or(q.single("resource"), q.single("resources"), "all") // the second as the vendor's Python package spells it
	switch part, known := parts[wanted]; {
	case known:
		return object{wanted: part}
	case wanted != "all":
		return notAllowed("resource is " + strconv.Quote(wanted) + "; allowed: all, " + strings.Join(slices.Sorted(maps.Keys(parts)), ", "))
	}
	return parts
}

func (a *platform) stores() []object {
	return lists.Each(only(a.components, func(c *component) bool { return c.Store }), func(c *component) object {
		return object{"id": c.deploymentID, "type": c.Type, "provider": c.Provider, "status": c.state}
	})
}

func (a *platform) statesIn(folder string, now time.Time) []object {
	return lists.Each(only(a.services.list, func(s *service) bool { return s.folder == folder }), func(s *service) object {
		return object{"serviceName": s.name, "type": s.kind, "realTimeState": a.pods.stateOf(s, now)}
	})
}

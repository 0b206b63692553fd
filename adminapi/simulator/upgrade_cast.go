package simulator

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// cast is who plays in a script: the containers of the update in their modules,
// and the deployments that run them.
type cast struct {
	containers []container
	module     map[string]string   // of a component
	running    map[string][]string // deployments of a component
	was        map[string]string   // image that a component runs before
	stores     string              // outcome of the upgrade of each store, as JSON text
}

// The modules that a patch goes through, in order.
var moduleNames = []string{"stores", "system", "services"}

func newCast(w *world, r *upgradeRun, draw *rand.Rand) *cast {
	c := &cast{containers: r.update.Containers, module: map[string]string{}, running: map[string][]string{}, was: map[string]string{}}
	for _, item := range c.containers {
		c.module[item.Name] = w.moduleOf(item.Name)
		c.was[item.Name] = w.imageOf(item, r.from)
		name := strings.ReplaceAll(strings.ToLower(item.Name), "_", "-")
		if w.isStore(item.Name) {
			c.running[item.Name] = []string{"arcgis-" + name + "-0"}
			continue
		}
		for range 1 + draw.IntN(2) {
			c.running[item.Name] = append(c.running[item.Name], "arcgis-"+name+"-"+shortID(draw, 5))
		}
	}
	c.stores = storeOutcome(draw)
	return c
}

// imageOf is the image that a component runs now; what is no component of its
// own has the site's version.
func (w *world) imageOf(item container, site version) string {
	name, _, _ := strings.Cut(item.Image, ":")
	if c := w.component(item.Name); c != nil {
		site = c.version
	}
	return name + ":" + site.String()
}

func (w *world) isStore(name string) bool {
	c := w.component(name)
	return c != nil && c.Store
}

func (w *world) moduleOf(name string) string {
	switch c := w.component(name); {
	case c == nil || c.Type == "System":
		return "system"
	case c.Store:
		return "stores"
	}
	return "services"
}

// storeOutcome is what message 2153 carries: each database with its versions
// and how long it took.
func storeOutcome(draw *rand.Rand) string {
	type outcome struct {
		Status  string `json:"status"`
		From    string `json:"fromVersion"`
		To      string `json:"toVersion"`
		Seconds int    `json:"durationSeconds"`
	}
	stores := map[string]outcome{}
	for _, name := range []string{"relational-primary", "relational-standby", "system-configuration"} {
		stores[name] = outcome{"completed", "15.4", "16.4", 60 + draw.IntN(240)}
	}
	text, _ := json.Marshal(map[string]any{"stores": stores})
	return string(text)
}

// each returns the names that steps are repeated with.
func (c *cast) each(what string, names map[string]string) []map[string]string {
	var list []map[string]string
	switch what {
	case "module":
		for _, name := range moduleNames {
			if slices.ContainsFunc(c.containers, func(o container) bool { return c.module[o.Name] == name }) {
				list = append(list, map[string]string{"module": name})
			}
		}
	case "deployment":
		for _, name := range c.running[names["component"]] {
			list = append(list, map[string]string{"deployment": name})
		}
	default:
		for _, item := range c.containers {
			if c.plays(item, what, names) {
				list = append(list, map[string]string{"component": item.Name, "image": item.Image, "was": c.was[item.Name], "resource": c.resource(item)})
			}
		}
	}
	return list
}

// plays tells whether a container is one of those: all are components, a
// module's are its containers, language packs are packs.
func (c *cast) plays(item container, what string, names map[string]string) bool {
	switch what {
	case "component":
		return !isPack(item)
	case "container":
		return c.module[item.Name] == names["module"]
	}
	return isPack(item)
}

func isPack(c container) bool { return strings.HasPrefix(c.Name, "ENTERPRISE_HELP_") }

// resource is the kind of what runs a container in the cluster, and its name.
func (c *cast) resource(item container) string {
	kind := "deployment"
	if c.module[item.Name] == "stores" {
		kind = "statefulset"
	}
	return fmt.Sprintf("%s %s", kind, strings.TrimSuffix(c.running[item.Name][0], "-0"))
}

// total is how many of something the script will count.
func (c *cast) total(what string) int {
	n := 0
	for _, item := range c.containers {
		switch {
		case what == "deployment" && !isPack(item):
			n += len(c.running[item.Name])
		case what == "container", what == "pack" && isPack(item):
			n++
		}
	}
	return n
}

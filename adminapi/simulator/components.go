package simulator

import (
	_ "embed"
	"encoding/json"
	"slices"
)

// The states of a component.
const (
	working  = "working"
	stopped  = "stopped"  // answers nothing
	degraded = "degraded" // answers, but not well enough
	strained = "strained" // works, and somebody should look at it
)

//go:embed data/components.json
var componentData []byte

// component is one part of the platform, as its version manifests name it.
type component struct {
	Name     string `json:"name"`
	Image    string `json:"image"`
	Title    string `json:"title"`
	Type     string `json:"type"`
	Provider string `json:"provider"`
	Store    bool   `json:"store"`

	deploymentID string
	version      version // of the image that it runs
	state        string
	message      string // what is wrong with it, where the scenario says so
}

// componentCatalogue reads the embedded list afresh: callers change what they get.
func componentCatalogue() []*component {
	var list []*component
	if err := json.Unmarshal(componentData, &list); err != nil {
		panic("the embedded list of components is broken: " + err.Error())
	}
	return list
}

func newComponents(w *world) []*component {
	list, r := componentCatalogue(), w.random("deployments")
	for _, c := range list {
		c.deploymentID, c.state, c.version = shortID(r, 21), working, w.version
	}
	for _, said := range w.scenario.Components {
		if i := slices.IndexFunc(list, func(c *component) bool { return c.Name == said.Name }); i >= 0 {
			list[i].state, list[i].message = said.State, said.Message
		}
	}
	return list
}

func (w *world) component(name string) *component {
	i := slices.IndexFunc(w.components, func(c *component) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return w.components[i]
}

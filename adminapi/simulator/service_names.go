package simulator

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// defaultServices is how many services a world has.
const defaultServices = 40

// systemServices are those that every site has.
var systemServices = []service{
	{folder: "System", name: "PublishingTools", kind: "GPServer", description: "Publishes services."},
	{folder: "System", name: "CachingTools", kind: "GPServer", description: "Builds and deletes map caches."},
	{folder: "System", name: "SpatialAnalysisTools", kind: "GPServer", description: "Tools of spatial analysis."},
	{folder: "System", name: "SyncTools", kind: "GPSyncServer", description: "Short tools that answer at once."},
	{folder: "Utilities", name: "Geometry", kind: "GeometryServer", description: "Projects, buffers and cuts geometries."},
	{folder: "Utilities", name: "PrintingTools", kind: "GPServer", description: "Prints web maps."},
	{folder: "Utilities", name: "Symbols", kind: "GPServer", description: "Draws symbols."},
	{folder: "", name: "SampleWorldCities", kind: "MapServer", description: "Cities of the world, as a sample."},
}

var (
	themes   = []string{"Roads", "Rivers", "Parcels", "Land cover", "Elevation", "Addresses", "Water mains", "Power lines", "Zoning", "Trees", "Bus stops", "Soil", "Flood zones", "Buildings", "Trails", "Wells", "Noise", "Air quality", "Schools", "Districts"}
	places   = []string{"North", "South", "East", "West", "City", "County", "Coast", "Valley", "Harbour", "Uplands"}
	tools    = []string{"Buffer", "Viewshed", "Drive time", "Elevation profile", "Data extract", "Report", "Route planner", "Hot spots"}
	madeKind = []string{"MapServer", "FeatureServer", "MapServer", "FeatureServer", "TileServer", "GPServer"}
)

// newServices makes the system's services and as many others as are wanted.
func newServices(w *world) *services {
	s := &services{byPath: map[string]*service{}}
	r := w.random("services")
	for _, fixed := range systemServices {
		s.add(fixed, r, w)
	}
	total := cmp.Or(w.scenario.Services, defaultServices)
	for i := len(s.list); i < total; i++ {
		s.add(madeService(r, i, w.scenario.HostileText), r, w)
	}
	slices.SortFunc(s.list, func(a, b *service) int {
		return cmp.Or(cmp.Compare(a.folder, b.folder), cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind))
	})
	s.arrange(w.scenario.Editing)
	return s
}

// arrange makes the services that the scenario names what it says of them.
func (s *services) arrange(p ServicePlan) {
	for path, item := range s.byPath {
		item.stopped, item.broken = slices.Contains(p.Stopped, path), p.Broken[path]
		if text, said := p.Definitions[path]; said {
			item.definition = []byte(strings.TrimSpace(text))
		}
	}
}

// add gives a service its ids; those of one type share a deployment, except
// every fifth, which has one for itself.
func (s *services) add(item service, r *rand.Rand, w *world) {
	item.id, item.deploymentID = shortID(r, 21), shortID(r, 21)
	if r.IntN(5) > 0 {
		for _, c := range w.components {
			if c.Type == item.kind {
				item.deploymentID = c.deploymentID
				break
			}
		}
	}
	s.list = append(s.list, &item)
	s.byPath[item.path()] = &item
}

func madeService(r *rand.Rand, n int, attack bool) service {
	kind, place := madeKind[r.IntN(len(madeKind))], places[r.IntN(len(places))]
	subjects, of := themes, "%s of the %s district."
	if kind == "GPServer" {
		subjects, of = tools, "%s tool for the %s district."
	}
	subject := subjects[r.IntN(len(subjects))]
	item := service{
		name:        fmt.Sprintf("%s%s_%d", place, letters(subject), n),
		kind:        kind,
		description: fmt.Sprintf(of, subject, place),
	}
	if kind == "FeatureServer" || kind == "TileServer" {
		item.folder = "Hosted"
	}
	if attack {
		item.description = hostile(item.description, n)
		if n%4 == 0 {
			item.name += "\u202e\x1b[31m"
		}
	}
	return item
}

// letters drops what a service name does not hold.
func letters(text string) string {
	var b []rune
	for _, c := range text {
		if c != ' ' {
			b = append(b, c)
		}
	}
	return string(b)
}

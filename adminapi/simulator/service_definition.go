package simulator

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"math/rand/v2"
	"text/template"
)

//go:embed data/definitions.tmpl
var definitionText string

// definitions holds what the site says of services of every type.
var definitions = template.Must(template.New("").Funcs(template.FuncMap{"json": quoted}).Parse(definitionText))

// definitionFacts are what differs between the definitions of one type.
type definitionFacts struct {
	Name, Kind, Description, ID, Folder, Deployment string
	Short                                           string // the name without spaces, for paths
	Provider, Capabilities, Version                 string
	Least, Most, PerContainer                       int
	Hour, Records, Levels, Tuned                    int
	Shared, Cached, WMS, WFS, WCS, Hostile          bool
	Datasets                                        []bool
	Layers                                          []int // of the members that no client knows: what makes a definition long
}

var providers = map[string]string{
	"MapServer": "DMaps", "FeatureServer": "SDS", "TileServer": "Tiles",
	"GeometryServer": "ArcObjects11", "GPServer": "ArcObjects11", "GPSyncServer": "ArcObjects11",
}

var capabilities = map[string]string{
	"MapServer": "Map,Query,Data", "FeatureServer": "Query,Create,Update,Delete,Editing,Sync", "TileServer": "Map,TilesOnly",
	"GeometryServer": "", "GPServer": "Uploads", "GPSyncServer": "",
}

// linesPerLayer is how long a layer is where every member has a line.
const linesPerLayer = 24

// newDefinition makes a service's definition; the same service of the same
// seed always has the same.
func (w *world) newDefinition(s *service) ([]byte, error) {
	r := w.random("definition " + s.path())
	least := r.IntN(3)
	facts := definitionFacts{
		Name: s.name, Kind: s.kind, Description: s.description, ID: s.id, Folder: s.folder, Deployment: s.deploymentID,
		Short: letters(s.name), Provider: providers[s.kind], Capabilities: capabilities[s.kind], Version: w.version.short(),
		Least: least, Most: least + 1 + r.IntN(4), PerContainer: 1 + r.IntN(4),
		Hour: r.IntN(6), Records: 1000 * (1 + r.IntN(4)), Levels: 14 + r.IntN(8), Tuned: 1_700_000_000 + r.IntN(90_000_000),
		Shared: r.IntN(2) == 0, Cached: r.IntN(3) == 0, WMS: r.IntN(3) == 0, WFS: r.IntN(3) == 0, WCS: r.IntN(3) == 0,
		Hostile: w.scenario.HostileText, Datasets: coins(r, 1+r.IntN(3)),
	}
	if s.path() == sampleService {
		facts.Layers = make([]int, w.scenario.Editing.Lines/linesPerLayer)
		for i := range facts.Layers {
			facts.Layers[i] = 1000 * (1 + r.IntN(9))
		}
	}
	return facts.write()
}

func coins(r *rand.Rand, n int) []bool {
	list := make([]bool, n)
	for i := range list {
		list[i] = r.IntN(2) == 0
	}
	return list
}

// write fills the template in and takes its white space out; numbers and
// escapes stay as they are there.
func (f definitionFacts) write() ([]byte, error) {
	var long, short bytes.Buffer
	if err := definitions.ExecuteTemplate(&long, "definition", f); err != nil {
		return nil, err
	}
	err := json.Compact(&short, long.Bytes())
	return short.Bytes(), err
}

// quoted writes a text as JSON.
func quoted(text string) (string, error) {
	b, err := marshal(text, false)
	return string(bytes.TrimSpace(b)), err
}

package simulator

import (
	"bytes"
	"cmp"
	_ "embed"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"sigs.k8s.io/yaml"

	"geodeck/adminapi/internal/jsonx"
)

//go:embed data/definitions.yaml
var definitionData []byte

// definitionParts holds the texts that definitions of services of every type are made
// of. They are filled in by hand: text/template would keep the linker from leaving
// out unused methods, a quarter of the program.
var definitionParts = sync.OnceValue(func() map[string]string {
	var parts map[string]string
	if err := yaml.UnmarshalStrict(definitionData, &parts); err != nil {
		panic("the embedded definitions are broken: " + err.Error())
	}
	return parts
})

// definitionFacts are what differs between the definitions of one type.
type definitionFacts struct {
	Name, Kind, Description, ID, Folder, Deployment string
	Short                                           string // the name without spaces, for paths
	Provider, Capabilities, Version                 string
	Min, Max, PerContainer                          int
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
func (a *services) newDefinition(s *service) ([]byte, error) {
	r := a.world.random("definition " + s.path())
	least := r.IntN(3)
	facts := definitionFacts{
		Name: s.name, Kind: s.kind, Description: s.description, ID: s.id, Folder: s.folder, Deployment: s.deploymentID,
		Short: strings.ReplaceAll(s.name, " ", ""), Provider: providers[s.kind], Capabilities: capabilities[s.kind], Version: a.world.version.short(),
		Min: least, Max: least + 1 + r.IntN(4), PerContainer: 1 + r.IntN(4),
		Hour: r.IntN(6), Records: 1000 * (1 + r.IntN(4)), Levels: 14 + r.IntN(8), Tuned: 1_700_000_000 + r.IntN(90_000_000),
		Shared: r.IntN(2) == 0, Cached: r.IntN(3) == 0, WMS: r.IntN(3) == 0, WFS: r.IntN(3) == 0, WCS: r.IntN(3) == 0,
		Hostile: a.world.scenario.HostileText, Datasets: coins(r, 1+r.IntN(3)),
	}
	if s.path() == sampleService {
		facts.Layers = make([]int, a.world.scenario.Editing.Lines/linesPerLayer)
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

// write fills the parts in and takes their white space out; numbers and escapes stay
// as they are there.
func (f definitionFacts) write() ([]byte, error) {
	values := f.values()
	values["about"] = filled("about", values)
	values["properties"] = filled(f.propertiesPart(), values)
	values["extensions"] = f.extensions(values)
	values["datasets"] = f.datasets(values)
	values["layers"] = f.layers(values)
	if f.Hostile {
		values["hostile"] = filled("hostile", values)
	}
	text := jsontext.Value(filled("definition", values))
	err := text.Compact(asWritten)
	return text, err
}

// filled returns a part with values in the places that name them; a place without
// one stays empty.
func filled(part string, values map[string]string) string {
	return os.Expand(definitionParts()[part], func(name string) string { return values[name] })
}

// values are the facts as JSON, by the names of their places.
func (f definitionFacts) values() map[string]string {
	recycle := "24"
	if f.Folder == "Hosted" {
		recycle = "0"
	}
	short := quoted(f.Short)
	return map[string]string{
		"name": quoted(f.Name), "kind": quoted(f.Kind), "description": quoted(f.Description), "id": quoted(f.ID),
		"folder": quoted(f.Folder), "deployment": quoted(f.Deployment), "provider": quoted(f.Provider),
		"capabilities": quoted(f.Capabilities), "version": quoted(f.Version),
		"short": short[1 : len(short)-1], // within a text
		"least": strconv.Itoa(f.Min), "most": strconv.Itoa(f.Max), "perContainer": strconv.Itoa(f.PerContainer),
		"hour": strconv.Itoa(f.Hour), "records": strconv.Itoa(f.Records), "levels": strconv.Itoa(f.Levels), "tuned": strconv.Itoa(f.Tuned),
		"shared": strconv.FormatBool(f.Shared), "cached": strconv.FormatBool(f.Cached), "private": strconv.FormatBool(f.Folder == "System"),
		"wmsOn": strconv.FormatBool(f.WMS), "wfsOn": strconv.FormatBool(f.WFS), "wcsOn": strconv.FormatBool(f.WCS), "recycle": recycle,
	}
}

// propertiesPart names the part with the properties of the service's type.
func (f definitionFacts) propertiesPart() string {
	parts := map[string]string{
		"MapServer": "map", "FeatureServer": "feature", "TileServer": "tile", "GeometryServer": "geometry", "GPSyncServer": "syncTools",
	}
	return cmp.Or(parts[f.Kind], "tools")
}

func (f definitionFacts) extensions(values map[string]string) string {
	switch f.Kind {
	case "MapServer":
		return filled("wms", values) + "," + filled("wfs", values) + "," + filled("wcs", values)
	case "FeatureServer":
		return filled("wfs", values)
	}
	return ""
}

func (f definitionFacts) datasets(values map[string]string) string {
	if f.Kind != "MapServer" && f.Kind != "FeatureServer" {
		return ""
	}
	list := make([]string, len(f.Datasets))
	for i, reference := range f.Datasets {
		values["index"], values["reference"] = strconv.Itoa(i), strconv.FormatBool(reference)
		list[i] = filled("dataset", values)
	}
	return strings.Join(list, ",")
}

func (f definitionFacts) layers(values map[string]string) string {
	if len(f.Layers) == 0 {
		return ""
	}
	list := make([]string, len(f.Layers))
	for i, scale := range f.Layers {
		values["index"], values["layer"] = strconv.Itoa(i), quoted(f.Name+" layer "+strconv.Itoa(i))
		values["scale"] = strconv.Itoa(scale)
		list[i] = filled("layer", values)
	}
	values["list"] = strings.Join(list, ",")
	return filled("layers", values)
}

// quoted writes a text as JSON.
func quoted(text string) string {
	b, err := marshal(text, false)
	if err != nil {
		panic("a text that is no JSON: " + err.Error()) // texts always are
	}
	return string(bytes.TrimSpace(b))
}

// stored returns what the site stores of a definition: all of its bytes, unless
// the scenario says otherwise.
func (a *services) stored(s *service, text []byte) ([]byte, error) {
	switch a.world.scenario.Editing.Keeps {
	case keepsKnown:
		known, err := a.knownMembers(s)
		if err != nil {
			return nil, err
		}
		return rewrite(text, func(at jsontext.Pointer) (jsontext.Value, bool) { return nil, known[inAnyElement(at)] })
	case keepsRounded:
		out := jsontext.Value(bytes.Clone(text))
		err := out.Format(asWritten, jsontext.CanonicalizeRawInts(true), jsontext.CanonicalizeRawFloats(true))
		return out, err
	}
	return text, nil
}

// knownMembers are those of the definition that the site itself would write,
// and of the extensions of any type.
func (a *services) knownMembers(s *service) (map[string]bool, error) {
	known := map[string]bool{}
	for _, of := range []*service{s, {name: s.name, kind: "MapServer", folder: s.folder}} {
		text, err := a.newDefinition(of)
		if err != nil {
			return nil, err
		}
		_, err = rewrite(text, func(at jsontext.Pointer) (jsontext.Value, bool) {
			path := inAnyElement(at)
			if !strings.Contains(path, "/x-") && (of == s || strings.HasPrefix(path, "/extensions")) {
				known[path] = true
			}
			return nil, true
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

// inAnyElement writes a pointer with the places in lists left open.
func inAnyElement(at jsontext.Pointer) string {
	var path strings.Builder
	for token := range at.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			token = "*"
		}
		path.WriteString("/" + token)
	}
	return path.String()
}

// asWritten takes and leaves what is not forbidden: a name that is there twice,
// a lone surrogate, any form of a text.
var asWritten = json.JoinOptions(jsonx.AsWritten, jsontext.PreserveRawStrings(true))

// rewriter returns the value that takes the place of another, nil for the same one;
// false removes it.
type rewriter func(at jsontext.Pointer) (jsontext.Value, bool)

// rewrite writes a text anew, without white space, as the rewriter says. What stays is
// written as it was.
func rewrite(text []byte, c rewriter) ([]byte, error) {
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, asWritten)
	err := c.copy(enc, text, "")
	return bytes.TrimSpace(out.Bytes()), err
}

func (c rewriter) copy(out *jsontext.Encoder, v jsontext.Value, at jsontext.Pointer) error {
	dec := jsontext.NewDecoder(bytes.NewReader(v), asWritten)
	kind := dec.PeekKind()
	if kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		return out.WriteValue(v)
	}
	if err := copyToken(dec, out); err != nil {
		return err
	}
	for i := 0; dec.PeekKind() != jsontext.KindEndObject && dec.PeekKind() != jsontext.KindEndArray; i++ {
		var name jsontext.Value
		token := strconv.Itoa(i)
		if kind == jsontext.KindBeginObject {
			raw, err := dec.ReadValue()
			if err != nil {
				return err
			}
			plain, _ := jsontext.AppendUnquote(nil, raw) // a lone surrogate in it is still a name
			name, token = raw.Clone(), string(plain)
		}
		part, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if err := c.copyPart(out, name, part, at.AppendToken(token)); err != nil {
			return err
		}
	}
	return copyToken(dec, out)
}

// copyPart copies a member or an element, or what takes its place.
func (c rewriter) copyPart(out *jsontext.Encoder, name, v jsontext.Value, at jsontext.Pointer) error {
	other, stays := c(at)
	if !stays {
		return nil
	}
	if name != nil {
		if err := out.WriteValue(name); err != nil {
			return err
		}
	}
	if other != nil {
		return out.WriteValue(other)
	}
	return c.copy(out, v, at)
}

// copyToken copies the beginning or the end of an object or a list.
func copyToken(in *jsontext.Decoder, out *jsontext.Encoder) error {
	token, err := in.ReadToken()
	if err != nil {
		return err
	}
	return out.WriteToken(token)
}

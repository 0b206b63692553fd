package simulator

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/lists"
)

// definitionParts holds the texts that definitions of services are made of. They are
// filled in by hand: text/template would keep the linker from leaving out unused
// methods, a quarter of the program.
var definitionParts = embedded[map[string]string]("definitions.yaml")

// linesPerLayer is how long a layer is where every member has a line. Layers are
// members that no client knows: they make a definition long.
const linesPerLayer = 24

// newDefinition makes a service's definition; the same service of the same
// seed always has the same.
func (a *services) newDefinition(s *service) []byte {
	values, kind := a.definitionValues(s), serviceTypes()[s.kind]
	values["about"] = filled("about", values)
	values["properties"] = filled(kind.Properties, values)
	extensions := lists.Each(kind.Extensions, func(part string) string { return filled(part, values) })
	values["extensions"] = strings.Join(extensions, ",")
	if a.scenario.HostileText {
		values["hostile"] = filled("hostile", values)
	}
	text := jsontext.Value(filled("definition", values))
	if err := text.Compact(asWritten); err != nil {
		panic("the embedded parts make no definition: " + err.Error())
	}
	return text
}

// definitionValues returns the values of a definition as JSON, by the names of
// their places. The order of the draws is part of every world.
func (a *services) definitionValues(s *service) map[string]string {
	r := a.random("definition " + s.path())
	number, kind := strconv.Itoa, serviceTypes()[s.kind]
	oneIn := func(n int) string { return strconv.FormatBool(r.IntN(n) == 0) }
	short := quoted(strings.ReplaceAll(s.name, " ", ""))
	values := map[string]string{
		"name": quoted(s.name), "kind": quoted(s.kind), "description": quoted(s.description), "id": quoted(s.id),
		"folder": quoted(s.folder), "deployment": quoted(s.deploymentID), "provider": quoted(kind.Provider),
		"capabilities": quoted(kind.Capabilities), "version": quoted(a.version.short()),
		"short":   short[1 : len(short)-1], // within a text, for paths
		"private": strconv.FormatBool(s.folder == "System"), "recycle": "24",
	}
	if s.folder == "Hosted" {
		values["recycle"] = "0"
	}
	least := r.IntN(3)
	values["least"] = number(least)
	values["most"] = number(least + 1 + r.IntN(4))
	values["perContainer"] = number(1 + r.IntN(4))
	values["hour"] = number(r.IntN(6))
	values["records"] = number(1000 * (1 + r.IntN(4)))
	values["levels"] = number(14 + r.IntN(8))
	values["tuned"] = number(1_700_000_000 + r.IntN(90_000_000))
	values["shared"] = oneIn(2)
	for _, name := range []string{"cached", "wmsOn", "wfsOn", "wcsOn"} {
		values[name] = oneIn(3)
	}

	datasets := make([]string, 1+r.IntN(3))
	for i := range datasets {
		values["index"], values["reference"] = number(i), oneIn(2)
		datasets[i] = filled("dataset", values)
	}
	if s.kind == "MapServer" || s.kind == "FeatureServer" {
		values["datasets"] = strings.Join(datasets, ",")
	}
	if lines := a.scenario.Editing.Lines; s.path() == sampleService && lines >= linesPerLayer {
		layers := make([]string, lines/linesPerLayer)
		for i := range layers {
			values["index"], values["layer"] = number(i), quoted(s.name+" layer "+number(i))
			values["scale"] = number(1000 * (1 + r.IntN(9)))
			layers[i] = filled("layer", values)
		}
		values["list"] = strings.Join(layers, ",")
		values["layers"] = filled("layers", values)
	}
	return values
}

// filled returns a part with the values filled in; a place without one stays empty.
func filled(part string, values map[string]string) string {
	return os.Expand(definitionParts()[part], func(name string) string { return values[name] })
}

// quoted writes a text as JSON.
func quoted(text string) string {
	b, _ := marshal(text) // a text never fails
	return string(bytes.TrimSpace(b))
}

// stored returns what the site stores of a definition: all of its bytes, unless
// the scenario says otherwise.
func (a *services) stored(s *service, text []byte) ([]byte, error) {
	switch a.scenario.Editing.Keeps {
	case keepsKnown:
		known := a.knownMembers(s)
		return rewrite(text, func(at jsontext.Pointer) (jsontext.Value, bool) { return nil, known[inAnyElement(at)] })
	case keepsRounded:
		out := jsontext.Value(bytes.Clone(text))
		err := out.Format(asWritten, jsontext.CanonicalizeRawInts(true), jsontext.CanonicalizeRawFloats(true))
		return out, err
	}
	return text, nil
}

// knownMembers are the members of the definition that the site itself would write,
// and of the extensions of any type.
func (a *services) knownMembers(s *service) map[string]bool {
	known := map[string]bool{}
	for _, of := range []*service{s, {name: s.name, kind: "MapServer", folder: s.folder}} {
		_, _ = rewrite(a.newDefinition(of), func(at jsontext.Pointer) (jsontext.Value, bool) {
			path := inAnyElement(at)
			if !strings.Contains(path, "/x-") && (of == s || strings.HasPrefix(path, "/extensions")) {
				known[path] = true
			}
			return nil, true
		}) // a definition is JSON
	}
	return known
}

// inAnyElement writes a pointer with * for every index of a list.
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

// asWritten takes whatever JSON allows and changes none of it: duplicate names, lone
// surrogates, any form of a text.
var asWritten = json.JoinOptions(jsonx.AsWritten, jsontext.PreserveRawStrings(true))

// rewriter returns the value that replaces the one at a pointer, nil for the same one;
// false removes it.
type rewriter func(at jsontext.Pointer) (jsontext.Value, bool)

// rewrite writes a text as the rewriter says, without white space. What it does not
// replace stays as it was.
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
		here := at.AppendToken(token)
		other, stays := c(here)
		if !stays {
			continue
		}
		if name != nil {
			err = out.WriteValue(name)
		}
		switch {
		case err != nil:
		case other != nil:
			err = out.WriteValue(other)
		default:
			err = c.copy(out, part, here)
		}
		if err != nil {
			return err
		}
	}
	return copyToken(dec, out)
}

// copyToken copies the beginning or the end of an object or a list.
func copyToken(in *jsontext.Decoder, out *jsontext.Encoder) error {
	token, err := in.ReadToken()
	if err != nil {
		return err
	}
	return out.WriteToken(token)
}

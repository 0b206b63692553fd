package sites

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// namePattern is what a site may be called, as [CheckName] has it, in the schema.
const namePattern = `"pattern":"` + nameExpression + `","maxLength":60`

// Schema returns the JSON Schema of the file, for editors: it has the keys of the reader.
func Schema() []byte {
	properties := make([]string, len(siteKeys))
	for i, k := range siteKeys {
		properties[i] = member(k.name, described(k.doc, k.schema))
	}
	site := object(`"properties":{`+strings.Join(properties, ",")+`}`, `"required":["url"]`, `"additionalProperties":false`,
		`"dependentRequired":{"clientCert":["clientKey"],"clientKey":["clientCert"]}`)
	sites := `{"type":["object","null"],"propertyNames":{` + namePattern + `},"additionalProperties":` + site + `}`
	current := `{"type":["string","null"],` + namePattern + `}`
	schema := jsontext.Value(object(
		`"$schema":"https://json-schema.org/draft/2020-12/schema"`, `"title":"config.yaml of geodeck"`,
		`"properties":{`+member("current", described("The site that commands use when none is named.", current))+`,`+
			member("sites", described("The sites, by their names. No secret belongs here: the keyring keeps them.", sites))+`}`,
		`"additionalProperties":false`))
	if err := schema.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(err) // a schema in the table of keys is no JSON: a test reads it
	}
	return append(schema, '\n')
}

func object(members ...string) string {
	return `{"type":"object",` + strings.Join(members, ",") + `}`
}

func member(name, value string) string { return quoted(name) + ":" + value }

// described adds a description to a schema.
func described(doc, schema string) string {
	return `{"description":` + quoted(doc) + "," + strings.TrimPrefix(schema, "{")
}

func quoted(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text) // fails only for broken UTF-8, which it replaces
	return string(quoted)
}

// Package schema makes JSON Schemas of what commands print from their types, and checks printed JSON against them.
//
// Start at [Document] and [Schema.Check]; comments.go reads what the source says of types and fields.
package schema

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema is a JSON Schema, of draft 2020-12 as far as these types need it.
type Schema struct {
	Version     string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
	Type        any                `json:"type,omitempty"` // a name, or names; none takes any value
	Const       any                `json:"const,omitempty"`
	Format      string             `json:"format,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Values      *Schema            `json:"additionalProperties,omitempty"` // of a map
	Items       *Schema            `json:"items,omitempty"`
}

// Draft is the version of JSON Schema that these schemas are of.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Said is what the comment of a type says, or of a field of it.
type Said func(t reflect.Type, field string) string

// Document makes the schema of what a command prints: an object of one of these shapes, of which a slice is a
// list in items, or with lines an object for each of its items. Each has the head of objects of ours.
func Document(shapes []any, lines bool, said Said) *Schema {
	var all []*Schema
	for _, v := range shapes {
		t := reflect.TypeOf(v)
		isList := t.Kind() == reflect.Slice
		if isList {
			t = t.Elem()
		}
		s := Of(t, said)
		if isList && !lines {
			s = &Schema{Type: "object", Properties: map[string]*Schema{"items": {Type: "array", Items: s}}, Required: []string{"items"}}
		}
		s.addHead()
		for name, means := range map[string]string{"site": "Its name in config.yaml, empty where the address was given. Only where a site is asked.", "address": "Of the site."} {
			if s.Properties[name] == nil {
				s.Properties[name] = &Schema{Type: "string", Description: means}
			}
		}
		all = append(all, s)
	}
	if len(all) == 1 {
		return all[0]
	}
	return &Schema{AnyOf: all}
}

// Messages makes the schema of a line on the standard error: an object with one of these members.
func Messages(members map[string]any, said Said) *Schema {
	var all []*Schema
	for _, name := range slices.Sorted(maps.Keys(members)) {
		s := &Schema{Type: "object", Properties: map[string]*Schema{name: Of(reflect.TypeOf(members[name]), said)}, Required: []string{name}}
		s.addHead()
		all = append(all, s)
	}
	return &Schema{AnyOf: all}
}

// addHead adds what each object of ours begins with.
func (s *Schema) addHead() {
	s.Properties["schemaVersion"] = &Schema{Type: "integer", Const: 1, Description: "Members are only added within it."}
	s.Required = append([]string{"schemaVersion"}, s.Required...)
}

// Of makes the schema of a type, with what is said of its fields; nil for nothing.
// Members that are not in it may come with later versions.
func Of(t reflect.Type, said Said) *Schema {
	if t.Kind() == reflect.Pointer {
		s := Of(t.Elem(), said)
		if s.Type != nil { // else null is taken, too
			s.Type = []string{fmt.Sprint(s.Type), "null"}
		}
		return s
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &Schema{Type: "string", Format: "date-time"}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return &Schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.String:
		return &Schema{Type: "string"}
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &Schema{Type: "integer"}
	case reflect.Float32, reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.Map:
		return &Schema{Type: "object", Values: Of(t.Elem(), said)}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // JSON of the site
			return &Schema{}
		}
		return &Schema{Type: "array", Items: Of(t.Elem(), said)}
	case reflect.Struct:
		s := &Schema{Type: "object", Properties: map[string]*Schema{}}
		if said != nil {
			s.Description = said(t, "")
		}
		s.fields(t, said)
		slices.Sort(s.Required)
		return s
	}
	return &Schema{}
}

// fields adds the fields of a struct, those of embedded ones as their own.
func (s *Schema) fields(t reflect.Type, said Said) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "" || strings.Contains(options, "embed"):
			if f.Type.Kind() == reflect.Struct {
				s.fields(f.Type, said)
			}
			continue
		case name == "":
			name = f.Name
		}
		of := Of(f.Type, said)
		if said != nil {
			of.Description = cmp.Or(said(t, f.Name), of.Description)
		}
		s.Properties[name] = of
		if !strings.Contains(options, "omit") && !slices.Contains(s.Required, name) { // once, also where one hides another
			s.Required = append(s.Required, name)
		}
	}
}

// Check says what of a JSON text is not as the schema says, a line each; none where all is. A member that the
// schema does not have is told too.
func (s *Schema) Check(text []byte) []string {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return []string{"no JSON: " + err.Error()}
	}
	return s.check("", value)
}

func (s *Schema) check(at string, value any) (wrong []string) {
	for i, one := range s.AnyOf { // by the one that allows most
		if not := one.check(at, value); i == 0 || len(not) < len(wrong) {
			wrong = not
		}
	}
	if s.AnyOf != nil {
		return wrong
	}
	if is := kindOf(value); !s.takes(is) {
		return []string{fmt.Sprintf("%s is %s, want %v", at, is, s.Type)}
	}
	switch v := value.(type) {
	case string:
		if then, err := time.Parse(time.RFC3339, v); s.Format == "date-time" && (err != nil || !strings.HasSuffix(v, "Z") || then != then.Truncate(time.Millisecond)) {
			wrong = append(wrong, fmt.Sprintf("%s is %q, no time in UTC of milliseconds at most", at, v))
		}
	case []any:
		for i, element := range v {
			if s.Items != nil {
				wrong = append(wrong, s.Items.check(fmt.Sprintf("%s[%d]", at, i), element)...)
			}
		}
	case map[string]any:
		wrong = append(wrong, s.members(at, v)...)
	}
	return wrong
}

func (s *Schema) members(at string, object map[string]any) (wrong []string) {
	if s.Type == nil {
		return nil
	}
	for _, name := range s.Required {
		if _, has := object[name]; !has {
			wrong = append(wrong, at+"."+name+" is missing")
		}
	}
	for name, value := range object {
		of := s.Properties[name]
		if of == nil {
			of = s.Values
		}
		if of == nil {
			wrong = append(wrong, at+"."+name+" is not in the schema")
			continue
		}
		wrong = append(wrong, of.check(at+"."+name, value)...)
	}
	slices.Sort(wrong)
	return wrong
}

// takes reports whether a value of a kind is allowed.
func (s *Schema) takes(kind string) bool {
	switch want := s.Type.(type) {
	case string:
		return kind == want || kind == "integer" && want == "number"
	case []string:
		return slices.Contains(want, kind) || kind == "integer" && slices.Contains(want, "number")
	}
	return true
}

func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

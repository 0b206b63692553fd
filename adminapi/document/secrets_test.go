package document_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/document"
)

func TestSecretsAreMaskedAndEveryOtherByteStays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"password" : "pw1", "n":1.0}`:                         `{"password" : "[secret]", "n":1.0}`,
		`{"passwords":["a",{"b":2,"on":true}],"pin":3}`:         `{"passwords":["[secret]",{"b":"[secret]","on":true}],"pin":3}`,
		`{"accessToken":"", "token":null}`:                      `{"accessToken":"", "token":null}`,
		`{"tokenUrl":"https://x/y","authorizationType":"b"}`:    `{"tokenUrl":"https://x/y","authorizationType":"b"}`,
		`{"c":"SERVER=db;Password=hunter2;USER=gis"}`:           `{"c":"SERVER=db;Password=[secret];USER=gis"}`,
		`{"u":"jdbc:pg://gis:hunter2@db/x"}`:                    `{"u":"jdbc:pg://gis:[secret]@db/x"}`,
		`{"h":"Bearer abcdefghij0123456789"}`:                   `{"h":"Bearer [secret]"}`,
		`{"inner":" {\"secretKey\":\"k1\",\"n\":1}"}`:           `{"inner":"{\"secretKey\":\"[secret]\",\"n\":1}"}`,
		`[{"name":"dbPassword","value":"pw1","type":"string"}]`: `[{"name":"dbPassword","value":"[secret]","type":"string"}]`,
		`{"description":"Cities: of the world\u002e","n":1e2}`:  `{"description":"Cities: of the world\u002e","n":1e2}`,
	} {
		d, err := document.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Masked(); got != want {
			t.Errorf("%s is shown as\n%s, not\n%s", text, got, want)
		}
	}
}

func TestAChangedSecretIsAChangeWithoutEitherValue(t *testing.T) {
	t.Parallel()
	parse := func(text string) *document.Document {
		d, err := document.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	before := parse(`{"properties":{"password":"pw-one","accessToken":"tok-one","n":1,"list":[{"secret":"s-one"}]}}`)
	after := parse(`{"properties":{"password":"pw-two","accessToken":"tok\u002done","n":2,"list":[{"secret":"s-two"}],"apiKey":"k-two"}}`)
	changes := document.Diff(before, after)
	review := document.Review{Changes: changes, Risks: document.Risks(changes, after)}
	text := review.Text(nil)
	for _, secret := range []string{"one", "two"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q stands in\n%s", secret, text)
		}
	}
	const want = "changed  properties.password\n  - \"[secret]\"\n  + \"[secret]\"\n"
	if !strings.Contains(text, want) || !strings.Contains(text, "properties.n\n  - 1\n  + 2") {
		t.Errorf("the review is\n%s", text)
	}
	if !slices.ContainsFunc(changes, func(c document.Change) bool { return c.New == `"pw-two"` }) {
		t.Error("the changes themselves are masked: they could not be made elsewhere")
	}
}

func TestTheValueBesideTheNameOfASecretIsMaskedInChangesAndConflicts(t *testing.T) {
	t.Parallel()
	version := func(value string) *document.Document {
		d, err := document.Parse([]byte(`{"store":{"name":"dbPassword","value":` + value + `},"other":{"name":"colour","value":"red"}}`))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	base, mine, theirs := version(`"first"`), version(`"second"`), version(`{"deep":"third"}`)
	changes := document.Diff(base, mine)
	if got := document.Masked(changes)[0]; len(changes) != 1 || got.Old != `"[secret]"` || got.New != `"[secret]"` || changes[0].New != `"second"` {
		t.Errorf("%+v is shown as %+v", changes, got)
	}
	plainly := document.Masked(document.Diff(parse(t, `{"other":{"name":"colour","value":"red"}}`), parse(t, `{"other":{"name":"colour","value":"blue"}}`)))
	if len(plainly) != 1 || plainly[0].New != `"blue"` {
		t.Errorf("what is no secret is shown as %+v", plainly)
	}
	_, conflicts := document.Merge(base, mine, theirs, nil)
	if len(conflicts) != 1 || conflicts[0].Shown(conflicts[0].Mine) != `"[secret]"` || conflicts[0].Shown(conflicts[0].Theirs) != `{"deep":"[secret]"}` {
		t.Errorf("conflicts %+v", conflicts)
	}
	_, conflicts = document.Merge(base, parse(t, `{"store":{"name":"dbPassword"},"other":{"name":"colour","value":"red"}}`), theirs, nil)
	if len(conflicts) != 1 || conflicts[0].Shown(conflicts[0].Base) != `"[secret]"` || conflicts[0].Shown(conflicts[0].Theirs) != `{"deep":"[secret]"}` {
		t.Errorf("conflicts with a removal: %+v", conflicts)
	}
	named := func(name, value string) *document.Document {
		return parse(t, `{"store":{"name":"`+name+`","value":"`+value+`"}}`)
	}
	for whose, of := range map[string][3]*document.Document{
		"base":   {named("dbPassword", "hush"), named("colour", "blue"), named("size", "large")},
		"mine":   {named("colour", "red"), named("dbPassword", "hush"), named("colour", "green")},
		"theirs": {named("colour", "red"), named("colour", "blue"), named("dbPassword", "hush")},
	} {
		_, conflicts := document.Merge(of[0], of[1], of[2], nil)
		if len(conflicts) == 0 {
			t.Errorf("%s: no conflict", whose)
		}
		for _, c := range conflicts {
			if shown := c.Shown(c.Base) + c.Shown(c.Mine) + c.Shown(c.Theirs); strings.Contains(shown, "hush") {
				t.Errorf("a secret of %s is shown at %s: %s", whose, c.Path, shown)
			}
		}
	}
}

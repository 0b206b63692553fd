package secrets_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/secrets"
)

// Each value with what is left of it as JSON, and as settings of an upgrade.
func TestJSONIsMaskedByItsNames(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][2]string{
		` {"password" : "a", "n":1.0} `:       {` {"password" : "[secret]", "n":1.0} `, `{"password":"[secret]","n":1.0}`},
		`{"accessToken":"","token":null}`:     {`{"accessToken":"","token":null}`, `{"accessToken":"","token":null}`},
		`{"tokenUrl":"https://x","code":"a"}`: {`{"tokenUrl":"https://x","code":"a"}`, `{"tokenUrl":"[secret]","code":"a"}`},
		`{"cookie":"a","password":true}`:      {`{"cookie":"[secret]","password":true}`, `{"cookie":"a","password":"[secret]"}`},
		`{"keys":{"api key":["a",{"b":2,"on":true,"c":{}}]}}`: {
			`{"keys":{"api key":["[secret]",{"b":"[secret]","on":true,"c":{}}]}}`, `{"keys":{"api key":"[secret]"}}`,
		},
		// What an object names may come after the value.
		`[{"value":"a","id":"dbPassword","n":"b"}]`:            {`[{"value":"[secret]","id":"dbPassword","n":"b"}]`, `[{"value":"[secret]","id":"dbPassword","n":"b"}]`},
		`{"type":"Password","defaultValue":{"a":["b",false]}}`: {`{"type":"Password","defaultValue":{"a":["[secret]",false]}}`, `{"type":"Password","defaultValue":"[secret]"}`},
		`{"name":"colour","value":{"name":"pwd","value":"a"}}`: {`{"name":"colour","value":{"name":"pwd","value":"[secret]"}}`, `{"name":"colour","value":{"name":"pwd","value":"[secret]"}}`},
		`{"id":"dbPassword","value":"a","name":"Database"}`:    {`{"id":"dbPassword","value":"[secret]","name":"Database"}`, `{"id":"dbPassword","value":"[secret]","name":"Database"}`},
		`{"label":"Password","value":"a"}`:                     {`{"label":"Password","value":"a"}`, `{"label":"Password","value":"a"}`},
		`{"type":["token"],"value":"a"}`:                       {`{"type":["token"],"value":"a"}`, `{"type":["token"],"value":"a"}`},
		`{"name":7,"value":"a"}`:                               {`{"name":7,"value":"a"}`, `{"name":7,"value":"a"}`},
		// Texts may hold secrets, and JSON.
		`{"c":"SERVER=a;Password=b;USER=c"}`:         {`{"c":"SERVER=a;Password=[secret];USER=c"}`, `{"c":"SERVER=a;Password=[secret];USER=c"}`},
		`["{\"n\":1,\"in\":\"{\\\"pwd\\\":1}\"}"]`:   {`["{\"n\":1,\"in\":\"{\\\"pwd\\\":\\\"[secret]\\\"}\"}"]`, `["{\"n\":1,\"in\":\"{\\\"pwd\\\":\\\"[secret]\\\"}\"}"]`},
		`{"a":"x\u002e","a":"\ud83d\ude00","n":1e2}`: {`{"a":"x\u002e","a":"\ud83d\ude00","n":1e2}`, `{"a":"x\u002e","a":"\ud83d\ude00","n":1e2}`},
		`"token=a"`: {`"token=[secret]"`, `"token=[secret]"`},
		// What is no JSON, or several values, or too deep.
		``: {`"[secret]"`, `"[secret]"`}, `{"a":1}{}`: {`"[secret]"`, `"[secret]"`}, `{"password":"a"`: {`"[secret]"`, `"[secret]"`}, `{"a":1]`: {`"[secret]"`, `"[secret]"`},
		strings.Repeat("[", 200) + strings.Repeat("]", 200): {strings.Repeat("[", 200) + strings.Repeat("]", 200), strings.Repeat("[", 200) + strings.Repeat("]", 200)},
		strings.Repeat("[", 201) + strings.Repeat("]", 201): {`"[secret]"`, `"[secret]"`},
	} {
		got, ok := new(secrets.ByName).JSON([]byte(value), false)
		if settings, _ := secrets.Settings([]byte(value)); string(got) != want[0] || string(settings) != want[1] {
			t.Errorf("%s\nbecame   %s\nwant     %s\nsettings %s\nwant     %s", value, got, want[0], settings, want[1])
		}
		if ok == (want[0] == `"[secret]"`) {
			t.Errorf("%s is JSON: %v", value, ok)
		}
	}
	if got, _ := new(secrets.ByName).JSON([]byte(`{"a":[1,"",null,true]}`), true); string(got) != `{"a":["[secret]","",null,true]}` {
		t.Errorf("below the name of a secret: %s", got)
	}
	if got, _ := (&secrets.ByName{Kept: true}).JSON([]byte(`{"tokenUrl":"a"}`), false); string(got) != `{"tokenUrl":"[secret]"}` {
		t.Errorf("what is kept: %s", got)
	}
}

func TestSecretsOfSettingsAreCollected(t *testing.T) {
	t.Parallel()
	_, found := secrets.Settings([]byte(`{"id":"storePassword","value":{"a":["one",{"n":2}],"on":true},"other":"pwd=three","token":"four"}`))
	if want := []secrets.Secret{"one", "2", "three", "four"}; !slices.Equal(found, want) {
		t.Errorf("%d secrets", len(found))
		for _, secret := range found {
			t.Logf("%s", secret.Reveal())
		}
	}
}

func FuzzJSONByName(f *testing.F) {
	for _, text := range []string{`{"password":["a",{"b":1}],"x":"token=c"}`, `[{"value":"a","name":"pwd"},"\ud800"]`, "{\"a\":\"\xff\"}", `{"value":{"value":1,"id":"token"},"type":"secret"}`, `"{\"sas\":1}"`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		before := bytes.Clone(value)
		masked, ok := new(secrets.ByName).JSON(value, false)
		if !bytes.Equal(value, before) {
			t.Fatal("the value was changed")
		}
		settings, _ := secrets.Settings(value)
		if json.Valid(value) && ok && (!json.Valid(masked) || !json.Valid(settings)) {
			t.Fatalf("%s became %s and %s", value, masked, settings)
		}
		if again, _ := new(secrets.ByName).JSON(masked, false); ok && !bytes.Equal(again, masked) {
			t.Fatalf("%s became %s, and that %s", value, masked, again)
		}
	})
}

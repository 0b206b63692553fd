package editing_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

func TestSettingsGiveAPlaceItsValueWhateverItWas(t *testing.T) {
	t.Parallel()
	const before = `{"count":10,"text":"5","on":true,"extensions":[{"typeName":"WMS","x":1}],"a=b":1,"object":{}}`
	for setting, want := range map[string]string{ // what is there instead, or the error
		"count=20":                  `"count":20,`,
		"count=1E2":                 `"count":1E2,`,
		"count=many":                `"count":"many",`,
		"text=6":                    `"text":"6"`,
		"text=true":                 `"text":"true"`,
		`text="7"`:                  `"text":"7"`,
		"text=":                     `"text":""`,
		`text=say "a=b"`:            `"text":"say \"a=b\""`,
		"on=false":                  `"on":false`,
		"object.fresh=null":         `"object":{"fresh":null}`,
		`object={"a":[1]}`:          `"object":{"a":[1]}`,
		"extensions[WMS].x=2":       `{"typeName":"WMS","x":2}`,
		"extensions[0].y=2":         `{"typeName":"WMS","x":1,"y":2}`,
		"count.below=1":             "it has no count.below",
		"nosuch.below=1":            "it has no nosuch.below",
		"extensions[9]=1":           "it has no extensions[9]",
		"object[0]=1":               "it has no object[0]",
		"object[WMS]=1":             "it has no object[WMS]",
		"count":                     `"count" is not PATH=VALUE`,
		"=1":                        `"=1" is not PATH=VALUE`,
		"extensions[=1":             "",
		"-count":                    `{"text"`,
		"-extensions[WMS].x":        `"extensions":[{"typeName":"WMS"}]`,
		"-nosuch":                   before,
		"object.fresh=\U0001F5FA é": "\"fresh\":\"\U0001F5FA é\"",
	} {
		var made editing.Setting
		var err error
		if name, removes := strings.CutPrefix(setting, "-"); removes {
			made = editing.Setting{Path: document.Path(name), Remove: true}
		} else {
			made, err = editing.ParseSetting(setting)
		}
		got := ""
		if err == nil {
			var d *document.Document
			if d, err = editing.WithSettings(operationtest.Parsed(t, before), []editing.Setting{made}); err == nil {
				got = d.Text()
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || want == "" && err == nil {
			t.Errorf("%s makes\n%s\nnot\n%s", setting, got, want)
		}
	}
}

package upgrade_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
)

// settings are m settings of all kinds.
func settings(m int) []string {
	var inputs []string
	for i := range m {
		kind := []string{"Boolean", "File", "volumesConfig"}[i%3]
		inputs = append(inputs, fmt.Sprintf(`{"seqNum":%d,"id":"s%d","name":"setting %d","type":%q,"value":"","required":false}`, i, i, i, kind))
	}
	return inputs
}

// offering is a site that offers n patches, and asks for settings.
func offering(t testing.TB, n int, inputs ...string) operation.Site {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("p%d", i)
	}
	return offeringIDs(t, ids, inputs...)
}

// offeringIDs is offering of patches with these ids.
func offeringIDs(t testing.TB, ids []string, inputs ...string) operation.Site {
	t.Helper()
	var patches []string
	for i, id := range ids {
		patches = append(patches, fmt.Sprintf(`{"id":%q,"type":"patch","name":"patch %d","version":"11.5.0","previousVersion":"11.5.0",`+
			`"build":%d,"previousBuild":%d,"releaseBuild":1,"containers":[{"name":"PORTAL_APPS","image":"apps:%d","checksum":"N/A"}]}`, id, i, i+2, i+1, i+2))
	}
	answers := map[string]string{
		"upgrades":           `{"status":{"state":"no_upgrade","code":0,"messages":[]}}`,
		"admin":              `{"currentVersion":11.5,"fullVersion":"11.5.0.1"}`,
		"currentVersion":     `{"version":"11.5.0","build":1,"releaseBuild":1,"type":"release","id":"r"}`,
		"available":          `{"patches":[` + strings.Join(patches, ",") + `],"releases":[]}`,
		"getUpgradeSettings": `{"userInputs":[` + strings.Join(inputs, ",") + `]}`,
		"mode":               `{"isReadOnly":false,"mode":"EDIT"}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if answer, ok := answers[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]; ok {
			_, _ = w.Write([]byte(answer))
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	clock := simtest.NewSteppedClock(uitest.Start)
	client, err := adminapi.New(adminapi.Config{Base: server.URL + "/ctx/admin", Token: adminapi.Token{Value: "t"}, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Root(context.Background()); err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: clock}
}

// BenchmarkPickerFrame is a key and the frame after it, with 5,000 offers.
func BenchmarkPickerFrame(b *testing.B) {
	for _, size := range uitest.Sizes {
		b.Run(size.Name, func(b *testing.B) {
			s := open(b, offering(b, 5000), size.Width, size.Height)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%5000 == 4999 {
					s.Do("rows.top", "")
				}
				s.Do("rows.down", "")
				_ = s.View()
			}
		})
	}
}

// BenchmarkPickerDetail is a frame with the detail of another offer.
func BenchmarkPickerDetail(b *testing.B) {
	s := open(b, offering(b, 5000), 200, 55)
	s.Press("enter")
	for b.Loop() {
		s.Do("upgrade.next-pane", "")
		s.Do("rows.down", "")
		s.Do("upgrade.next-pane", "")
		_ = s.View()
	}
}

// BenchmarkSettingsKey is a key in a form of 30 settings, and its frame.
func BenchmarkSettingsKey(b *testing.B) {
	s := open(b, offering(b, 1, settings(30)...), 120, 35)
	s.toSettings(false)
	s.Press("enter") // onto a line of text
	for i := 0; b.Loop(); i++ {
		key := uitest.Key("x")
		if i%2 == 1 {
			key = uitest.Key("backspace")
		}
		_ = s.Update(key)
		_ = s.View()
	}
}

package simulator_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator/simtest"
)

// The updates that the healthy site offers.
const (
	patch6805 = "pat_12082025_6805"
	patch6815 = "pat_11092025_6815"
	patch6835 = "pat_04122025_6835"
	release12 = "rel_11122025_7286"
	release11 = "rel_09082022_2068"
)

// form is a multipart body as it is put together.
type form struct {
	t      *testing.T
	body   bytes.Buffer
	writer *multipart.Writer
}

func newForm(t *testing.T, fields ...string) *form {
	t.Helper()
	f := &form{t: t}
	f.writer = multipart.NewWriter(&f.body)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := f.writer.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f *form) file(part, name string, content []byte) *form {
	f.t.Helper()
	w, err := f.writer.CreateFormFile(part, name)
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		f.t.Fatal(err)
	}
	return f
}

// request makes a request of the form, as the spec's example sends it.
func (s *site) request(path string, f *form) *http.Request {
	s.t.Helper()
	if err := f.writer.WriteField("f", "pjson"); err != nil {
		s.t.Fatal(err)
	}
	if err := f.writer.Close(); err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.server.URL()+path, &f.body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", f.writer.FormDataContentType())
	s.authorize(r)
	return r
}

func (s *site) postForm(path string, f *form) reply {
	s.t.Helper()
	return s.do(s.request(path, f))
}

func named(id string) string { return `{"id":"` + id + `"}` }

// upgradeTo posts an upgrade of the new style with an empty manifest file.
func (s *site) upgradeTo(id, settings string) reply {
	s.t.Helper()
	f := newForm(s.t, "versionManifest", named(id), "upgradeSettings", settings)
	return s.postForm("/system/upgrades/upgrade", f.file("versionManifestFile", "", nil))
}

func (s *site) settings(id string) string {
	s.t.Helper()
	return s.post("/system/upgrades/getUpgradeSettings", "upgradeId", named(id)).body
}

// filled puts the id of an upload into the settings of an upgrade.
func (s *site) filled(id, upload string) string {
	s.t.Helper()
	var settings map[string][]map[string]any
	if err := json.Unmarshal([]byte(s.settings(id)), &settings); err != nil {
		s.t.Fatal(err)
	}
	for _, input := range settings["userInputs"] {
		if input["id"] == "licenseUpload" {
			input["value"] = upload
		}
	}
	text, err := json.Marshal(settings)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *site) upload(name string, content []byte) reply {
	s.t.Helper()
	return s.postForm("/uploads/upload", newForm(s.t, "description", "for the upgrade").file("itemFile", name, content))
}

func (s *site) uploadedLicence(version string) string {
	s.t.Helper()
	return s.upload("licence.json", simtest.Licence(version)).text("item.itemID")
}

// licensed is the settings of an upgrade with an uploaded licence for a version.
func (s *site) licensed(id, version string) string {
	s.t.Helper()
	return s.filled(id, s.uploadedLicence(version))
}

// upgrade starts an upgrade and returns its log at its end.
func (s *site) upgrade(id, settings string) []message {
	s.t.Helper()
	started(s.t, s.upgradeTo(id, settings))
	return s.finish()
}

// message is one message of an upgrade's log.
type message struct {
	Code    int
	Message string
	When    int64
}

func (s *site) log() (state string, messages []message) {
	s.t.Helper()
	got := s.get("/system/upgrades")
	var body struct {
		Status struct {
			State    string
			Messages []message
		}
	}
	if err := json.Unmarshal([]byte(got.body), &body); err != nil {
		s.t.Fatal(err)
	}
	return body.Status.State, body.Status.Messages
}

// state reads the state of the upgrade, which follows its messages: a log of
// megabytes takes long to decode.
func (s *site) state() string {
	s.t.Helper()
	body := s.get("/system/upgrades").body
	_, state, found := strings.Cut(body[strings.LastIndex(body, `,"state":"`)+1:], `:"`)
	if !found {
		s.t.Fatalf("no state in %.300s", body)
	}
	return strings.TrimSuffix(state, "\"}}\n")
}

// finish moves the clock past the end of the upgrade and returns its log.
func (s *site) finish() []message {
	s.t.Helper()
	s.clock.Advance(12 * time.Hour)
	state, messages := s.log()
	if state == "in_progress" {
		s.t.Fatal("the upgrade does not end")
	}
	return messages
}

// fullLog is the whole log of the upgrade of a scenario, from a world of the same
// seed without outages and with every message shown.
func fullLog(t *testing.T, name string) []message {
	t.Helper()
	sc := builtIn(t, name)
	sc.Faults, sc.Events, sc.Upgrades.Deliveries, sc.Upgrades.States = nil, nil, nil, nil
	return start(t, sc, "admin").finish()
}

// first is when a message of a code was recorded.
func first(t *testing.T, messages []message, code int) time.Time {
	t.Helper()
	i := slices.IndexFunc(messages, func(m message) bool { return m.Code == code })
	if i < 0 {
		t.Fatalf("no message of code %d", code)
	}
	return at(messages[i])
}

func at(m message) time.Time { return time.UnixMilli(m.When) }

func codes(messages []message) map[int]int {
	seen := map[int]int{}
	for _, m := range messages {
		seen[m.Code]++
	}
	return seen
}

func started(t *testing.T, got reply) {
	t.Helper()
	code := int64(2010)
	if strings.Contains(got.body, `"Starting the rollback process from `) {
		code = 2072
	}
	if !strings.Contains(got.body, `"in_progress"`) || got.number("status.code") != 1 || got.length("status.messages") != 1 || got.number("status.messages.0.code") != code {
		t.Fatalf("not started: %.500s", got.body)
	}
}

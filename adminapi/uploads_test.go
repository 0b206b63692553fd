package adminapi_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"geodeck/adminapi"
)

func TestAFileIsUploadedAndItsIDFound(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]string{
		recorded(t, "uploads_upload_SIBLING_server_admin"):  "if4582d33-f10a-41fe-85bc-cf2e2880c46e",
		`{"success":true,"item":{"itemID":"i 1","date":1}}`: "i 1",
		`{"itemID":"i2","committed":true}`:                  "i2",
		`{"success":true}`:                                  "",
		`{"item":""}`:                                       "",
		`{"item":{"itemID":".."}}`:                          "",
		`{"item":null,"itemID":"a\u0000"}`:                  "",
		``:                                                  "",
	} {
		var got []wirePart
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.String() != "/ctx/admin/uploads/upload" {
				t.Errorf("%s", r.URL)
			}
			got = wireParts(t, r)
			says(200, reply)(w, r)
		})
		file := adminapi.Part{Name: "other", FileName: "l.json", Content: []byte(`{"a":1}`), Secret: true}
		id, outcome, err := s.client(t).Uploads.Send(t.Context(), file, "a licence", nil)
		if id != want || (outcome == adminapi.OutcomeDone) != (want != "") || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, %v", reply, id, outcome, err)
		}
		if want == "" && outcome != adminapi.OutcomeUnknown {
			t.Errorf("%s: %v", reply, outcome)
		}
		check(t, "parts", got, []wirePart{
			{`form-data; name="itemFile"; filename="l.json"`, "application/json", `{"a":1}`},
			{`form-data; name="description"`, "", "a licence"},
			{`form-data; name="f"`, "", "json"},
			{`form-data; name="token"`, "", canary},
		}, nil)
	}
}

func TestAnUploadThatIsRefusedSaysWhy(t *testing.T) {
	t.Parallel()
	c := serve(t, says(200, `{"error":{"code":400,"message":"Files of this kind are not accepted.","details":["allowed: sd, kmz"]}}`)).client(t)
	_, outcome, err := c.Uploads.Send(t.Context(), aFile, "", nil)
	e := wantKind(t, err, adminapi.KindInvalid)
	check(t, "outcome", outcome, adminapi.OutcomeRefused, nil)
	if !strings.Contains(e.Error(), "upload the file") || !strings.Contains(e.Error(), "allowed: sd, kmz") {
		t.Error(e)
	}
}

func TestAnUploadedFileIsDeleted(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]adminapi.Outcome{
		`{"status":"success"}`: adminapi.OutcomeDone, `{"success":true}`: adminapi.OutcomeDone, `{}`: adminapi.OutcomeUnknown,
		`{"error":{"code":404,"message":"no such item"}}`: adminapi.OutcomeRefused,
	} {
		s := answering(t, map[string]string{"/ctx/admin/uploads/i 1/delete": reply})
		if outcome, err := s.client(t).Uploads.Delete(t.Context(), "i 1"); outcome != want {
			t.Errorf("%s: %v, %v", reply, outcome, err)
		}
	}
}

func TestAManifestIsImported(t *testing.T) {
	t.Parallel()
	var got []wirePart
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/ctx/admin/system/upgrades/importManifest" {
			t.Errorf("%s", r.URL)
		}
		got = wireParts(t, r)
		says(200, `{"status":"success"}`)(w, r)
	})
	outcome, err := s.client(t).Upgrades.ImportManifest(t.Context(), adminapi.Part{FileName: "m.dat", Content: []byte("\x00\xff")})
	check(t, "outcome", outcome, adminapi.OutcomeDone, err)
	check(t, "parts", got[0], wirePart{`form-data; name="manifestFile"; filename="m.dat"`, "application/octet-stream", "\x00\xff"}, nil)
}

// A bar that is drawn from progress grows, reaches its end and never moves after
// the upload has returned.
func TestProgressOfAnUpload(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		says(200, `{"item":"i"}`)(w, r)
	})
	file := adminapi.Part{FileName: "a.kmz", Content: bytes.Repeat([]byte("x"), 3<<20)}
	var seen []int64
	var total int64
	id, _, err := s.client(t).Uploads.Send(t.Context(), file, "", func(sent, all int64) { seen, total = append(seen, sent), all })
	check(t, "id", id, "i", err)
	if len(seen) < 10 || seen[len(seen)-1] != total || total < 3<<20 || total > 3<<20+2000 {
		t.Errorf("%d reports, total %d", len(seen), total)
	}
	for i := range seen[1:] {
		if seen[i+1] <= seen[i] {
			t.Fatalf("%d after %d", seen[i+1], seen[i])
		}
	}
}

// trickle is a line that takes one piece of a body every so often and gives up
// after some of them.
func trickle(piece int, every time.Duration, most int) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		buffer := make([]byte, piece)
		for range most {
			select {
			case <-r.Context().Done():
				return nil, r.Context().Err()
			case <-time.After(every):
			}
			if _, err := io.ReadFull(r.Body, buffer); err != nil {
				return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: 12,
					Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"item":"i"}`))}, nil
			}
		}
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
}

// A bad line may take half an hour for a file: that is no reason to give up. One
// that takes nothing any more is.
func TestAnUploadHasTimeWhileItMakesProgress(t *testing.T) {
	t.Parallel()
	file := adminapi.Part{FileName: "a.kmz", Content: make([]byte, 1<<20)}
	cases := []struct {
		name     string
		line     roundTripper
		outcome  adminapi.Outcome
		min, max time.Duration
	}{
		{"slow", trickle(8<<10, 20*time.Second, 1000), adminapi.OutcomeDone, 40 * time.Minute, time.Hour},
		{"nothing at all", trickle(1, time.Hour, 1), adminapi.OutcomeUnknown, 30 * time.Second, 30 * time.Second},
		{"stuck after 200 KiB", trickle(8<<10, time.Second, 25), adminapi.OutcomeUnknown, 65 * time.Second, 65 * time.Second},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				client := newClient(t, "https://gis.example", func(cfg *adminapi.Config) { cfg.Transport = c.line })
				_, outcome, err := client.Uploads.Send(t.Context(), file, "", nil)
				took := time.Since(start)
				if outcome != c.outcome || took < c.min || took > c.max {
					t.Errorf("%v after %v: %v", outcome, took, err)
				}
				if outcome != adminapi.OutcomeDone && !errors.Is(err, adminapi.KindUnreachable) {
					t.Error(err)
				}
			})
		})
	}
}

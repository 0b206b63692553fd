package adminapi_test

import (
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi"
)

func TestVersionsCompareAsNumbers(t *testing.T) {
	t.Parallel()
	rising := []string{"10.9", "10.9.1", "11.0", "11.2", "11.2.0.1", "11.5.0.6745", "11.5.0.6805", "11.10", "12.0.0.7286"}
	for i, a := range rising {
		for j, b := range rising {
			v, okA := adminapi.ParseVersion(a)
			w, okB := adminapi.ParseVersion(b)
			if !okA || !okB || v.AtLeast(w) != (i >= j) {
				t.Errorf("%s at least %s: %v", a, b, v.AtLeast(w))
			}
		}
	}
	for _, text := range []string{"11.2", "10.9.1", "11.5.0.6745"} {
		if v, _ := adminapi.ParseVersion(text); v.String() != text {
			t.Errorf("%s became %s", text, v)
		}
	}
	for _, text := range []string{"", "v11", "latest", ".5"} {
		if v, ok := adminapi.ParseVersion(text); ok {
			t.Errorf("%q is %v", text, v)
		}
	}
	if v, ok := adminapi.ParseVersion(" 11.4.0-beta.9 "); !ok || v != (adminapi.Version{11, 4}) {
		t.Errorf("got %v, %v", v, ok)
	}
}

// healthless is a site that has a root and nothing of health checks.
func healthless(t *testing.T, root string, requests *[]string) *site {
	return serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
		*requests = append(*requests, r.Method+" "+r.URL.Path)
		if r.URL.Path == "/ctx/admin" {
			says(200, root)(w, r)
			return
		}
		says(404, `{"error":{"code":404,"message":"no such resource"}}`)(w, r)
	})
}

func TestASiteThatIsTooOldSaysSo(t *testing.T) {
	t.Parallel()
	const old = `{"currentVersion":10.9.1,"fullVersion":"11.1.0.4000"}`
	t.Run("known before", func(t *testing.T) {
		var requests []string
		c := healthless(t, old, &requests).client(t)
		if _, err := c.Root(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, outcome, err := c.Health.Start(t.Context(), aRun)
		e := wantKind(t, err, adminapi.KindVersionTooOld)
		if !strings.Contains(e.Error(), "11.1.0.4000") || !strings.Contains(e.Error(), "11.2") {
			t.Error(e)
		}
		check(t, "outcome", outcome, adminapi.OutcomeNotSent, nil)
		_, err = c.Health.Suites(t.Context())
		wantKind(t, err, adminapi.KindVersionTooOld)
		check(t, "requests", requests, []string{"GET /ctx/admin"}, nil)
	})
	t.Run("an import of a manifest", func(t *testing.T) {
		var requests []string
		c := healthless(t, `{"fullVersion":"10.9.0.505"}`, &requests).client(t)
		_, err := c.Root(t.Context())
		outcome, refused := c.Upgrades.ImportManifest(t.Context(), adminapi.Part{FileName: "m.dat", Content: []byte("{}")})
		wantKind(t, refused, adminapi.KindVersionTooOld)
		check(t, "outcome", outcome, adminapi.OutcomeNotSent, err)
	})
	t.Run("found out by the missing resource, once", func(t *testing.T) {
		var requests []string
		c := healthless(t, old, &requests).client(t)
		for range 2 {
			_, err := c.Health.Report(t.Context(), "a")
			wantKind(t, err, adminapi.KindVersionTooOld)
		}
		check(t, "requests", requests, []string{"GET /ctx/admin/healthCheck/reports/a", "GET /ctx/admin"}, nil)
	})
	t.Run("found out by a deletion that is refused", func(t *testing.T) {
		var requests []string
		c := healthless(t, old, &requests).client(t)
		outcome, err := c.Health.Delete(t.Context(), "a")
		wantKind(t, err, adminapi.KindVersionTooOld)
		check(t, "outcome", outcome, adminapi.OutcomeRefused, nil)
		check(t, "requests", requests, []string{"POST /ctx/admin/healthCheck/reports/a/delete", "GET /ctx/admin"}, nil)
	})
	t.Run("found out before a run is sent", func(t *testing.T) {
		var requests []string
		c := healthless(t, old, &requests).client(t)
		_, outcome, err := c.Health.Start(t.Context(), aRun)
		wantKind(t, err, adminapi.KindVersionTooOld)
		check(t, "outcome", outcome, adminapi.OutcomeNotSent, nil)
		check(t, "requests", requests, []string{"GET /ctx/admin"}, nil)
	})
	t.Run("a report that is missing on a new site is not found", func(t *testing.T) {
		var requests []string
		c := healthless(t, `{"fullVersion":"11.2"}`, &requests).client(t)
		_, err := c.Health.Report(t.Context(), "a")
		wantKind(t, err, adminapi.KindNotFound)
	})
	t.Run("a version that cannot be read decides nothing", func(t *testing.T) {
		var requests []string
		c := healthless(t, `{"fullVersion":"unknown"}`, &requests).client(t)
		_, err := c.Health.Report(t.Context(), "a")
		wantKind(t, err, adminapi.KindNotFound)
	})
}

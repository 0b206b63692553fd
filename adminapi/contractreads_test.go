package adminapi_test

import (
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi"
)

// Where the status of upgrades is an operation, a read is one POST from the second on.
func TestASiteThatReadsByPOSTAloneIsAskedByPOST(t *testing.T) {
	t.Parallel()
	for _, refusal := range []int{http.StatusMethodNotAllowed, http.StatusNotFound} {
		var methods []string
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			methods = append(methods, r.Method)
			if r.Method == http.MethodGet {
				http.Error(w, "no", refusal)
				return
			}
			says(http.StatusOK, `{"status":{"state":"no_upgrade","code":0,"messages":[]}}`)(w, r)
		})
		c := s.client(t)
		for range 3 {
			_, err := c.Upgrades.Status(t.Context())
			check(t, "status", err, nil, nil)
		}
		check(t, "methods", strings.Join(methods, " "), "GET POST POST POST", nil)
	}
}

// What was read by POST once is read by GET again where the site, or what stands in front of it, takes no POST any more.
func TestASiteThatRefusesPOSTLaterIsReadByGETAgain(t *testing.T) {
	t.Parallel()
	refused := http.MethodGet
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == refused {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		says(http.StatusOK, `{"jobs":[]}`)(w, r)
	})
	c := s.client(t)
	for _, refused = range []string{http.MethodGet, http.MethodPost, http.MethodPost} {
		_, err := c.Jobs.IDs(t.Context())
		check(t, "jobs, "+refused+" refused", err, nil, nil)
	}
}

// Shapes of the vendor's manifest of 11.1, cut short.
func TestAnOlderManifestIsReadWhole(t *testing.T) {
	t.Parallel()
	m, err := adminapi.DecodeManifest([]byte(`{"versions":[
		{"newLicensesRequired":true,"type":"release","version":"11.2.0","build":"5207","id":"rel_07122023_5207",
		 "userForm":[{"groupId":"hiddenGroup","groupInputs":[{"seqNum":0,"id":"updateToLatestPatch","type":"Boolean","value":true}],"groupSeqNum":0},
			{"groupId":"licenseUpload","groupInputs":[{"seqNum":1,"id":"licenseUpload","type":"File","value":"","required":true}],"groupSeqNum":1}],
		 "containers":[{"image":"apps:11.2.0.5207","name":"PORTAL_APPS","checksum":"N/A"}],
		 "newContainers":[{"image":"geocode-runtime-server:11.2.0.5207","name":"GEOCODE_RUNTIME_SERVER","checksum":"N/A"}]},
		{"type":"patch","version":"11.2.0","build":"5500","id":"pat_06022024_5500","containers":[{"image":"help:11.2.0.5500","name":"HELP","checksum":"N/A"}]}
	],"signature":"s"}`))
	release, patch := m.Releases[0], m.Patches[0]
	check(t, "containers", []any{len(release.Containers), release.Containers[1].Name}, []any{2, "GEOCODE_RUNTIME_SERVER"}, err)
	check(t, "licences", []bool{release.NeedsLicence(), patch.NeedsLicence(), patch.NewLicensesRequired == nil}, []bool{true, false, true}, nil)
	settings, err := release.Settings()
	check(t, "settings", []any{len(settings.Inputs), settings.Inputs[1].ID, settings.OfFile, strings.HasPrefix(string(settings.Raw), `{"userInputs":[{"seqNum":0,`)},
		[]any{2, "licenseUpload", true, true}, err)
	settings, err = patch.Settings()
	check(t, "none", []any{len(settings.Inputs), string(settings.Raw)}, []any{0, "{}"}, err)
	release.UserForm = []byte(`{"a":1}`)
	_, err = release.Settings()
	check(t, "malformed", err != nil, true, nil)
}

// The vendor's manifest of 12.1 names no settings, a licence all the same, and the versions of Kubernetes.
func TestTheNewestManifestIsReadWhole(t *testing.T) {
	t.Parallel()
	m, err := adminapi.DecodeManifest([]byte(`{"versions":[{"newLicensesRequired":true,"minKubernetesVersion":"1.33","maxKubernetesVersion":"1.35",
		"type":"release","version":"12.1.0","build":"8325","previousVersion":"12.0.0","previousReleaseBuild":"7286","id":"rel_25062026_8325","released":1782370800000,
		"containers":[{"image":"arcobjects-server:12.1.0.8325","name":"MAP_SERVER","checksum":"N/A"},{"image":"arcobjects-server:12.1.0.8325","name":"GP_SERVER","checksum":"N/A"}]
	}],"signature":"s"}`))
	check(t, "lists", []any{len(m.Releases), len(m.Patches)}, []any{1, 0}, err)
	release := m.Releases[0]
	check(t, "release", []any{release.FullVersion(), release.PreviousReleaseBuild, len(release.Containers), release.NeedsLicence()},
		[]any{"12.1.0.8325", "7286", 2, true}, nil)
	check(t, "kubernetes", strings.Contains(string(release.Unknown), `"maxKubernetesVersion":"1.35"`), true, nil)
	settings, err := release.Settings()
	check(t, "settings", []any{len(settings.Inputs), string(settings.Raw), settings.OfFile}, []any{0, "{}", true}, err)
}

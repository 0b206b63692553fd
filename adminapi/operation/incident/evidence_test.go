package incident_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade/progress"
)

// The checksums are those that the common program checks, of all other files, and come last.
func TestEveryZipEndsWithChecksumsThatSha256sumAccepts(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "upgraded")
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", "")
	if err != nil {
		t.Fatal(err)
	}
	files, names := operationtest.Unpacked(t, evidence), evidence.Files()
	last := len(names) - 1
	if names[last] != "SHA256SUMS" || len(files) != len(names) || strings.Count(files["SHA256SUMS"], "\n") != last || last < 3 {
		t.Fatalf("%q with the checksums\n%s", names, files["SHA256SUMS"])
	}
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func() (string, error) {
		cmd := exec.Command("sha256sum", "--strict", "-c", "SHA256SUMS")
		cmd.Dir = folder
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	if said, err := check(); err != nil || strings.Count(said, ": OK\n") != last {
		t.Errorf("sha256sum says\n%s, %v", said, err)
	}
	if err := os.WriteFile(filepath.Join(folder, names[0]), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := check(); err == nil {
		t.Errorf("of a changed file sha256sum says\n%s", said)
	}
}

// The release is also the upgrade of the new style that is watched to its end.
func TestTheEvidenceOfARunThatWasStartedAndWatchedHereIsWhole(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	end := operationtest.Follow(t, p, watching.NewWatch(p.Site, p.Start(t, operationtest.ReleaseID)))
	if end.Meaning != progress.StateSucceeded || end.Log.Len() < 10 {
		t.Errorf("ended as %v with %d messages", end.Meaning, end.Log.Len())
	}
	p.WantSent(t, "POST upgrade", 1)
	_ = p.Clock.Sleep(t.Context(), 10*time.Minute) // the check after it takes a while
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", end.Transcript)
	if err != nil || len(evidence.Absent) > 0 {
		t.Fatalf("absent %q, %v", evidence.Absent, err)
	}
	if head, _, _ := strings.Cut(operationtest.Unpacked(t, evidence)["summary.md"], "## "); !strings.Contains(head, "Site: ") || !strings.Contains(head, "Version: 12.0.0.7286") || !strings.Contains(head, "Next      Nothing needs to be done.") {
		t.Errorf("the summary begins without site, version and next step:\n%s", head)
	}
	if !strings.HasPrefix(evidence.Name, "geodeck-evidence-12.0.0.7286-20") {
		t.Errorf("name %q", evidence.Name)
	}
	files := operationtest.Unpacked(t, evidence)
	for name, want := range map[string]string{
		"summary.md":             "12.0.0.7286",
		"messages.jsonl":         `"code":2010`,
		"transcript.jsonl":       `2010`,
		"request.json":           `"name": "versionManifest"`,
		"health-before.json":     `"before-update-11.5.0.6745"`, // made for this run, after its first message
		"health-after.md":        "#",
		"health-comparison.json": `"differences"`,
		"containers.csv":         "component,image,checksum,state",
		"progress.json":          `"state": "succeeded"`,
		"SHA256SUMS":             "summary.md",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s does not hold %q:\n%.500s", name, want, files[name])
		}
	}
	if n := strings.Count(files["messages.jsonl"], "\n"); n != end.Progress.Messages {
		t.Errorf("%d of %d messages", n, end.Progress.Messages)
	}
	for name, content := range files {
		if strings.Contains(content, "geodeck simulator") || strings.Contains(content, p.Client.Session.Token().Value.Reveal()) {
			t.Errorf("%s holds a licence or a token", name)
		}
		if sum := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(content)), name); name != "SHA256SUMS" && !strings.Contains(files["SHA256SUMS"], sum) {
			t.Errorf("the checksum of %s is missing or wrong", name)
		}
	}
}

func TestTheEvidenceHasASafeFileNameWhateverVersionTheSiteNames(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"11." + strings.Repeat("1", 300), "11" + strings.Repeat(".1", 200), "../../11.6", "CON"} {
		p := operationtest.WithJournal(t, "healthy")
		p.ReportsStatus(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2010,"message":"from 11.5 to %s","when":%d}]}`, version, p.Clock.Now().UnixMilli()))
		evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1).Transcript)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^geodeck-evidence-[a-z0-9.]{1,100}-[0-9TZ]+\.zip$`).MatchString(evidence.Name) {
			t.Errorf("%.20q: %q", version, evidence.Name)
		}
	}
}

func TestTheEvidenceSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "upgraded")
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", "")
	if err != nil {
		t.Fatal(err)
	}
	files := operationtest.Unpacked(t, evidence)
	if len(evidence.Absent) < 2 || files["messages.jsonl"] == "" {
		t.Errorf("absent %q, messages %.100q", evidence.Absent, files["messages.jsonl"])
	}
	for _, absent := range evidence.Absent {
		if !strings.Contains(files["summary.md"], absent) {
			t.Errorf("the summary does not say: %s", absent)
		}
	}
}

// The site runs its old version still, and goes on offering the one that failed.
func TestTheEvidenceOfAFailedReleaseOfSomebodyElseHasTheContainersThatTheSiteOffers(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "running-release-fails")
	_ = p.Clock.Sleep(t.Context(), 6*time.Hour)
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "harbour", "")
	if err != nil {
		t.Fatal(err)
	}
	files := operationtest.Unpacked(t, evidence)
	handed := []string{"    Site: harbour, http://", "    Version: 11.5.0.6745\n", "    Exported: 2026-11-21 04:00:00 UTC by admin of the site, ", "    Health since before the run: not known\n",
		"    Next      Check the pods of the relational store", "    Do not    lift read-only mode by hand", "    Run       kubectl -n NAMESPACE get pods\n", "          kubectl -n NAMESPACE get events"}
	for _, want := range handed {
		if !strings.Contains(files["summary.md"], want) {
			t.Errorf("the summary does not say %q:\n%s", want, files["summary.md"])
		}
	}
	if !strings.Contains(files["progress.json"], `"state": "failed"`) || strings.Count(files["containers.csv"], ",sha256:") < 2 {
		t.Errorf("of the run\n%s\nabsent %q, containers\n%.300s", files["progress.json"], evidence.Absent, files["containers.csv"])
	}
}

// The newest transcript is all there is of a site that cannot be reached.
func TestTheEvidenceOfASiteThatCannotBeReachedIsTheNewestTranscript(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	seen := operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 40)
	for name, broken := range map[string]func(w http.ResponseWriter, r *http.Request, pass func()){
		"no answer": func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) },
		"answers with a web page": func(w http.ResponseWriter, _ *http.Request, _ func()) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html>bad gateway</html>")
		},
	} {
		p.Intercept(broken)
		before := p.Sent("GET upgrades")
		evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", "")
		if err != nil || evidence.Transcript != seen.Transcript || p.Sent("GET query") != 0 || p.Sent("GET upgrades") == before {
			t.Fatalf("%s: the transcript %s, want %s; %v", name, evidence.Transcript, seen.Transcript, err)
		}
		files := operationtest.Unpacked(t, evidence)
		if n := strings.Count(files["messages.jsonl"], "\n"); n != seen.Progress.Messages || files["request.json"] == "" {
			t.Errorf("%d of %d messages; the request: %.100s", n, seen.Progress.Messages, files["request.json"])
		}
		for _, want := range []string{
			"What the site reports now: unreachable (" + name + "). The run is that of the transcript " + seen.Transcript + ", last seen 2026-11-20T22:",
			"The health before and after the run: not fetched.", "by this machine's clock",
		} {
			if !strings.Contains(files["summary.md"], want) {
				t.Errorf("the summary does not say: %s\n%s", want, files["summary.md"])
			}
		}
	}
	p.Memory.Journal = nil
	if _, err := incident.GatherEvidence(t.Context(), p.Site, "", ""); !adminapi.IsTransient(err) {
		t.Errorf("without a transcript: %v", err)
	}
}

func TestWhereNoUpgradeRanThereIsNoEvidence(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	if _, err := incident.GatherEvidence(t.Context(), p.Site, "", ""); err == nil || !strings.Contains(err.Error(), "no upgrade") {
		t.Errorf("error %v", err)
	}
}

func TestALicenceIsInNoFileOfTheEvidence(t *testing.T) {
	t.Parallel()
	if !bytes.Contains(simtest.Licence("12.0"), []byte("geodeck simulator")) {
		t.Error("licences do not hold the word that the tests above look for")
	}
}

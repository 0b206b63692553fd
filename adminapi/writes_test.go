package adminapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi"
)

// writers returns every method of the client that returns an outcome: those of
// today and those that come later.
func writers(t *testing.T, c *adminapi.Client) map[string]func(t *testing.T) (adminapi.Outcome, error) {
	t.Helper()
	outcomeType := reflect.TypeFor[adminapi.Outcome]()
	found := map[string]func(t *testing.T) (adminapi.Outcome, error){}
	v := reflect.ValueOf(c)
	for i := range v.NumMethod() {
		method := v.Method(i)
		at := -1
		for j := range method.Type().NumOut() {
			if method.Type().Out(j) == outcomeType {
				at = j
			}
		}
		if at < 0 {
			continue
		}
		name := v.Type().Method(i).Name
		with := func(more ...reflect.Value) func(t *testing.T) (adminapi.Outcome, error) {
			return func(t *testing.T) (adminapi.Outcome, error) {
				in := append([]reflect.Value{reflect.ValueOf(t.Context())}, more...)
				if more == nil {
					in = arguments(t, method.Type())
				}
				out := method.Call(in)
				err, _ := out[len(out)-1].Interface().(error)
				return out[at].Interface().(adminapi.Outcome), err
			}
		}
		if method.Type().In(1) != reflect.TypeFor[adminapi.Call]() {
			found[name] = with()
			continue
		}
		for of, call := range serviceCalls() {
			found[name+" "+of] = with(reflect.ValueOf(call))
		}
	}
	return found
}

// serviceCalls are the changes of a service.
func serviceCalls() map[string]adminapi.Call {
	of, text := adminapi.ServiceRef{Name: "a", Type: "MapServer"}, jsontext.Value(`{"serviceName":"a","type":"MapServer","placementPolicy":[]}`)
	return map[string]adminapi.Call{
		"EditService": adminapi.EditService(of, text, false), "EditServicePlacement": adminapi.EditServicePlacement(of, text),
		"StartService": adminapi.SwitchService(of, true, false), "StopService": adminapi.SwitchService(of, false, false),
	}
}

// arguments returns a context and plausible values for what follows it.
func arguments(t *testing.T, f reflect.Type) []reflect.Value {
	in := []reflect.Value{reflect.ValueOf(t.Context())}
	for i := 1; i < f.NumIn(); i++ {
		p := f.In(i)
		if f.IsVariadic() && i == f.NumIn()-1 {
			p = p.Elem()
		}
		v := reflect.New(p).Elem()
		switch p {
		case reflect.TypeFor[string]():
			v.SetString("a")
		case reflect.TypeFor[adminapi.HealthRun]():
			v.Set(reflect.ValueOf(aRun))
		case reflect.TypeFor[adminapi.Part]():
			v.Set(reflect.ValueOf(aFile))
		case reflect.TypeFor[[]adminapi.Part]():
			v.Set(reflect.ValueOf(anUpgrade))
		}
		in = append(in, v)
	}
	return in
}

func TestAReadOnlyClientRefusesEveryWrite(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s %s arrived", r.Method, r.URL) })
	all := writers(t, s.client(t, func(c *adminapi.Config) { c.ReadOnly = true }))
	if len(all) < 4 {
		t.Fatalf("only %d writes were found", len(all))
	}
	for name, write := range all {
		outcome, err := write(t)
		if !errors.Is(err, adminapi.KindReadOnly) || outcome != adminapi.OutcomeNotSent {
			t.Errorf("%s: %v, %v", name, outcome, err)
		}
	}
}

func TestALockedClientRefusesEveryWriteUntilItIsUnlocked(t *testing.T) {
	t.Parallel()
	var arrived atomic.Int32
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			arrived.Add(1)
		}
		says(200, `{"status":"success"}`)(w, r)
	})
	c := s.client(t, func(c *adminapi.Config) { c.Locked = true })
	refuses := func(c *adminapi.Client, kind adminapi.Kind) {
		t.Helper()
		for name, write := range writers(t, c) {
			outcome, err := write(t)
			if !errors.Is(err, kind) || outcome != adminapi.OutcomeNotSent || !strings.Contains(err.Error(), "nothing was sent") {
				t.Errorf("%s: %v, %v", name, outcome, err)
			}
		}
		if err := c.Writable(); !errors.Is(err, kind) || !strings.HasPrefix(err.Error(), "cannot change the site: ") || arrived.Load() > 0 {
			t.Errorf("%v; %d writes arrived", c.Writable(), arrived.Load())
		}
	}
	refuses(c, adminapi.KindLocked)
	c.Unlock()
	if c.Locked() || !c.Unlocked() || c.Writable() != nil {
		t.Error(c.Locked(), c.Unlocked(), c.Writable())
	}
	c.Lock()
	refuses(c, adminapi.KindLocked)
	c.Unlock()
	all := writers(t, c)
	for name, write := range all {
		if _, err := write(t); errors.Is(err, adminapi.KindLocked) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if sent := int(arrived.Load()); sent < len(all) {
		t.Errorf("%d of %d writes arrived once it was unlocked", sent, len(all))
	}
	arrived.Store(0)
	readOnly := s.client(t, func(c *adminapi.Config) { c.Locked, c.ReadOnly = true, true })
	readOnly.Unlock()
	refuses(readOnly, adminapi.KindReadOnly)
	free := s.client(t)
	free.Lock()
	if free.Locked() || free.Unlocked() || free.Writable() != nil {
		t.Error("a client that was never locked:", free.Locked(), free.Unlocked(), free.Writable())
	}
}

// notebook is an observer that notes the order of things.
type notebook struct {
	mu    sync.Mutex
	lines []string
	seen  []adminapi.Write
	stop  error
}

func (n *notebook) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) BeforeWrite(w adminapi.Write) error {
	n.note("before %d", w.ID)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen = append(n.seen, w)
	return n.stop
}

func (n *notebook) AfterWrite(w adminapi.Write, o adminapi.Outcome, err error) {
	n.note("after %d: %v, %v", w.ID, o, err != nil)
}

func TestAnObserverSeesEveryWriteBeforeAndAfter(t *testing.T) {
	t.Parallel()
	n := &notebook{}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n.note("%s %s", r.Method, r.URL.Path)
		if strings.HasSuffix(r.URL.Path, "run") {
			says(200, `{"jobid":"j","status":"SUBMITTED"}`)(w, r)
			return
		}
		says(200, recorded(t, "error_403_portal"))(w, r)
	})
	c := s.client(t, func(c *adminapi.Config) { c.Observer = n })
	_, _, _ = c.Health.Start(t.Context(), aRun)
	_, _ = c.Health.Delete(t.Context(), "a", "b")
	_, _ = c.Jobs.IDs(t.Context())
	n.stop = errors.New("disk full")
	_, outcome, err := c.Health.Start(t.Context(), aRun)
	if e := wantKind(t, err, adminapi.KindNotRecorded); !strings.Contains(e.Error(), "disk full") || !strings.Contains(e.Error(), "nothing was sent") || !errors.Is(err, n.stop) {
		t.Error(e)
	}
	check(t, "outcome", outcome, adminapi.OutcomeNotSent, nil)
	check(t, "order", n.lines, []string{
		"before 1", "POST /ctx/admin/healthCheck/run", "after 1: done, false",
		"before 2", "POST /ctx/admin/healthCheck/reports/delete", "after 2: refused, true",
		"GET /ctx/admin/jobs",
		"before 3", "after 3: not sent, true",
	}, nil)
	want := adminapi.Write{
		ID: 1, Kind: adminapi.WriteHealthRun, Operation: "run a health check", Path: "/ctx/admin/healthCheck/run",
		Fields: map[string][]string{"suiteIds": {"BSHC-001"}, "runName": {"nightly"}, "async": {"true"}},
		Sent:   time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Server: n.seen[0].Server, // by this machine's clock
		Target: adminapi.TargetHealthRun("nightly"),
	}
	if diff := cmp.Diff(want, n.seen[0]); diff != "" {
		t.Errorf("the first write (-want +got):\n%s", diff)
	}
}

func TestEveryWriteIsObserved(t *testing.T) {
	t.Parallel()
	n := &notebook{}
	s := serve(t, says(200, `{"success":true,"jobid":"j","status":"SUBMITTED"}`))
	for name, write := range writers(t, s.client(t, func(c *adminapi.Config) { c.Observer = n })) {
		before := len(n.lines)
		if outcome, err := write(t); outcome == adminapi.OutcomeNotSent {
			t.Fatalf("%s: %v, %v", name, outcome, err)
		}
		if len(n.lines) != before+2 {
			t.Errorf("%s was not seen before and after", name)
		}
	}
}

func TestAWriteEndsLaterUnlessItsAnswerIsTheEnd(t *testing.T) {
	t.Parallel()
	for kind, later := range map[adminapi.WriteKind]bool{
		adminapi.WriteHealthRun: true, adminapi.WriteDefinition: true, adminapi.WriteRules: true, adminapi.WriteStart: true, adminapi.WriteStop: true,
		adminapi.WriteUpgrade: true, adminapi.WriteRollback: true, "of a later version": true,
		adminapi.WriteReportDeletion: false, adminapi.WriteManifest: false, adminapi.WriteUpload: false, adminapi.WriteUploadDeletion: false,
	} {
		check(t, string(kind), kind.EndsLater(), later, nil)
	}
	check(t, "a job", []bool{adminapi.Accepted{JobID: "j"}.Finished(), adminapi.Accepted{}.Finished()}, []bool{false, true}, nil)
	for want, of := range map[string][2]string{"gis-maps k1": {"gis-maps", "k1"}, "k1": {"k1", "k1"}, "k2": {"", "k2"}, "gis": {"gis", ""}} {
		check(t, "a deployment", adminapi.DeploymentName(of[0], of[1]), want, nil)
	}
}

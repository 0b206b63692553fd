package operation_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
)

// What to try is said of the error that is there: advice for another one sends people the wrong way.
func TestTheAdviceOnAnUploadThatFailedFitsItsReason(t *testing.T) {
	t.Parallel()
	upload := func(e adminapi.Error) error { return &operation.UploadError{Name: "l.json", Licence: true, Err: &e} }
	for name, c := range map[string]struct {
		err  error
		says string // how it begins; empty for no advice
	}{
		"not completed":                   {&operation.UploadError{Name: "l.json"}, "The upgrade was not sent. Trying again seldom helps"},
		"the file is refused":             {upload(adminapi.Error{Kind: adminapi.KindInvalid, Status: 200, Explicit: true}), "The upgrade was not sent. The site refuses this file"},
		"a read-only site":                {upload(adminapi.Error{Kind: adminapi.KindReadOnly, Status: 200, Explicit: true}), "A read-only site takes no files"},
		"a read-only site, by its status": {upload(adminapi.Error{Kind: adminapi.KindReadOnly, Status: 403}), "A read-only site takes no files"},
		"geodeck itself is read-only":     {upload(adminapi.Error{Kind: adminapi.KindReadOnly}), ""},
		"another error of the site":       {upload(adminapi.Error{Kind: adminapi.KindServer, Status: 200, Explicit: true}), ""},
		"a read-only site, and no upload": {&adminapi.Error{Kind: adminapi.KindReadOnly, Status: 200, Explicit: true}, ""},
		"an error that is none of a site": {errors.New("no"), ""},
	} {
		if got := operation.Advice(c.err); !strings.HasPrefix(got, c.says) || c.says == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Another address is advised only where there is none of a platform at this one.
func TestOnlyAnEntranceThatIsMissingIsNoPlatform(t *testing.T) {
	t.Parallel()
	missing := func(path string, code int) error {
		return &adminapi.Error{Kind: adminapi.KindNotFound, Status: 404, Code: code, Path: path, Explicit: code != 0}
	}
	for name, c := range map[string]struct {
		err error
		no  bool
	}{
		"no error of a site":      {errors.New("no"), false},
		"no root":                 {missing("/x/admin", 404), true},
		"no services":             {missing("/x/admin/services", 404), true},
		"no tokens":               {missing("/x/admin/generateToken", 404), true},
		"no service":              {missing("/x/admin/services/A.MapServer", 404), false},
		"nothing of a platform":   {missing("/x/admin/mode", 0), true},
		"half a page of no entry": {&adminapi.Error{Kind: adminapi.KindNotFound, Status: 404, Path: "/x/admin", Err: io.ErrUnexpectedEOF}, false},
		"half an answer":          {&adminapi.Error{Kind: adminapi.KindNotJSON, Status: 200, Path: "/x/admin", Err: io.ErrUnexpectedEOF}, false},
		"a page at the root":      {&adminapi.Error{Kind: adminapi.KindNotJSON, Status: 200, Path: "/x/admin"}, true},
		"words at a resource":     {&adminapi.Error{Kind: adminapi.KindNotJSON, Status: 200, Path: "/x/admin/mode"}, false},
	} {
		if got := operation.NoPlatform(c.err); got != c.no {
			t.Errorf("%s: %v", name, got)
		}
		if said := operation.Advice(c.err); strings.Contains(said, "The administrative root is usually") != c.no {
			t.Errorf("%s: %q", name, said)
		}
	}
	if said := operation.Advice(&adminapi.Error{Kind: adminapi.KindNotFound, Status: 404}); strings.Contains(said, "answers at") {
		t.Errorf("without an address: %q", said)
	}
}

type fixedRand uint64

func (r fixedRand) Uint64() uint64 { return uint64(r) }

// Over a slow line all that is polled is polled half as often, pods too.
func TestPodsArePolledHalfAsOftenOverASlowLine(t *testing.T) {
	t.Parallel()
	wait := func(slow bool) time.Duration {
		p := operationtest.BuiltIn(t, "healthy")
		p.Line, p.Rand = polling.NewLine(slow), fixedRand(7)
		all, err := p.Client.Deployments.List(t.Context())
		if err != nil || len(all) == 0 {
			t.Fatal(all, err)
		}
		step, err := p.Availability().PollPods([]string{all[0].ID}).Next(t.Context())
		if err != nil || step.Wait == 0 {
			t.Fatal(step, err)
		}
		return step.Wait
	}
	if usual, slow := wait(false), wait(true); slow < 2*usual {
		t.Errorf("the next look is in %s, over a slow line in %s", usual, slow)
	}
}

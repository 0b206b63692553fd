package simulator_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

func TestOnlyLoopbackIsServed(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:80", "gis.example.org:80", "127.0.0.1"} {
		server, err := simulator.New(simulator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Start(address); err == nil {
			t.Errorf("%s was taken", address)
			_ = server.Close()
		}
	}
}

func TestTheURLsAreThoseOfTheAdminAndThePortalSide(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	host := strings.TrimSuffix(s.server.URL(), "/geodeck/admin")
	if !strings.HasPrefix(host, "http://127.0.0.1:") || s.server.TokenURL() != host+"/geodeck/sharing/rest/generateToken" {
		t.Errorf("%s and %s", s.server.URL(), s.server.TokenURL())
	}
	if err := s.server.Start("127.0.0.1:0"); err == nil {
		t.Error("it was started twice")
	}
}

func TestCloseWakesSleepersAndMayBeCalledTwice(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	ended := make(chan error)
	go func() {
		_, _, err := s.roundTrip(s.formRequest("/healthCheck/run", "f=json&suiteIds=BSHC-001&runName=x"))
		ended <- err
	}()
	if err := s.clock.AwaitWaiters(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := s.server.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if s.clock.Waiters() != 0 {
		t.Error("a request still sleeps")
	}
	if err := s.server.Close(); err != nil {
		t.Error(err)
	}
	if err := s.server.Start("127.0.0.1:0"); err == nil {
		t.Error("a closed simulator was started again")
	}
}

func TestTheSameSeedGivesTheSameWorld(t *testing.T) {
	t.Parallel()
	describe := func(seed int64) string {
		clock := simtest.NewManualClock(noon)
		s := startOn(t, simulator.Options{Seed: seed, Clock: clock}, "admin")
		var all strings.Builder
		job := s.checkHealth("same")
		clock.Advance(5 * time.Minute)
		for _, path := range []string{"", "/services", "/services/Hosted", "/services/SampleWorldCities.MapServer", job} {
			all.WriteString(s.get(path).body)
		}
		page := s.reports("100")
		all.WriteString(page.body + s.get("/healthCheck/reports/"+page.text("runs.3.id")).body)
		return all.String()
	}
	one, two, other := describe(7), describe(7), describe(8)
	if one != two {
		t.Error("two worlds of one seed differ")
	}
	if one == other {
		t.Error("two seeds gave one world")
	}
}

func TestManyCallersAtOnceGetWholeAnswers(t *testing.T) {
	t.Parallel()
	clock := simtest.NewSteppedClock(noon)
	s := startOn(t, simulator.Options{Clock: clock}, "admin")
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for n := range 5 {
				name := fmt.Sprintf("run-%d-%d", i, n)
				s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", name, "async", fmt.Sprint(n%2 == 0))
				s.get("/jobs")
				s.reports("3").length("runs")
				s.get("/services/SampleWorldCities.MapServer").text("type")
				_ = clock.Sleep(context.Background(), time.Minute)
			}
		})
	}
	callers.Wait()
	if got := s.reports("1"); got.number("total") != 12+40 {
		t.Errorf("%d reports", got.number("total"))
	}
}

// TestTimeAndRandomNumbersComeInAsValues holds what a run in virtual time needs: the
// package reads no clock and draws no number of its own.
func TestTimeAndRandomNumbersComeInAsValues(t *testing.T) {
	t.Parallel()
	clock := []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}
	seeded := []string{"New", "NewPCG", "Rand", "Reader"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			use, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, ok := use.X.(*ast.Ident)
			switch {
			case !ok:
			case from.Name == "time" && slices.Contains(clock, use.Sel.Name),
				from.Name == "rand" && !slices.Contains(seeded, use.Sel.Name):
				t.Errorf("%s uses %s.%s", name, from.Name, use.Sel.Name)
			}
			return true
		})
	}
}

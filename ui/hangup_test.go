package ui_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/theme"
	"geodeck/ui"
)

// playWatch runs the dashboard on a site that tells once that an upgrade runs, and
// then leaves whoever asks waiting.
func playWatch() error {
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasSuffix(r.URL.Path, "/system/upgrades"):
			_, _ = w.Write([]byte(`{"fullVersion":"11.5.0.6745","currentVersion":"11.5"}`))
		case asked.Add(1) == 1:
			_, _ = w.Write([]byte(status("in_progress", "1", postgres)))
		default:
			<-r.Context().Done()
		}
	}))
	client, err := adminapi.New(adminapi.Config{Base: site.URL + "/ctx/admin", Clock: adminapi.SystemClock{}, Token: adminapi.Token{Value: "t"}})
	if err != nil {
		return err
	}
	return ui.Run(context.Background(), ui.Options{
		Site: operation.Site{Client: client, Clock: adminapi.SystemClock{}}, Theme: theme.New(theme.Options{}),
	}, os.Stdin, os.Stdout)
}

func TestAHangUpEndsAWatchThatWaitsForTheSiteAtOnce(t *testing.T) {
	x := open(t, "watch")
	x.await("Watch it?", 0)
	x.press("y")
	x.await("an upgrade runs", 0)
	began := time.Now()
	if err := x.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	// Some 20 ms on an idle machine; after 2 s it would have been killed.
	if took := time.Since(began); took >= 2*time.Second {
		t.Errorf("it took %v", took)
	}
	x.restored()
}

package sites_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/sites"
)

func TestAProgramThatIsKilledAtAnyCallLeavesTheOldFileOrTheNew(t *testing.T) {
	t.Parallel()
	changes := map[string]func(*memdisk.Program) error{
		"change": func(p *memdisk.Program) error {
			return sites.Change(path, sites.Site{Name: "old", Production: true}, []string{"production"}, p)
		},
		"add and use": func(p *memdisk.Program) error {
			return sites.AddCurrent(path, sites.Site{Name: "new", URL: "https://new.example.org/x/admin"}, p)
		},
	}
	wants := map[string]string{
		"change":      strings.Replace(before, "# mine\n", "# mine\n    production: true\n", 1),
		"add and use": "current: new\n" + before + "  new:\n    url: https://new.example.org/x/admin\n",
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killedAtAnyCall(t, change, wants[name])
		})
	}
}

// The file before it is changed.
const path, before = "/home/ada/config.yaml", "sites:\n  old:\n    url: https://old.example.org/x/admin # mine\n"

func killedAtAnyCall(t *testing.T, change func(*memdisk.Program) error, want string) {
	t.Helper()
	for _, kind := range []memdisk.Kind{memdisk.KillBefore, memdisk.KillAfter, memdisk.Full, memdisk.Torn, memdisk.FailedSync, memdisk.Denied} {
		for nth, ended := 1, false; !ended; nth++ {
			disk := memdisk.New(time.Now, "/home/ada")
			f, err := disk.Program().Open(path, os.O_RDWR|os.O_CREATE, 0o600)
			if err == nil {
				_, err = f.Write([]byte(before))
			}
			if err != nil || f.Sync() != nil || disk.Program().SyncFolder("/home/ada") != nil {
				t.Fatal("the file cannot be written")
			}
			p := disk.Program(memdisk.Fault{Nth: nth, Kind: kind})
			err = change(p)
			ended = len(p.Hits()) == 0
			if now := string(disk.Files()[path]); now != before && now != want || err == nil && now != want {
				t.Errorf("%s at call %d: %v, and the file is\n%s", kind, nth, err, now)
			}
			if kept := disk.Durable()[path]; ended && !bytes.Equal(kept, []byte(want)) {
				t.Errorf("%s: after the end a power cut leaves\n%s", kind, kept)
			}
			disk.CutPower(rand.New(rand.NewPCG(uint64(nth), 1)).Uint64)
			if now := string(disk.Files()[path]); now != before && now != want {
				t.Errorf("%s at call %d, and the power fails: the file is\n%s", kind, nth, now)
			}
		}
	}
}

// Without locks another program may remove what is about to be the file: then that is said, and the file is as it was.
func TestWithoutLocksAnotherProgramIsNamedThatHasEditedTheFile(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(time.Now, "/home/ada")
	f, err := disk.Program().Open(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.Write([]byte(before))
	}
	if err != nil {
		t.Fatal(err)
	}
	noLocks := memdisk.Fault{Op: memdisk.OpLock, Nth: 1, For: -1, Kind: memdisk.NoLocks}
	var others error
	p := disk.Program(noLocks, memdisk.Fault{Op: memdisk.OpSync, Nth: 1, Then: func() {
		others = sites.Change(path, sites.Site{Name: "old", User: "ada"}, []string{"user"}, disk.Program(noLocks))
	}})
	err = sites.Change(path, sites.Site{Name: "old", Production: true}, []string{"production"}, p)
	if others != nil || err == nil || !strings.Contains(err.Error(), "another program is editing the file") {
		t.Errorf("%v, and the other %v", err, others)
	}
	if now := string(disk.Files()[path]); strings.Contains(now, "production") || !strings.Contains(now, "user: ada") {
		t.Errorf("the file is\n%s", now)
	}
}

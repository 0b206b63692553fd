package sweep

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/watching"
	"geodeck/ui/uitest/sweep/oracle"
)

// laters are how long after the last attempt another program looks at what was left open.
var laters = []time.Duration{time.Hour, 3 * time.Hour, 23 * time.Hour, 49 * time.Hour, 8 * 24 * time.Hour}

// settledLater is met where a program records how a write ended that another one has sent.
const settledLater = "the end of another program's write is recorded"

// closes lets a last program look at what the others have left open, and judges what the record and the
// log say then.
func (m *machine) closes() {
	time.Sleep(pick(m.day.random("later"), laters))
	m.day.oracle.Synced(own(m.disk.Durable()))
	before := settledIn(m.records())
	r := m.begin()
	read, ends := r.open() == nil, false
	if read {
		found, err := r.site.ResolveWrites(r.ctx) // what cannot be read stays open
		read = err == nil && len(r.disk.Hits()) == 0
		for _, one := range found {
			read = read && !strings.Contains(one.How, "cannot be read")
		}
		if ours, err := r.site.LastSent(r.ctx); err == nil && ours != nil && !m.site.launches() {
			m.day.fail("no upgrade has left this machine, and the one that the site shows is taken for its own")
		}
		state := watching.NewStateReader(r.site).Read(r.ctx, watching.State{}, watching.Refresh{Upgrade: true})
		ends = state.Upgrade.Err == nil && len(r.disk.Hits()) == 0
	}
	activity := ""
	if m.day.Face == dashboard && m.day.Seed%4 == 1 && len(m.records()) > 0 {
		activity = m.begin().activity()
	}
	var evidence map[string]string
	if play := m.day.Want; read && (play == week || play == "patch" || play == "release" || play == "rollback") {
		evidence = r.gathers()
	}
	if settledIn(m.records()) > before {
		m.day.meet(settledLater)
	}
	l := oracle.Look{Files: own(m.disk.Files()), Read: read, Ends: ends, At: m.clock.Now(), Activity: activity, Evidence: evidence,
		Allowed: m.day.Face == dashboard || slices.ContainsFunc(m.runs, (*run).hurt)}
	if reader := m.begin(); len(l.Files) > 0 {
		p := reader.command("", "log", "-o", "json", "--limit", "0")
		if p.code == codeDone {
			l.Log = p.out
		}
		reader.end()
	}
	m.day.oracle.Looked(l)
	m.notTheirsInLog(m.records())
}

// own leaves out the files about other sites of a fleet.
func own(files map[string][]byte) map[string][]byte {
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return ofBranch(name) })
	return files
}

// records are what the record says of this site's writes.
func (m *machine) records() []*oracle.Record { return oracle.RecordsIn(own(m.disk.Files())) }

func settledIn(records []*oracle.Record) (n int) {
	for _, k := range records {
		if k.Verdict != "" {
			n++
		}
	}
	return n
}

// gathers makes the evidence of the newest upgrade, and returns its files by name: none where it cannot be made.
func (r *run) gathers() map[string]string {
	var packed bytes.Buffer
	e, err := incident.GatherEvidence(r.ctx, r.site, "", "")
	if err != nil || e.Write(&packed) != nil {
		return nil
	}
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		r.machine.day.fail("the evidence of an upgrade is no zip: %v", err)
		return nil
	}
	files := map[string]string{}
	for _, f := range archive.File {
		content, err := fs.ReadFile(archive, f.Name)
		if err != nil {
			r.machine.day.fail("%s in the evidence of an upgrade: %v", f.Name, err)
		}
		files[f.Name] = string(content)
		r.machine.day.oracle.Free(f.Name+" in the evidence", string(content))
	}
	return files
}

// activity is what Activity shows of the record, empty where it cannot be seen.
func (r *run) activity() (frame string) {
	s, err := r.dashboard()
	if err != nil {
		return ""
	}
	s.lastOnly = true
	defer s.close()
	if s.enter() != nil {
		return ""
	}
	s.resize(sizes[0])
	s.press("view.activity")
	if s.sees(10*time.Second, "Record of this machine") == "" {
		return ""
	}
	s.press("activity.turn")
	if s.sees(10*time.Second, "[Record of this machine]") == "" || s.dead() {
		return ""
	}
	s.wait(2 * time.Second)
	r.machine.day.oracle.Free("Activity", s.frame)
	return s.frame
}

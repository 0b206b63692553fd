// Package offline keeps what was read of a site on this machine, for when the site does not answer. See [Kept].
package offline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// The kinds of what is kept of a site on this machine.
const (
	keptOverview = "overview"
	keptReports  = "reports"
	keptWhole    = "whole reports"
	keptServices = "services"
)

// Bounds of what is kept.
const (
	maxKeptReports = 1000    // in the list
	maxKeptWhole   = 5       // reports with their tests
	maxKeptTests   = 1 << 20 // bytes of one of them
	maxKeptNames   = 20_000  // services
	maxKeptText    = 4 << 10 // bytes of one text of the site
	maxKeptFolders = 1 << 10
)

// Kept is what this machine has kept of a site, for when it does not answer. A part that was
// never kept is nil.
type Kept struct {
	Overview *KeptOverview
	Reports  *KeptReports
	Services *KeptServices
	Problems []error // of what was kept and cannot be used
}

// When says when the site returned something that was kept.
type When struct {
	Read  time.Time     `json:"-"` // by this machine's clock
	Ahead time.Duration `json:"-"` // the site's clock less this machine's
}

// KeptOverview is what the header showed of a site.
type KeptOverview struct {
	When
	Version  string `json:"version"`
	ReadOnly bool   `json:"readOnly,omitzero"`
	Upgrade  bool   `json:"upgrade,omitzero"` // ran
}

// KeptReports is the list of reports, and the newest of those that were read whole.
type KeptReports struct {
	When
	List  []adminapi.ReportSummary
	Whole []adminapi.Report
}

// KeptServices is the list of services with their states.
type KeptServices struct {
	When
	Folders []KeptFolder `json:"folders"`
}

// KeptFolder is one folder of services; the root has no name.
type KeptFolder struct {
	Name     string        `json:"name,omitzero"`
	Services []KeptService `json:"services"`
}

// KeptService is a service and its state as it was read last. Its definition is not kept.
type KeptService struct {
	Name       string    `json:"name"`
	Type       string    `json:"type"`
	Configured string    `json:"configured,omitzero"`
	RealTime   string    `json:"realTime,omitzero"`
	Read       time.Time `json:"read,omitzero"` // the state; zero where it is not known
}

// keptReport is a report of the list on disk, without what the list does not show.
type keptReport struct {
	ID        string          `json:"id"`
	Name      string          `json:"name,omitzero"`
	Owner     string          `json:"owner,omitzero"`
	CreatedBy string          `json:"createdBy,omitzero"`
	Result    string          `json:"result,omitzero"`
	State     string          `json:"state,omitzero"`
	Start     adminapi.Millis `json:"start,omitzero"`
	End       adminapi.Millis `json:"end,omitzero"`
}

// keep keeps a value without the secrets of this site's client. Without a journal nothing is kept.
func keep(s operation.Site, kind string, w When, value any) error {
	if s.Memory.Journal == nil {
		return nil
	}
	raw, err := adminapi.JSONLine(value)
	if err != nil {
		return fmt.Errorf("what was read cannot be kept: %w", err)
	}
	return s.Memory.Journal.SaveSnapshot(kind, w.Read, w.Ahead, jsontext.Value(s.Client.Secrets().JSON(raw, secrets.InKept)))
}

// KeepState keeps what the header shows of a site.
func KeepState(s operation.Site, w When, o watching.State) error {
	return keep(s, keptOverview, w, KeptOverview{
		Version: short(o.Version.Value.FullVersion), ReadOnly: o.Mode.Value.ReadOnly, Upgrade: o.Runs(),
	})
}

// KeepReports keeps the list of reports, and the newest that were read whole.
func KeepReports(s operation.Site, w When, list []adminapi.ReportSummary, whole []adminapi.Report) error {
	kept := make([]keptReport, 0, min(len(list), maxKeptReports))
	for _, r := range list[:min(len(list), maxKeptReports)] {
		kept = append(kept, keptReport{r.ID, short(r.Name), short(r.Owner), short(r.CreatedBy), r.Result, r.State, r.StartTime, r.EndTime})
	}
	var raw []jsontext.Value
	whole = slices.Clone(whole)
	slices.SortStableFunc(whole, func(a, b adminapi.Report) int { return cmp.Compare(b.StartTime, a.StartTime) })
	for _, r := range whole {
		if len(raw) < maxKeptWhole && len(r.Raw) <= maxKeptTests {
			raw = append(raw, r.Raw)
		}
	}
	return errors.Join(keep(s, keptReports, w, kept), keep(s, keptWhole, w, raw))
}

// KeepServices keeps the list of services.
func KeepServices(s operation.Site, w When, folders []KeptFolder) error {
	kept, room := []KeptFolder(nil), maxKeptNames
	for _, f := range folders[:min(len(folders), maxKeptFolders)] {
		f.Services = f.Services[:min(len(f.Services), room)]
		room -= len(f.Services)
		kept = append(kept, f)
	}
	return keep(s, keptServices, w, KeptServices{Folders: kept})
}

// short bounds a text that is kept.
func short(text string) string { return plain.Cut(text, maxKeptText) }

// KeptDown counts the services that were down when their states were read last. The count is as old as the oldest
// of these states.
func KeptDown(s operation.Site) (down adminapi.Fact[int]) {
	var kept KeptServices
	if s.Memory.Journal == nil {
		return down
	}
	if snapshot, err := s.Memory.Journal.Snapshot(keptServices); err != nil || snapshot.Decode(&kept) != nil {
		return down
	}
	for _, f := range kept.Folders {
		for _, one := range f.Services {
			if status := (adminapi.ServiceStatus{Configured: one.Configured, RealTime: one.RealTime}); status.Down() {
				if down.Value++; down.At.IsZero() || one.Read.Before(down.At) {
					down.At = one.Read
				}
			}
		}
	}
	return down
}

// KeptOf reads what this machine has kept of the site. What is damaged is left out and named.
func KeptOf(s operation.Site) Kept {
	var k Kept
	if s.Memory.Journal == nil {
		return k
	}
	read := func(kind string, into any) (When, bool) {
		snapshot, err := s.Memory.Journal.Snapshot(kind)
		if err == nil {
			err = snapshot.Decode(into)
		}
		if err != nil && !errors.Is(err, journal.ErrNoSnapshot) {
			k.Problems = append(k.Problems, err)
		}
		return When{snapshot.Read, snapshot.Ahead}, err == nil
	}
	var overview KeptOverview
	if when, ok := read(keptOverview, &overview); ok {
		overview.When = when
		k.Overview = &overview
	}
	var list []keptReport
	if when, ok := read(keptReports, &list); ok {
		k.Reports = &KeptReports{When: when}
		for _, r := range list {
			k.Reports.List = append(k.Reports.List, adminapi.ReportSummary{ID: r.ID, Name: r.Name, Owner: r.Owner, CreatedBy: r.CreatedBy,
				Result: r.Result, State: r.State, StartTime: r.Start, EndTime: r.End})
		}
		var whole []jsontext.Value
		_, _ = read(keptWhole, &whole)
		for _, raw := range whole {
			if report, err := adminapi.DecodeReport(raw); err == nil {
				k.Reports.Whole = append(k.Reports.Whole, report)
			}
		}
	}
	var services KeptServices
	if when, ok := read(keptServices, &services); ok {
		services.When = when
		k.Services = &services
	}
	return k
}

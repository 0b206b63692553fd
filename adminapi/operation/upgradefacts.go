package operation

import (
	"context"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/upgrade"
)

// UpgradeFacts reads all that the pre-flight weighs, at the same time. What
// cannot be read is not known, and no error here.
func (s Site) UpgradeFacts(ctx context.Context, offer Offer, ask UpgradeAsk) upgrade.Facts {
	facts := upgrade.Facts{
		Target: ask.Target, Installed: offer.Installed, Chain: upgrade.Read(offer.Chain),
		Answers: ask.Answers, Settings: upgrade.Read(ask.Settings), ToAnswer: ask.ToAnswer,
	}
	var reads sync.WaitGroup
	reads.Go(func() { facts.Status = upgrade.Got(s.Client.UpgradeStatus(ctx)) })
	reads.Go(func() { facts.Mode = upgrade.Got(s.Client.Mode(ctx)) })
	reads.Go(func() { facts.Report = upgrade.Got(s.lastReport(ctx)) })
	reads.Go(func() { facts.Backup = upgrade.Got(s.lastBackup(ctx)) })
	reads.Go(func() { facts.Caller = upgrade.Got(s.caller(ctx)) })
	reads.Go(func() {
		config, err := s.Client.UpgradeConfig(ctx)
		facts.Placement = upgrade.Got(config.PodPlacement, err)
	})
	reads.Go(func() { facts.Files = ask.checkFiles() })
	reads.Wait()
	s.addLicence(&facts, ask)
	s.addClock(&facts)
	return facts
}

// addLicence says whether a licence of the old style is given and good.
func (s Site) addLicence(facts *upgrade.Facts, ask UpgradeAsk) {
	if ask.LicencePath == "" {
		return
	}
	facts.Licence = true
	_, facts.LicenceErr = ReadAnswerFile(ask.LicencePath, upgrade.LicenceField())
}

func (s Site) addClock(facts *upgrade.Facts) {
	facts.Now = adminapi.MillisOf(s.serverNow())
	if ahead, known := s.Client.ServerTime(); known {
		facts.ClockAhead = upgrade.Read[time.Duration](ahead)
	}
}

// lastReport finds the newest report that has ended and reads it: its own word
// is not enough, for a report can contradict itself.
func (s Site) lastReport(ctx context.Context) (upgrade.LastReport, error) {
	reports, err := s.AllReports(ctx)
	if err != nil {
		return upgrade.LastReport{}, err
	}
	for _, summary := range reports {
		if summary.EndTime.IsZero() {
			continue
		}
		report, err := s.Client.Report(ctx, summary.ID)
		if err != nil {
			return upgrade.LastReport{}, err
		}
		verdict := health.Overall(report)
		return upgrade.LastReport{
			Found: true, ID: report.ID, Name: report.Name,
			Verdict: verdict.String(), Good: verdict.Good(), Ended: report.EndTime,
		}, nil
	}
	return upgrade.LastReport{}, nil
}

// lastBackup finds the newest completed backup over all stores.
func (s Site) lastBackup(ctx context.Context) (upgrade.LastBackup, error) {
	stores, err := s.Client.BackupStores(ctx)
	if err != nil {
		return upgrade.LastBackup{}, err
	}
	var last upgrade.LastBackup
	for _, store := range stores {
		backups, err := s.Client.Backups(ctx, store.Name)
		if err != nil {
			return upgrade.LastBackup{}, err
		}
		for _, b := range backups {
			if ended := max(b.Start, b.End); b.Status == adminapi.BackupCompleted && ended >= last.Ended {
				last = upgrade.LastBackup{Found: true, Name: b.Name, Store: store.Name, Ended: ended}
			}
		}
	}
	return last, nil
}

func (s Site) caller(ctx context.Context) (upgrade.Caller, error) {
	self, err := s.Client.Self(ctx)
	return upgrade.Caller{Username: self.Username, Role: self.Role, Privileges: self.Privileges}, err
}

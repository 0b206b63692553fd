package operation_test

import (
	"cmp"
	"context"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// stepped takes a step of a poller apart.
func stepped[T any](s operation.Step[T], err error) (T, time.Duration, error) {
	return s.Value, s.Wait, err
}

// podsStep is stepped for pods; why nothing was told comes last.
func podsStep(s operation.Step[operation.PodsReading], err error) (operation.PodsReading, time.Duration, error) {
	return s.Value, s.Wait, cmp.Or(err, s.Away)
}

// waitRun waits for the report of a health run.
func waitRun(ctx context.Context, p *platform, run *operation.HealthRun, report func(operation.Step[operation.HealthReading])) (adminapi.Report, error) {
	end, err := operation.Wait(ctx, p.clock, run, report)
	if err != nil {
		return adminapi.Report{}, err
	}
	return *end.Report, nil
}

// settleRun looks what became of an upgrade until that is known, or given up.
func settleRun(ctx context.Context, p *platform, run *operation.UpgradeRun) (adminapi.UpgradeStatus, error) {
	found, err := operation.Wait(ctx, p.clock, run.Search(), nil)
	return found.Status, cmp.Or(err, found.Err)
}

// findRun looks once.
func findRun(ctx context.Context, search *operation.UpgradeSearch) (operation.UpgradeFinding, adminapi.UpgradeStatus, time.Duration, error) {
	step, err := search.Next(ctx)
	return step.Value.Finding, step.Value.Status, step.Wait, err
}

// settleEdit looks what became of an edit until that is known, or given up.
func settleEdit(ctx context.Context, p *platform, lost operation.LostEdit) (operation.FoundEdit, error) {
	found, err := operation.Wait(ctx, p.clock, p.SearchEdit(lost), nil)
	return found, cmp.Or(err, found.Err)
}

// findEdit looks once.
func findEdit(ctx context.Context, p *platform, lost operation.LostEdit) (operation.FoundEdit, error) {
	step, err := p.SearchEdit(lost).Next(ctx)
	return step.Value, cmp.Or(err, step.Away)
}

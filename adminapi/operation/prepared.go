package operation

import (
	"context"

	"geodeck/adminapi"
)

// Prepared is a change as it would be sent: dry runs print its requests, and copies take them or the
// commands that send the same, one after the other. Its functions read at most; they send nothing. Secrets
// are masked.
type Prepared struct {
	Commands func() ([]CommandLine, error)
	Requests func(context.Context) ([]adminapi.Request, error)
}

// prepared is a change of one command and one request.
func prepared(line func() (CommandLine, error), request func(context.Context) (adminapi.Request, error)) Prepared {
	return Prepared{
		Commands: func() ([]CommandLine, error) {
			one, err := line()
			return []CommandLine{one}, err
		},
		Requests: func(ctx context.Context) ([]adminapi.Request, error) {
			one, err := request(ctx)
			return []adminapi.Request{one}, err
		},
	}
}

func always(line CommandLine) func() (CommandLine, error) {
	return func() (CommandLine, error) { return line, nil }
}

// preparedCall is a change that one call makes.
func (s Site) preparedCall(line CommandLine, call adminapi.Call) Prepared {
	return prepared(always(line), func(ctx context.Context) (adminapi.Request, error) { return s.Client.Preview(ctx, call) })
}

// PrepareSwitch prepares what [Site.SwitchService] sends.
func (s Site) PrepareSwitch(service adminapi.ServiceRef, start bool) Prepared {
	return s.preparedCall(CommandOfSwitch(service, start), adminapi.SwitchService(service, start, true))
}

// PrepareHealthRun prepares what [Site.StartHealthRun] sends.
func (s Site) PrepareHealthRun(run adminapi.HealthRun) Prepared {
	return s.preparedCall(CommandOfHealthRun(run), run.Call())
}

// PrepareDeletion prepares what [Site.DeleteReports] sends.
func (s Site) PrepareDeletion(ids ...string) Prepared {
	return s.preparedCall(CommandOfDeletion(ids...), adminapi.DeletionOf(ids...))
}

// PrepareImport prepares what [Site.ImportManifest] sends.
func (s Site) PrepareImport(path string) Prepared {
	return prepared(always(CommandOfImport(path)), func(ctx context.Context) (adminapi.Request, error) {
		file, _, err := manifestPart(s.files(), path)
		if err != nil {
			return adminapi.Request{}, err
		}
		return s.Client.Preview(ctx, adminapi.ImportOf(file))
	})
}

// PrepareUpgrade prepares what [Site.StartUpgrade] or [Site.StartRollback] sends; the rest is for the
// command, see [CommandOfUpgrade]. It uploads nothing.
func (s Site) PrepareUpgrade(request UpgradeRequest, version string, accepted []string, settingsPath string) Prepared {
	return prepared(func() (CommandLine, error) { return CommandOfUpgrade(request, version, accepted, settingsPath) },
		func(ctx context.Context) (adminapi.Request, error) { return s.PreviewUpgrade(ctx, request) })
}

// PrepareEdits prepares what [Site.ApplyMany] sends; pathOf names the files of the plans that the
// commands apply, see [Site.CommandsOfEdits].
func (s Site) PrepareEdits(edits []PlannedEdit, pathOf func(Target) string) Prepared {
	return Prepared{
		Commands: func() ([]CommandLine, error) { return s.CommandsOfEdits(edits, pathOf) },
		Requests: func(ctx context.Context) (all []adminapi.Request, err error) {
			for _, e := range edits {
				one, err := s.Preview(ctx, e.Edit)
				if err != nil {
					return nil, err
				}
				all = append(all, one)
			}
			return all, nil
		},
	}
}

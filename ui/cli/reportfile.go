package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// longestReport bounds a report in a file, as the client bounds one in an answer.
const longestReport = 64 << 20

// loadReport reads a report from a file, or from the site by its id.
func (p *program) loadReport(ctx context.Context, source string) (adminapi.Report, error) {
	if namesFile(source) {
		return readReportUntil(ctx, source)
	}
	site, err := p.connect()
	if err != nil {
		return adminapi.Report{}, err
	}
	return site.Client.Report(ctx, source)
}

// namesFile tells a file from an id: ids hold letters and digits only, but a
// file that exists may be called like one.
func namesFile(source string) bool {
	if strings.ContainsAny(source, `/\`) || strings.HasSuffix(strings.ToLower(source), ".json") {
		return true
	}
	info, err := os.Stat(source)
	return err == nil && !info.IsDir()
}

// readReportUntil reads a file until ctx ends.
func readReportUntil(ctx context.Context, path string) (adminapi.Report, error) {
	report, err := until(ctx, func() (adminapi.Report, error) { return readReport(path) })
	if err != nil && ctx.Err() == nil {
		err = badInput("", err)
	}
	return report, err
}

func readReport(path string) (adminapi.Report, error) {
	content, err := readUpTo(path, longestReport)
	if err != nil {
		return adminapi.Report{}, err
	}
	report, err := adminapi.DecodeReport(content)
	if err != nil {
		return report, fmt.Errorf("%s: %w", plain.Line(path), err)
	}
	return report, nil
}

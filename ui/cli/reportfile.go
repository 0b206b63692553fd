package cli

import (
	"context"
	"fmt"
	"io"
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

// readReportUntil reads a file until ctx ends: a pipe may never have a writer,
// and nothing but the end of the program stops the reading then.
func readReportUntil(ctx context.Context, path string) (adminapi.Report, error) {
	var report adminapi.Report
	read := make(chan error, 1)
	go func() {
		content, err := readReport(path)
		report = content
		read <- err
	}()
	select {
	case err := <-read:
		if err != nil {
			return report, badInput("", err)
		}
		return report, nil
	case <-ctx.Done():
		return adminapi.Report{}, ctx.Err()
	}
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

// readUpTo reads a file of at most so many bytes.
func readUpTo(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(content)) > most {
		err = fmt.Errorf("%s is larger than %d MiB", plain.Line(path), most>>20)
	}
	return content, err
}

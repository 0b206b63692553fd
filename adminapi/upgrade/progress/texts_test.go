package progress_test

import (
	"testing"
	"time"
	"unicode/utf8"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

func TestCountsAreReadInAnyLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text        string
		done, total int
	}{
		{"41/47", 41, 47},
		{"41 / 47", 41, 47},
		{"23 of 41 deployments are upgraded, after 1 h 2 min 3 s.", 23, 41},
		{"after 2 min 3 s: 23 of 41", 23, 41},
		{"41 von 47 Deployments auf 12.0.0.7286, Dauer 3 Std. 5 Min.", 41, 47},
		{"1,234 of 5,678", 1234, 5678},
		{"1 234 sur 5 678 déploiements", 1234, 5678},
		{"1 000 sur 2 050 déploiements", 1000, 2050},
		{"1\u202f234 sur 5\u00a0678", 1234, 5678},
		{"1’234 von 5’678", 1234, 5678},
		{"41 d'entre 47 déploiements, en 12 min", 41, 47},
		{"Se han actualizado 41 de 47 implementaciones (87 %) en 12 minutos", 41, 47},
		{"87%: 41 of 47", 41, 47},
		{"41 из 47 развертываний за 1 ч 2 мин", 41, 47},
		{"已完成 41/47 个部署，用时 2 小时", 41, 47},
		{"arcgis-web-0 11.5.0.6835 -> 12.0.0.7286: 3 of 41", 3, 41},
		{"Module 7: 41/47", 41, 47},
		{"WEB_PROXY2 at 14:03:05 on 20.11.2026: 0 of 41", 0, 41},
		{"2026-11-20T14:03:05Z 3 of 41", 3, 41},
		{"11/20/2026 3 of 41", 3, 41},
		{"release v12.0: 41 of 41", 41, 41},
		{"apps/41: 3/41", 3, 41},
		{"1/9,999,999 bytes, 3 of 41", 3, 41},
	} {
		if done, total, ok := progress.CountIn(c.text); !ok || done != c.done || total != c.total {
			t.Errorf("%q: %d of %d, %v", c.text, done, total, ok)
		}
	}
}

func TestWhatIsNoCountIsNotReadAsOne(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "all deployments", "47", "47 of 41", "0 of 0", "took 1 h 2 min", "from 11.5 to 12.0", "11.5.0.6835 12.0.0.7286",
		"14:03:05 14:05:06", "arcgis-web-1 arcgis-web-2", "web1 web2", "12% of 40%", "1.5 of 2.5", "-", "1-5",
		"1.234 von 5.678", "41件／47件が完了", "４１／４７", "٤١ من ٤٧", // read by nobody
		"99999999999999999999 of 99999999999999999999", "20.11.2026", "2026-11-20",
		"3 of 2,000,000", "3/99,999,999,999,999,999,999", // no site has as many
	} {
		if done, total, ok := progress.CountIn(text); ok {
			t.Errorf("%q: %d of %d", text, done, total)
		}
	}
}

func TestDurationsAreReadInAnyLanguage(t *testing.T) {
	t.Parallel()
	const h, m, s = time.Hour, time.Minute, time.Second
	for text, want := range map[string]time.Duration{
		"ended after 1 h 2 min 3 s.":        h + 2*m + 3*s,
		"1h2m3s":                            h + 2*m + 3*s,
		"2m3.5s":                            2*m + 3500*time.Millisecond,
		"01:02:03":                          h + 2*m + 3*s,
		"100:02:03":                         100*h + 2*m + 3*s,
		"01:02:03.456":                      h + 2*m + 3*s,
		"3723 seconds":                      3723 * s,
		"1 hour, 2 minutes and 3 seconds":   h + 2*m + 3*s,
		"en 1 h 02 min":                     h + 2*m,
		"2026-11-20 14:03:05 took 01:02:03": h + 2*m + 3*s,
		"1 day 2 h":                         26 * h,
		"3 s after 1 h":                     3 * s,
		"41 of 41 in 5 min":                 5 * m,
		"12 345 s":                          12345 * s,
		"step 2 after 3 min":                3 * m,
		// What follows is about something else.
		"1 h 2 min, read-only mode took 5 s": h + 2*m,
		"1 h, 4 ok, 5 s":                     h,
	} {
		if got, ok := progress.DurationIn(text); !ok || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, ok, want)
		}
	}
}

func TestWhatIsNoDurationIsNotReadAsOne(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "the upgrade is done", "11.5.0.6835 12.0.0.7286", "41 of 47", "14:03", "2026-11-20 14:03:05", "2026-11-20T14:03:05Z",
		"41 d'entre 47", "3,723 seconds", "3.723 Sekunden", "99999999999 h", "99:99:99", "99999:00:00", "web-1h", "87 %",
		"3 Std. 5 min", "3 heures 5 min", "1,5 Stunden", "за 1 ч 2 min", "1時間2分3秒", "PT1H2M3S", // no part is taken for the whole
	} {
		if got, ok := progress.DurationIn(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestDatesAndTimesAreNoVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"20.11.2026 14.03 Uhr: von 11.5 auf 12.0":       {"11.5", "12.0"},
		"2026-11-20 14:03: v11.5.0.6835 → v12.0.0.7286": {"11.5.0.6835", "12.0.0.7286"},
		"11.5.0.6835-12.0.0.7286":                       {"11.5.0.6835", "12.0.0.7286"},
		"after 1.5 h from 11.5 to 12.0":                 {"11.5", "12.0"},
		"من ١١٫٥ إلى ١٢٫٠":                              {"", ""},
		"takes 1.5 h, 99.5 %":                           {"", ""},
	} {
		if from, to := progress.VersionsIn(text); from != want[0] || to != want[1] {
			t.Errorf("%q: %q, %q", text, from, to)
		}
	}
}

// FuzzTexts reads whatever a server may write. What is found is within its limits,
// and a page about it is clean.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{
		"23 of 41 deployments are upgraded, after 1 h 2 min 3 s.", "41 von 47", "47件中41件", "٤١ من ٤٧", "1.234/5.678", "PT1H2M3S", "01:02:03",
		"from 11.5.0.6835 to 12.0.0.7286", "2026-11-20T14:03:05Z", `{"stores":[{"a":{"b":[1,null]}},{"c":"\ud800"}]}`, `x [1] {"a":{"b":1}}.`,
		"99999999999999999999999 of 1e400", "1-2-3/4", "\xff1\xfe/2", "1\u202f234", "5'000'00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if done, total, ok := progress.CountIn(text); ok && (done < 0 || done > total || total <= 0) || !ok && total != 0 {
			t.Errorf("%d of %d, %v", done, total, ok)
		}
		if d, ok := progress.DurationIn(text); d < 0 || !ok && d != 0 {
			t.Errorf("%v, %v", d, ok)
		}
		if from, to := progress.VersionsIn(text); (from == "") != (to == "") || !isVersion(from) || !isVersion(to) {
			t.Errorf("%q, %q", from, to)
		}
		table, _ := progress.TableIn(text)
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%d cells in %d columns", len(row), len(table.Columns))
			}
		}
		m := progress.NewMerger(progress.LogBudget)
		for i, code := range []int{2010, 2101, 2101, 2103, 2175, 2153, 7, 2011} {
			m.Merge([]adminapi.UpgradeMessage{{Code: code, Message: text, When: at(i)}})
		}
		page := summaryOf(m.Log(), progress.StateFailed, progress.UsualTimes{})
		if !utf8.ValidString(page) || len(text) < plain.MaxLine/4 && page != plain.Text(page) {
			t.Errorf("%.300q", page)
		}
	})
}

func isVersion(text string) bool {
	for _, r := range text {
		if r != '.' && (r < '0' || r > '9') {
			return false
		}
	}
	return true
}

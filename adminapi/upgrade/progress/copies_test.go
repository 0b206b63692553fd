package progress_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// maskedBy returns a snapshot as a session gets it that knows some of the secrets.
func maskedBy(all []adminapi.UpgradeMessage, known ...string) []adminapi.UpgradeMessage {
	sent := make([]adminapi.UpgradeMessage, len(all))
	for i, m := range all {
		for _, secret := range known {
			m.Message = strings.ReplaceAll(m.Message, secret, "[secret]")
		}
		sent[i] = m
	}
	return sent
}

// TestAMessageIsOneWhetherASecretInItIsMaskedOrNot compares the log with what the site has told,
// while sessions come and go that know a secret or not.
func TestAMessageIsOneWhetherASecretInItIsMaskedOrNot(t *testing.T) {
	t.Parallel()
	texts := []string{"with KESTREL-77", "with another-one", "KESTREL-77 and MERLIN-88", "token=[secret] by KESTREL-77", "plain", "KESTREL-77"}
	for seed := range uint64(2000) {
		draw := rand.New(rand.NewPCG(seed, 2))
		var all []adminapi.UpgradeMessage
		merger := progress.NewMerger(progress.LogBudget)
		for step := range 8 {
			for range draw.IntN(4) {
				all = append(all, adminapi.UpgradeMessage{Code: 2010 + draw.IntN(2), When: adminapi.Millis(len(all) / 3), Message: texts[draw.IntN(len(texts))]})
			}
			sent := maskedBy(all, []string{"KESTREL-77", "MERLIN-88"}[:draw.IntN(3)]...)
			added := merger.Merge(sent)
			if got := merger.Log().Len(); got != len(all) {
				t.Fatalf("seed %d, step %d: %d messages, the site has %d\nadded %v\nlog %q\nsite %+v", seed, step, got, len(all), added, namesOf(merger.Log()), all)
			}
			if draw.IntN(3) == 0 {
				recorded := messagesOf(merger.Log())
				merger = progress.NewMerger(progress.LogBudget)
				if draw.IntN(2) == 0 {
					merger.Merge(maskedBy(all, []string{"KESTREL-77", "MERLIN-88"}[:draw.IntN(3)]...))
				}
				merger.Restore(recorded)
			}
		}
	}
}

func TestOnlyACopyIsTheSameMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"ENTERPRISE_admin_API begins", "ENTERPRISE_[secret]_API begins", true},
		{"ENTERPRISE_[secret]_API begins", "ENTERPRISE_admin_API begins", true},
		{"a b c d", "a [secret] c [secret]", true},
		{"x", "[secret]", true},
		{"abab", "[secret]ab", true},
		{"a  c", "a [secret] c", false},
		{"", "[secret]", false},
		{"begins here", "begins[secret] here", false},
		{"a b c", "a [secret] d", false},
		{"a b c", "x [secret] c", false},
		{"a b d", "a [secret] c [secret] d", false},
		{"for [secret] by bob", "for [secret] by eve", false},
	} {
		m := progress.NewMerger(progress.LogBudget)
		m.Merge([]adminapi.UpgradeMessage{{Code: 1, When: 1, Message: c.a}})
		m.Merge([]adminapi.UpgradeMessage{{Code: 1, When: 1, Message: c.b}})
		if same := m.Log().Len() == 1; same != c.same {
			t.Errorf("%q and %q: %d messages", c.a, c.b, m.Log().Len())
		}
		for _, other := range []adminapi.UpgradeMessage{{Code: 2, When: 1, Message: c.b}, {Code: 1, When: 2, Message: c.b}} {
			m := progress.NewMerger(progress.LogBudget)
			m.Merge([]adminapi.UpgradeMessage{{Code: 1, When: 1, Message: c.a}})
			if m.Merge([]adminapi.UpgradeMessage{other}); m.Log().Len() != 2 {
				t.Errorf("%+v is taken for one of another code or time", other)
			}
		}
	}
}

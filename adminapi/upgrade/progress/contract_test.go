package progress_test

import (
	"strconv"
	"testing"

	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade/progress"
)

func TestTheCodesOfTheContractAreKnown(t *testing.T) {
	t.Parallel()
	lines := simtest.Contract("code")
	for _, line := range lines {
		code, err := strconv.Atoi(line.Name)
		if known, ok := progress.CodeOf(code); err != nil || !ok || known.Meaning == "" {
			t.Errorf("%s, %s: %+v, %v", line.Name, line.Words, known, err)
		}
	}
	if len(lines) != 41 {
		t.Errorf("%d codes", len(lines))
	}
}

package checkout_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/simulator"
)

// 500 definitions and edits, fewer under the race detector: what was pulled and written anew by another program is the same, applying it posts
// nothing, and applying edits twice posts each once.
func TestRandomDefinitionsAndEdits(t *testing.T) {
	t.Parallel()
	edited := 0
	for seed := range int64(usual) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			script, _ := simulator.BuiltIn("healthy")
			script.Seed = seed + 1
			f := folder{t: t, p: operationtest.NewOf(t, script).Remembering(t, t.TempDir()), path: t.TempDir()}
			f.open()
			all := f.everything()
			f.pull(false, all...)
			r := rand.New(rand.NewPCG(uint64(seed), 32))
			for _, target := range all {
				file := checkout.FileOf(target)
				if target.Part == editing.Definition {
					f.write(file, asOthersWriteIt(t, f.read(file), r))
				}
			}
			if files := f.differing(false); len(files) > 0 {
				t.Fatalf("%v differ", files)
			}
			if files := f.apply(); len(files) > 0 {
				t.Fatalf("%v were applied", files)
			}
			for i, target := range all {
				if target.Part != editing.Definition {
					continue
				}
				edited++
				file := checkout.FileOf(target)
				d := operationtest.Parsed(t, f.read(file))
				var err error
				if r.IntN(2) == 0 {
					d, err = d.SetValue("description", document.Quote(fmt.Sprintf("Edited, as number %d \u2028 \u00e5 <&>", i)))
				} else {
					d, err = d.Add("properties", fmt.Sprintf("x-%d", i), fmt.Sprintf(`{"a":[%d.50,null,1e400],"":{}}`, r.IntN(1000)), r.IntN(4))
				}
				if err != nil {
					t.Fatal(err)
				}
				f.write(file, d.Text())
			}
			want := f.differing(false)
			if applied := f.apply(editing.AcceptWords()...); len(applied) != len(want) {
				t.Fatalf("%d differ, %d were applied", len(want), len(applied))
			}
			sent := f.p.Counted("POST edit")
			if files := f.apply(); len(files) > 0 || f.p.Counted("POST edit") != sent || sent != len(want) {
				t.Errorf("applied again: %v; %d were sent of %d", files, f.p.Counted("POST edit"), len(want))
			}
		})
	}
	if edited < 35*usual {
		t.Errorf("only %d edits", edited)
	}
}

// asOthersWriteIt writes a document as another program does: with another indentation, in another order, without
// escapes that need not be, and numbers in another notation.
func asOthersWriteIt(t *testing.T, text string, r *rand.Rand) string {
	t.Helper()
	value := jsontext.Value(text)
	if err := value.Format(jsontext.CanonicalizeRawFloats(false), jsontext.CanonicalizeRawInts(false),
		jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false), jsontext.WithIndent("\t")); err != nil {
		t.Fatal(err)
	}
	written := string(value)
	for _, notation := range [][2]string{{`: 2,`, `: 2.0,`}, {`: 1800,`, `: 18e2,`}, {`: 0,`, `: -0.00,`}} {
		if r.IntN(2) == 0 {
			written = strings.ReplaceAll(written, notation[0], notation[1])
		}
	}
	return written
}

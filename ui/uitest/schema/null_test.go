package schema

import (
	"reflect"
	"testing"
)

// TestWhatTakesAnyValueTakesNullWithoutAWord: a pointer allows null, and adds no name to a type that has none.
func TestWhatTakesAnyValueTakesNullWithoutAWord(t *testing.T) {
	anything := Of(reflect.TypeFor[*[]byte](), nil)
	if anything.Type != nil {
		t.Errorf("the type is %q", anything.Type)
	}
	number := Of(reflect.TypeFor[*int](), nil)
	for text, fits := range map[string]bool{"null": true, "7": true, `"7"`: false} {
		if wrong := anything.Check([]byte(text)); len(wrong) > 0 {
			t.Errorf("%s: %q", text, wrong)
		}
		if wrong := number.Check([]byte(text)); (len(wrong) == 0) != fits {
			t.Errorf("%s of a number: %q", text, wrong)
		}
	}
}

// TestAMemberThatHidesAnotherIsRequiredOnce: an embedded type may have one of the same name.
func TestAMemberThatHidesAnotherIsRequiredOnce(t *testing.T) {
	type Inner struct {
		Next string `json:"next"`
	}
	type outer struct {
		Inner
		Next int `json:"next"`
	}
	s := Of(reflect.TypeFor[outer](), nil)
	if len(s.Required) != 1 || s.Properties["next"].Type != "integer" {
		t.Errorf("required are %q, and next is %v", s.Required, s.Properties["next"].Type)
	}
}

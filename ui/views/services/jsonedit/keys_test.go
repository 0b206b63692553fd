package jsonedit_test

import (
	"strings"
	"testing"

	"geodeck/ui/uitest"
)

// addsKey adds a key to the object under the cursor.
func (s *screen) addsKey(key, value string) {
	s.t.Helper()
	s.Press("jsonedit.add")
	s.Type(key)
	s.Press("value.take")
	s.Type(value)
	s.Press("value.take")
}

// B7: a misspelt key is told where it was added, with the one that was likely meant, and a key takes that.
func TestAMisspeltKeyIsToldAndAKeyTakesTheRightOne(t *testing.T) {
	t.Parallel()
	const text = `{"type":"MapServer","properties":{"maxRecordCount":1000,"cacheDir":"/a"}}`
	s := openIn(t, uitest.Theme(), 80, 19, text)
	s.at("properties").addsKey("maxRecodCount", "2000")
	s.Rest()
	s.Shows("No known MapServer definition has this key. Did you mean maxRecordCount?")
	s.offers("m take suggestion")
	s.Press("jsonedit.respell")
	s.is(strings.Replace(text, "1000", "2000", 1))
	if s.Path() != "properties.maxRecordCount" {
		t.Errorf("the cursor is on %s", s.Path())
	}
	s.Shows("Now properties.maxRecordCount.")
	s.Hides("No known MapServer definition")
	s.Press("jsonedit.undo")
	s.Shows("maxRecodCount")
	s.Press("jsonedit.undo")
	s.is(text)

	s.at("properties").addsKey("isCache", "true")
	s.at("properties.isCache").Press("jsonedit.respell")
	s.Shows(`"isCached": true`)
	s.at("properties").addsKey("q", "1")
	s.at("properties.q").Press("jsonedit.respell")
	s.Shows("No known MapServer definition has this key.", `"q"`)
	s.at("properties").addsKey("floodLevel", "3")
	s.at("properties.floodLevel").Rest()
	s.Hides("floodLevel\": 3  No known")
}

// A key of another part of the definition is found there; what is offered while it is typed is like it.
func TestAKeyOfAnotherPartIsSaidWithItsPlace(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 80, 19, `{"type":"MapServer","properties":{"cacheDir":"/a"}}`)
	s.at("type").Press("jsonedit.add")
	s.Type("maxRecrdCount")
	s.Hides("a whole number")
	s.Press("value.take")
	s.Type("2000")
	s.Press("value.take")
	s.Rest()
	s.Shows("No known MapServer definition has this key. properties has maxRecordCount.")
}

// C3: what is offered when a key is added says what fits, with the default and the unit where they are published.
func TestKnownKeysAreOfferedWhereOneIsAdded(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 80, 19, `{"type":"MapServer","properties":{"maxRecordCount":1000}}`)
	s.at("properties").Press("jsonedit.add")
	s.Type("maxI")
	s.Shows("maxImageHeight  a whole number, default 2048", "maxImageWidth  a whole number, default 2048")
	s.Hides("maxBufferCount", "maxRecordCount  ")
	s.Press("value.known value.known")
	s.Shows("New key in properties", "maxImageWidth")
	s.Press("value.take")
	s.Shows("maxImageWidth: a whole number, default 2048")
	s.Type("many")
	s.Press("value.take")
	s.Shows("Enter a whole number")
	s.Press("value.leave value.discard")

	s.at("properties").Press("jsonedit.add")
	s.Type("FLOOD")
	s.Shows("floodLevel  a number")
	s.Press("value.known value.take")
	s.Shows("floodLevel: a number")
	s.Type("2.5")
	s.Press("value.take")
	s.is(`{"type":"MapServer","properties":{"maxRecordCount":1000,"floodLevel":2.5}}`)

	s.at("properties").Press("jsonedit.add")
	s.Type("cacheD")
	s.Press("value.known value.take")
	s.Shows("cacheDir: a text")
	s.Type("/data")
	s.Press("value.take")
	s.is(`{"type":"MapServer","properties":{"maxRecordCount":1000,"floodLevel":2.5,"cacheDir":"/data"}}`)

	s.at("").Press("jsonedit.add")
	s.Type("maxW")
	s.Shows("maxWaitTime  a whole number, default 60 seconds")
}

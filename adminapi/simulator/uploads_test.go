package simulator_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator/simtest"
)

func TestAnUploadIsReadBackDownloadedAndDeleted(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "publisher")
	got := s.upload(`C:\files\licence.json`, []byte(`{"a":1}`))
	id := got.text("item.itemID")
	item := s.get("/uploads/" + id)
	if got.text("status") != "success" || item.text("itemName") != "licence.json" || item.at("committed") != true || item.text("description") != "for the upgrade" ||
		item.number("date") != noon.UnixMilli() || item.text("contentType") != "application/octet-stream" {
		t.Errorf("item: %s", item.body)
	}
	if got := s.get("/uploads/" + id + "/download"); got.body != `{"a":1}` || !strings.Contains(got.header.Get("Content-Disposition"), "licence.json") {
		t.Errorf("download: %q", got.body)
	}
	s.post("/uploads/"+id+"/delete").has("status", "success")
	s.get("/uploads/"+id).refused(404, "no such item")
}

func TestAnUploadWithoutAFileOrOfAWrongKindIsRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.post("/uploads/upload", "itemFile", "x").refused(400, "multipart")
	s.postForm("/uploads/upload", newForm(t)).refused(400, "itemFile")
	s.postForm("/uploads/upload", newForm(t, "itemFile", "x")).refused(400, "itemFile")
	s.upload("licence.exe", nil).refused(400, "allowed extensions")
	s.upload("licence", nil).refused(400, "allowed extensions")
	refusing := open(t, "upload-refused", "admin")
	refusing.upload("licence.json", simtest.Licence("12.0")).refused(400, "allowed extensions: soe")
}

func TestWhoMayUpgradeMayNotAlwaysUpload(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "servers")
	s.upload("licence.json", simtest.Licence("12.0")).refused(403, "Publisher")
	started(t, s.upgradeTo(patch6805, "{}"))
}

func TestUploadsAreListedOldestFirst(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "publisher")
	s.get("/uploads").has("items", 0)
	s.upload("b.json", []byte("{}"))
	s.clock.Advance(time.Second)
	s.upload("a.csv", []byte("1"))
	s.get("/uploads").has("items", 2, "items.0.itemName", "b.json", "items.1.itemName", "a.csv", "items.1.committed", true)
}

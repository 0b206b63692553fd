package simulator

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/lists"
)

// upload is a file that the site holds.
type upload struct {
	id, name, description, contentType string
	date                               time.Time
	committed                          bool
	content                            func() ([]byte, error)
}

// uploads is the area of files that the site holds.
type uploads struct {
	*world
	byID map[string]*upload
}

func (a *uploads) routes() []*route {
	return needing([]string{privPublisher, privSecurity},
		get("/uploads", "Uploads", a.showAll),
		post("/uploads/upload", "Upload item", a.upload),
		get("/uploads/{id}", "Uploaded item", on(a.find, a.show)),
		get("/uploads/{id}/download", "Download", on(a.find, a.download)),
		post("/uploads/{id}/commit", "Commit item", on(a.find, a.commit)),
		post("/uploads/{id}/delete", "Delete item", on(a.find, a.delete)),
	)
}

func (a *uploads) find(q *request) (*upload, error) {
	id := q.vars["id"]
	return orNotFound(a.byID[id], "item", "uploaded item "+id)
}

func (i *upload) body() object {
	return object{"itemID": i.id, "description": i.description, "itemName": i.name, "date": millis(i.date),
		"committed": i.committed, "contentType": i.contentType}
}

// uploadExtensions are the kinds of files that the site accepts by default.
var uploadExtensions = []string{"soe", "sd", "sde", "odc", "csv", "txt", "zshp", "kmz", "json"}

// fileExtension is what follows the last dot, in lower case.
func fileExtension(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
}

func (a *uploads) upload(q *request) any {
	if q.http.MultipartForm == nil {
		return invalid("The request is of the wrong kind.", "this operation takes multipart/form-data")
	}
	files := q.files("itemFile")
	if len(files) == 0 {
		return missing("parameter itemFile is required and has to be a file")
	}
	name := path.Base(strings.ReplaceAll(files[0].Filename, `\`, "/"))
	allowed := a.scenario.UploadExtensions
	if len(allowed) == 0 {
		allowed = uploadExtensions
	}
	if !slices.Contains(allowed, fileExtension(name)) {
		return invalid("Files of this kind are not accepted.", "allowed extensions: "+strings.Join(allowed, ", "))
	}
	content := q.filePart("itemFile")
	if q.err != nil {
		return q.err
	}
	item := &upload{id: longID(a.ids), name: name, description: q.params.Get("description"), date: q.now,
		contentType: cmp.Or(files[0].Header.Get("Content-Type"), "application/octet-stream"), committed: !a.scenario.UncommittedUploads,
		content: func() ([]byte, error) { return content, nil }}
	a.byID[item.id] = item
	return object{"status": "success", "item": item.body()}
}

func (a *uploads) showAll(*request) any {
	byDate := func(a, b *upload) int { return cmp.Or(a.date.Compare(b.date), cmp.Compare(a.id, b.id)) }
	return object{"items": lists.Each(slices.SortedFunc(maps.Values(a.byID), byDate), (*upload).body)}
}

func (a *uploads) show(_ *request, item *upload) any {
	return item.body()
}

func (a *uploads) download(_ *request, item *upload) any {
	content, err := item.content()
	if err != nil {
		return err
	}
	return download{item.name, item.contentType, content}
}

func (a *uploads) commit(_ *request, item *upload) any {
	item.committed = true
	return success
}

func (a *uploads) delete(_ *request, item *upload) any {
	delete(a.byID, item.id)
	return success
}

package simulator

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
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
	world *world
	byID  map[string]*upload
}

func (a *uploads) add(item *upload) { a.byID[item.id] = item }

func (a *uploads) routes() []route {
	routes := []route{
		post("/uploads/upload", "Upload item", a.upload),
		get("/uploads/{id}", "Uploaded item", a.show),
		get("/uploads/{id}/download", "Download", a.download),
		post("/uploads/{id}/delete", "Delete item", a.delete),
	}
	for i := range routes {
		routes[i].privileges = []string{privPublisher, privSecurity}
	}
	return routes
}

type uploadBody struct {
	ItemID      string `json:"itemID"`
	Description string `json:"description"`
	ItemName    string `json:"itemName"`
	Date        int64  `json:"date"`
	Committed   bool   `json:"committed"`
	ContentType string `json:"contentType"`
}

func (i *upload) body() uploadBody {
	return uploadBody{i.id, i.description, i.name, millis(i.date), i.committed, i.contentType}
}

func (a *uploads) find(id string) (*upload, error) {
	if item := a.byID[id]; item != nil {
		return item, nil
	}
	return nil, notFound("no such item", "there is no uploaded item "+id)
}

// uploadExtensions are the kinds of files that the site takes, beside what the
// scenario says.
var uploadExtensions = []string{"soe", "sd", "sde", "odc", "csv", "txt", "zshp", "kmz", "json"}

// fileExtension is what follows the last dot, in lower case.
func fileExtension(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
}

type uploadedBody struct {
	Status string     `json:"status"`
	Item   uploadBody `json:"item"`
}

func (a *uploads) upload(q *request) (answer, error) {
	if err := q.multipart(); err != nil {
		return answer{}, err
	}
	files := q.http.MultipartForm.File["itemFile"]
	if len(files) == 0 {
		return answer{}, invalid("a required parameter is missing", "parameter itemFile is required and has to be a file")
	}
	name := path.Base(strings.ReplaceAll(files[0].Filename, `\`, "/"))
	allowed := uploadExtensions
	if len(a.world.scenario.UploadExtensions) > 0 {
		allowed = a.world.scenario.UploadExtensions
	}
	if !slices.Contains(allowed, fileExtension(name)) {
		return answer{}, invalid("Files of this kind are not accepted.", "allowed extensions: "+strings.Join(allowed, ", "))
	}
	content, err := q.filePart("itemFile")
	if err != nil {
		return answer{}, err
	}
	item := &upload{id: longID(a.world.ids), name: name, description: q.params.Get("description"), date: q.now,
		contentType: cmp.Or(files[0].Header.Get("Content-Type"), "application/octet-stream"), committed: !a.world.scenario.UncommittedUploads,
		content: func() ([]byte, error) { return content, nil }}
	a.add(item)
	return answer{body: uploadedBody{"success", item.body()}}, nil
}

func (a *uploads) show(q *request) (answer, error) {
	item, err := a.find(q.vars["id"])
	if err != nil {
		return answer{}, err
	}
	return answer{body: item.body()}, nil
}

func (a *uploads) download(q *request) (answer, error) {
	item, err := a.find(q.vars["id"])
	if err != nil {
		return answer{}, err
	}
	content, err := item.content()
	if err != nil {
		return answer{}, err
	}
	return answer{file: &download{item.name, item.contentType, content}}, nil
}

func (a *uploads) delete(q *request) (answer, error) {
	item, err := a.find(q.vars["id"])
	if err != nil {
		return answer{}, err
	}
	delete(a.byID, item.id)
	return answer{body: statusBody{"success"}}, nil
}

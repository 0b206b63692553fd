package simulator

import "time"

// upload is a file that the site holds.
type upload struct {
	id, name, description, contentType string
	date                               time.Time
	content                            func() ([]byte, error)
}

type uploads struct{ byID map[string]*upload }

func newUploads() *uploads { return &uploads{byID: map[string]*upload{}} }

func (u *uploads) add(item *upload) { u.byID[item.id] = item }

func uploadRoutes(w *world) []route {
	return []route{
		get("/uploads/{id}", "Uploaded item", w.showUpload).needing(privPublisher, privSecurity),
		get("/uploads/{id}/download", "Download", w.downloadUpload).needing(privPublisher, privSecurity),
	}
}

type uploadBody struct {
	ItemID      string `json:"itemID"`
	Description string `json:"description"`
	ItemName    string `json:"itemName"`
	Date        int64  `json:"date"`
	Committed   bool   `json:"committed"`
	ContentType string `json:"contentType"`
}

func (u *uploads) find(id string) (*upload, error) {
	if item := u.byID[id]; item != nil {
		return item, nil
	}
	return nil, notFound("no such item", "there is no uploaded item "+id)
}

func (w *world) showUpload(q *request) (answer, error) {
	item, err := w.uploads.find(q.vars["id"])
	if err != nil {
		return answer{}, err
	}
	return answer{body: uploadBody{item.id, item.description, item.name, millis(item.date), true, item.contentType}}, nil
}

func (w *world) downloadUpload(q *request) (answer, error) {
	item, err := w.uploads.find(q.vars["id"])
	if err != nil {
		return answer{}, err
	}
	content, err := item.content()
	if err != nil {
		return answer{}, err
	}
	return answer{file: &download{item.name, item.contentType, content}}, nil
}

package adminapi

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
)

// UploadItem is an uploaded file, which a later operation uses.
type UploadItem struct {
	ID          string  `json:"itemID"`
	Name        string  `json:"itemName"`
	Description string  `json:"description"`
	Date        Millis  `json:"date"`
	Committed   bool    `json:"committed"` // complete: only then can it be used
	ContentType string  `json:"contentType"`
	Unknown     Unknown `json:",embed"`
}

// Uploads are the files that a site was sent for later requests.
type Uploads struct{ client *Client }

// The operations of this file, with the privilege and the version that they require.
var (
	opUploads      = operation{name: "read the uploaded files", privilege: ToUpload}
	opUpload       = operation{name: "upload the file", privilege: ToUpload, writes: WriteUpload}
	opUploadItem   = operation{name: "read an uploaded file", privilege: ToUpload}
	opDeleteUpload = operation{name: "delete an uploaded file", privilege: ToUpload, writes: WriteUploadDeletion}
)

// Send sends a file and returns its id at the site. It sets Name and File of the part;
// description may be empty. progress may be nil; it receives how many bytes of the request
// (the file and a few hundred more) were sent. It is called from another goroutine, with
// growing numbers, never after Upload has returned, and must not block. That all bytes were
// sent does not mean that the upload is done.
//
// It is sent once, with the time limit of [Upgrades.Start]. If the outcome is unknown,
// the site may have an unused file.
func (u Uploads) Send(ctx context.Context, file Part, description string, progress func(sent, total int64)) (itemID string, outcome Outcome, err error) {
	file.Name, file.File = "itemFile", true
	k := Call{operation: opUpload, invalid: checkFile(file), path: []string{"uploads", "upload"}, parts: []Part{file}, progress: progress}
	if description != "" {
		k.parts = append(k.parts, Part{Name: "description", Content: []byte(description)})
	}
	return submit(ctx, u.client, k, func(a answer) (string, *Error) {
		reply, e := decodeAs(a, "id of the file", func(u *uploaded) bool { return checkSegment(u.id()) == nil })
		return reply.id(), e
	})
}

// uploaded is the answer to an upload: the platform and its relatives write the id as
// item, as item.itemID or as itemID.
type uploaded struct {
	Item   uploadedItem `json:"item"`
	ItemID string       `json:"itemID"`
}

func (u uploaded) id() string {
	if u.Item.ID != "" {
		return u.Item.ID
	}
	return u.ItemID
}

type uploadedItem struct {
	ID string `json:"itemID"`
}

// UnmarshalJSONFrom reads an object or the bare id.
func (i *uploadedItem) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != jsontext.KindBeginObject {
		return jsonx.ReadText(dec, &i.ID)
	}
	type fields uploadedItem
	return json.UnmarshalDecode(dec, (*fields)(i), tolerant)
}

// Check fetches the list of uploaded files. Its error says whether the site has uploads, and this user may
// use them.
func (u Uploads) Check(ctx context.Context) error {
	_, err := readAs[jsontext.Value](ctx, u.client, opUploads.at("uploads"), "", nil)
	return err
}

// Item fetches an uploaded file by its id.
func (u Uploads) Item(ctx context.Context, id string) (UploadItem, error) {
	k := opUploadItem.at("uploads", id)
	return readAs(ctx, u.client, k, "itemID", func(i *UploadItem) bool { return i.ID != "" })
}

// Delete deletes an uploaded file.
func (u Uploads) Delete(ctx context.Context, id string) (Outcome, error) {
	return u.client.write(ctx, opDeleteUpload.at("uploads", id, "delete"), answer.succeeded)
}

package adminapi

import (
	"context"

	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UploadItem is a file that the site holds for a later operation.
type UploadItem struct {
	ID          string  `json:"itemID"`
	Name        string  `json:"itemName"`
	Description string  `json:"description"`
	Date        Millis  `json:"date"`
	Committed   bool    `json:"committed"` // complete: only then it can be used
	ContentType string  `json:"contentType"`
	Unknown     Unknown `json:",embed"`
}

// Upload sends a file and returns the id under which the site holds it. Name
// and File of the part are set here; description may be empty. progress may be
// nil; it receives how many bytes of the request (the file and some hundred more)
// the network has taken, in growing order, from another goroutine, never after
// Upload has returned, and must not block. All bytes sent is not yet done.
//
// It is sent once, with the time limit of [Client.StartUpgrade]: an unknown
// outcome leaves at worst a file behind.
func (c *Client) Upload(ctx context.Context, file Part, description string, progress func(sent, total int64)) (itemID string, outcome Outcome, err error) {
	file.Name, file.File = "itemFile", true
	if err := checkFile(opUpload, file); err != nil {
		return "", OutcomeNotSent, err
	}
	k := call{operation: opUpload, path: []string{"uploads", "upload"}, parts: []Part{file}, progress: progress}
	if description != "" {
		k.parts = append(k.parts, Part{Name: "description", Content: []byte(description)})
	}
	outcome, err = c.write(ctx, k, func(a answer) *Error {
		reply, e := decodeAs(a, "id of the file", func(u *uploaded) bool { return checkSegment(u.id()) == nil })
		if e == nil {
			itemID = reply.id()
		}
		return e
	})
	return itemID, outcome, err
}

// uploaded is the answer to an upload: relatives of the platform give the id as
// item, as item.itemID and as itemID.
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

// UnmarshalJSONFrom also takes the bare id.
func (i *uploadedItem) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != jsontext.KindBeginObject {
		return jsonx.ReadText(dec, &i.ID)
	}
	type fields uploadedItem
	return json.UnmarshalDecode(dec, (*fields)(i), tolerant)
}

// UploadItem reads what the site holds under an id.
func (c *Client) UploadItem(ctx context.Context, id string) (UploadItem, error) {
	k := call{operation: opUploadItem, path: []string{"uploads", id}}
	return readAs(ctx, c, k, "itemID", func(i *UploadItem) bool { return i.ID != "" })
}

// DeleteUpload deletes a file that the site holds.
func (c *Client) DeleteUpload(ctx context.Context, id string) (Outcome, error) {
	return c.write(ctx, call{operation: opDeleteUpload, path: []string{"uploads", id, "delete"}}, answer.succeeded)
}

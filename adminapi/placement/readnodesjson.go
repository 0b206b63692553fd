package placement

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// nodeJSON is what is read of a node; everything else in it is skipped.
type nodeJSON struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Taints []struct {
			Key    string `json:"key"`
			Value  string `json:"value"`
			Effect string `json:"effect"`
		} `json:"taints"`
		Unschedulable bool `json:"unschedulable"`
	} `json:"spec"`
	Status struct {
		Conditions []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
		} `json:"conditions"`
		Allocatable map[string]jsontext.Value `json:"allocatable"`
	} `json:"status"`
}

// nodesReader collects nodes from one or more documents.
type nodesReader struct {
	nodes []Node
	names map[string]bool
	in    *jsontext.Decoder
}

// documents reads JSON objects one after the other.
func (r *nodesReader) documents(data []byte) error {
	r.in = jsonx.NewDecoder(data)
	for read := 0; ; read++ {
		kind := r.in.PeekKind()
		if read > 0 && kind != '{' {
			if _, err := r.in.ReadToken(); err == io.EOF {
				return nil
			}
			return &NodesError{"there is more text after the end of the nodes: only JSON is expected"}
		}
		if err := r.document(); err != nil {
			return explained(err)
		}
	}
}

// explained puts an error of the JSON reader in words that say what to do.
func explained(err error) error {
	var ours *NodesError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &NodesError{"the JSON ends in the middle: the text was cut"}
	case errors.As(err, &semantic):
		return &NodesError{"a value is of the wrong kind at " + plain.Clip(string(semantic.JSONPointer), 120) + ": labels and taints are texts, in double quotes"}
	}
	return &NodesError{"this is not JSON: " + plain.Clip(err.Error(), 160)}
}

// document reads a node or a list. A list says what it is after its items, so that
// these are judged at its end.
func (r *nodesReader) document() error {
	if _, err := r.in.ReadToken(); err != nil {
		return err
	}
	var doc nodeJSON
	var message string
	items, unnamed := -1, false
	for r.in.PeekKind() != '}' {
		token, err := r.in.ReadToken()
		if err != nil {
			return err
		}
		switch token.String() {
		case "kind":
			err = json.UnmarshalDecode(r.in, &doc.Kind)
		case "items":
			items, unnamed, err = r.items()
		case "metadata":
			err = json.UnmarshalDecode(r.in, &doc.Metadata)
		case "spec":
			err = json.UnmarshalDecode(r.in, &doc.Spec)
		case "status":
			err = r.status(&doc)
		case "message":
			message, err = r.text()
		default:
			err = r.in.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.in.ReadToken(); err != nil {
		return err
	}
	return r.judge(doc, items, unnamed, message)
}

// status reads the status of a node; that of an error is a word.
func (r *nodesReader) status(doc *nodeJSON) error {
	if r.in.PeekKind() != '{' {
		return r.in.SkipValue()
	}
	return json.UnmarshalDecode(r.in, &doc.Status)
}

func (r *nodesReader) text() (string, error) {
	raw, err := r.in.ReadValue()
	if err != nil || raw.Kind() != '"' {
		return "", err
	}
	return jsonx.Text(raw), nil
}

// judge says whether a document was what it should be.
func (r *nodesReader) judge(doc nodeJSON, items int, unnamed bool, message string) error {
	switch {
	case doc.Kind == "Status":
		return &NodesError{"Kubernetes answered with an error: " + plain.Clip(message, 200)}
	case doc.Kind == "Node":
		return r.add(doc)
	case doc.Kind == "NodeList" && items >= 0, doc.Kind == "List" && items >= 0 && !unnamed:
		return nil
	case doc.Kind == "List" && unnamed:
		return &NodesError{"an element of the list does not say that it is a Node"}
	}
	return wrongKind(doc.Kind)
}

func wrongKind(kind string) error {
	const advice = ": the nodes are what `kubectl get nodes -o json` prints"
	if kind == "" {
		return &NodesError{"this has no kind, so it is neither a Node nor a List of them" + advice}
	}
	return &NodesError{"this holds a " + word(strings.TrimSuffix(kind, "List")) + ", not nodes" + advice}
}

// items reads the elements of a list; unnamed tells whether one had no kind.
func (r *nodesReader) items() (count int, unnamed bool, err error) {
	switch r.in.PeekKind() {
	case '[':
	case 'n': // a list of none, as some programs write it
		return 0, false, r.in.SkipValue()
	default:
		return -1, false, r.in.SkipValue()
	}
	if _, err := r.in.ReadToken(); err != nil {
		return 0, false, err
	}
	for r.in.PeekKind() != ']' {
		var n nodeJSON
		if err := json.UnmarshalDecode(r.in, &n); err != nil {
			return 0, false, err
		}
		if count++; n.Kind != "Node" && n.Kind != "" {
			return 0, false, wrongKind(n.Kind)
		}
		unnamed = unnamed || n.Kind == ""
		if err := r.add(n); err != nil {
			return 0, false, err
		}
	}
	_, err = r.in.ReadToken()
	return count, unnamed, err
}

// add takes a node that is new.
func (r *nodesReader) add(n nodeJSON) error {
	switch {
	case len(r.nodes) >= MaxNodes:
		return &NodesError{"there are more than " + strconv.Itoa(MaxNodes) + " nodes"}
	case n.Metadata.Name == "":
		return &NodesError{"node " + strconv.Itoa(len(r.nodes)+1) + " has no name"}
	case r.names[n.Metadata.Name]:
		return nil
	case r.names == nil:
		r.names = map[string]bool{}
	}
	r.names[n.Metadata.Name] = true
	node := Node{
		Name: n.Metadata.Name, Labels: n.Metadata.Labels, Unschedulable: n.Spec.Unschedulable,
		Allocatable: essentials(n.Status.Allocatable),
	}
	for _, t := range n.Spec.Taints {
		node.Taints = append(node.Taints, Taint(t))
	}
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" {
			node.Ready = map[string]Readiness{"True": Ready, "False": NotReady}[c.Status]
		}
	}
	r.nodes = append(r.nodes, node)
	return nil
}

// essentials keeps what people choose nodes by.
func essentials(all map[string]jsontext.Value) (resources []Resource) {
	first := []string{"cpu", "memory", "pods"}
	names := slices.Clone(first)
	for name := range all {
		if strings.Contains(name, "/") { // extended, such as nvidia.com/gpu
			names = append(names, name)
		}
	}
	slices.Sort(names[len(first):])
	for _, name := range names {
		if raw, ok := all[name]; ok {
			amount := string(raw)
			if raw.Kind() == jsontext.KindString {
				amount = jsonx.Text(raw)
			}
			resources = append(resources, Resource{name, amount})
		}
	}
	return resources
}

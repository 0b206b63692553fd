package placement

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"sigs.k8s.io/yaml"
)

// What is read of nodes at most.
const (
	MaxNodesJSON = 256 << 20 // bytes: thousands of nodes with all their images have that much
	MaxNodesYAML = 16 << 20  // bytes: YAML takes far longer to read
	MaxNodes     = 20_000
)

// Node is what the scheduler looks at in a node of the cluster, and its name. Text is as
// it was received.
type Node struct {
	Name          string
	Labels        map[string]string
	Taints        []Taint
	Unschedulable bool // cordoned: takes no new pods that do not tolerate it
	Ready         Readiness
	Allocatable   []Resource // cpu, memory, pods, then what is extra, such as nvidia.com/gpu
}

// Taint repels pods that do not tolerate it.
type Taint struct{ Key, Value, Effect string }

// String returns the taint as kubectl writes it: key=value:effect; not cleaned.
func (t Taint) String() string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	if t.Effect != "" {
		text += ":" + t.Effect
	}
	return text
}

// Resource is an amount that a node offers to pods, as it was written.
type Resource struct{ Name, Amount string }

// Readiness is the Ready condition of a node.
type Readiness uint8

// The conditions. One that is missing, or has another status, is unknown.
const (
	ReadyUnknown Readiness = iota
	Ready
	NotReady
)

// String returns the condition in plain words.
func (r Readiness) String() string {
	return [...]string{"not known", "ready", "not ready"}[r]
}

// NodesError is a text that holds no nodes.
type NodesError struct {
	Message string // plain words that say what to do, clean
}

// Error returns the message.
func (e *NodesError) Error() string { return e.Message }

// ReadNodes reads what `kubectl get nodes -o json` or `-o yaml` prints: a list or a
// single node, also several documents in one text, and skips warnings
// before the JSON. A node that comes twice is taken once. Anything else is refused
// with a [*NodesError]; an empty list of nodes is none.
func ReadNodes(data []byte) ([]Node, error) {
	if len(data) > MaxNodesJSON {
		return nil, &NodesError{"the node list is larger than " + strconv.Itoa(MaxNodesJSON>>20) + " MiB"}
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	var r nodesReader
	var err error
	switch at := jsonStart(data); {
	case len(data) == 0:
		return nil, &NodesError{"nothing to read: give what `kubectl get nodes -o json` prints"}
	case at >= 0:
		err = r.documents(data[at:])
	case bytes.HasPrefix(data, []byte("NAME ")):
		return nil, &NodesError{"this is kubectl's table output: add -o json"}
	case data[0] == '[':
		return nil, &NodesError{"this is a bare list: give what `kubectl get nodes -o json` prints"}
	default:
		err = r.yaml(data)
	}
	if err != nil {
		return nil, err
	}
	return r.nodes, nil
}

// maxWarning is how much text is skipped before JSON begins.
const maxWarning = 64 << 10

// jsonStart returns where JSON begins: at the start, or at a line that opens an
// object behind the warnings of a command; -1 for YAML, in which no line does.
func jsonStart(data []byte) int {
	if bytes.HasPrefix(data, []byte("{")) {
		return 0
	}
	if at := bytes.Index(data[:min(len(data), maxWarning)], []byte("\n{")); at >= 0 {
		return at + 1
	}
	return -1
}

// yaml reads the documents of a YAML text one by one: the library takes the first and
// ignores the others.
func (r *nodesReader) yaml(data []byte) error {
	if len(data) > MaxNodesYAML {
		return &NodesError{"more than " + strconv.Itoa(MaxNodesYAML>>20) + " MiB of YAML: use -o json, which is read much faster"}
	}
	found := false
	for _, document := range yamlDocuments(data) {
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		asJSON, err := yaml.YAMLToJSON(document)
		if err != nil {
			return &NodesError{"this is neither JSON nor YAML: " + plain.Clip(err.Error(), 160)}
		}
		if string(asJSON) == "null" {
			continue
		}
		found = true
		if asJSON[0] != '{' {
			return &NodesError{"this is neither a node nor a list of nodes: give what `kubectl get nodes -o json` prints"}
		}
		if err := r.documents(asJSON); err != nil {
			return err
		}
	}
	if !found {
		return &NodesError{"nothing to read: give what `kubectl get nodes -o yaml` prints"}
	}
	return nil
}

// yamlDocuments cuts a text at the lines that separate documents.
func yamlDocuments(data []byte) (documents [][]byte) {
	start := 0
	for at := 0; at < len(data); {
		end := len(data)
		if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		if line := bytes.TrimRight(data[at:end], " \t\r\n"); string(line) == "---" || string(line) == "..." {
			if at > start { // separators may follow each other in great numbers
				documents = append(documents, data[start:at])
			}
			start = end
		}
		at = end
	}
	return append(documents, data[start:])
}

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
			return &NodesError{"extra text after the nodes: only JSON is expected"}
		}
		if err := r.document(); err != nil {
			return nodesError(err)
		}
	}
}

// nodesError puts an error of the JSON reader in words that say what to do.
func nodesError(err error) error {
	var ours *NodesError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &NodesError{"the JSON is incomplete: the text was cut off"}
	case errors.As(err, &semantic):
		return &NodesError{"wrong type of value at " + plain.Clip(string(semantic.JSONPointer), 120) + ": labels and taints must be strings in double quotes"}
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
	var message jsontext.Value
	items, unnamed := -1, false
	for r.in.PeekKind() != '}' {
		token, err := r.in.ReadToken()
		if err != nil {
			return err
		}
		switch name := token.String(); {
		case name == "kind":
			err = json.UnmarshalDecode(r.in, &doc.Kind)
		case name == "items":
			items, unnamed, err = r.items()
		case name == "metadata":
			err = json.UnmarshalDecode(r.in, &doc.Metadata)
		case name == "spec":
			err = json.UnmarshalDecode(r.in, &doc.Spec)
		case name == "status" && r.in.PeekKind() == '{': // that of an error is a word
			err = json.UnmarshalDecode(r.in, &doc.Status)
		case name == "message":
			message, err = r.in.ReadValue()
			message = message.Clone()
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
	switch {
	case doc.Kind == "Status" && message.Kind() == '"':
		return &NodesError{"Kubernetes answered with an error: " + plain.Clip(jsonx.Text(message), 200)}
	case doc.Kind == "Status":
		return &NodesError{"Kubernetes answered with an error: "}
	case doc.Kind == "Node":
		return r.add(doc)
	case doc.Kind == "NodeList" && items >= 0, doc.Kind == "List" && items >= 0 && !unnamed:
		return nil
	case doc.Kind == "List" && unnamed:
		return &NodesError{"an element of the list lacks the kind Node"}
	}
	return wrongKind(doc.Kind)
}

func wrongKind(kind string) error {
	const advice = ": give what `kubectl get nodes -o json` prints"
	if kind == "" {
		return &NodesError{"no kind is given" + advice}
	}
	return &NodesError{"this holds a " + cleanWord(strings.TrimSuffix(kind, "List")) + ", not nodes" + advice}
}

// items reads the elements of a list; unnamed reports whether one had no kind.
func (r *nodesReader) items() (count int, unnamed bool, err error) {
	switch r.in.PeekKind() {
	case '[':
	case 'n': // an empty list, as some programs write it
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

// essentials returns the resources that people choose nodes by.
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

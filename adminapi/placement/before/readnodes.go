package before

import (
	"bytes"
	"strconv"

	"geodeck/adminapi/plain"

	"sigs.k8s.io/yaml"
)

// ReadNodes reads what `kubectl get nodes -o json` or `-o yaml` prints: a list or a
// single node, also several documents in one text, and skips warnings that stand
// before the JSON. A node that comes twice is taken once. Anything else is refused
// with a [*NodesError]; an empty list of nodes is none.
func ReadNodes(data []byte) ([]Node, error) {
	if len(data) > MaxNodesJSON {
		return nil, &NodesError{"the nodes take more than " + strconv.Itoa(MaxNodesJSON>>20) + " MiB: more is not read"}
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	var r nodesReader
	var err error
	switch at := jsonStart(data); {
	case len(data) == 0:
		return nil, &NodesError{"there is nothing: the nodes are what `kubectl get nodes -o json` prints"}
	case at >= 0:
		err = r.documents(data[at:])
	case bytes.HasPrefix(data, []byte("NAME ")):
		return nil, &NodesError{"this is the table that kubectl prints for people: add -o json"}
	case data[0] == '[':
		return nil, &NodesError{"this is a bare list: the nodes are what `kubectl get nodes -o json` prints"}
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

// yaml reads the documents of a YAML text one by one: the library would take the
// first and say nothing of the others.
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
			return &NodesError{"this is neither a node nor a list of nodes: they are what `kubectl get nodes -o json` prints"}
		}
		if err := r.documents(asJSON); err != nil {
			return err
		}
	}
	if !found {
		return &NodesError{"there is nothing: the nodes are what `kubectl get nodes -o yaml` prints"}
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

package health

import (
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json/jsontext"
)

// maxReasons limits the reasons of one test; its JSON shows all.
const maxReasons = 50

// reasonMembers are members whose text is shown without their name.
var reasonMembers = []string{"message", "messages", "reason", "reasons", "error", "errors", "detail", "details", "cause", "summary"}

// Reasons returns what a server wrote about a test in members that are not documented:
// strings and lists of strings, cleaned by package plain, with their line breaks. Texts of
// members such as "message" come first; others follow as "name: text". Tests that passed
// may have reasons too.
func Reasons(t adminapi.TestResult) []string {
	if t.Unknown.Kind() != jsontext.KindBeginObject {
		return nil
	}
	var bare, named []string
	for member := range jsonx.Children(t.Unknown) {
		for _, text := range textsOf(member.Value) {
			switch {
			case len(bare)+len(named) >= maxReasons:
			case slices.Contains(reasonMembers, strings.ToLower(member.Name)):
				bare = append(bare, text)
			default:
				named = append(named, plain.Line(member.Name)+": "+text)
			}
		}
	}
	return append(bare, named...)
}

// ReasonLine returns the reasons of a test in one line, "" if there are none.
func ReasonLine(t adminapi.TestResult) string {
	return plain.Line(strings.Join(Reasons(t), "; "))
}

// Member is a member of an object that this program has no field for.
type Member struct{ Name, Text string }

// Members returns the members of an object in their order: the content of strings, and the
// JSON of anything else.
func Members(object jsontext.Value) []Member {
	if object.Kind() != jsontext.KindBeginObject {
		return nil
	}
	var members []Member
	for m := range jsonx.Children(object) {
		text := string(m.Value)
		if m.Value.Kind() == jsontext.KindString {
			text = jsonx.Text(m.Value)
		}
		members = append(members, Member{m.Name, text})
	}
	return members
}

// textsOf returns the text of a string, or of each string in a list, without blank ones.
func textsOf(value jsontext.Value) []string {
	dec := jsonx.NewDecoder(value)
	var texts []string
	depth := 0
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return texts
		}
		switch token.Kind() {
		case '[':
			depth++
		case '"':
			if text := strings.TrimSpace(plain.Text(token.String())); text != "" {
				texts = append(texts, text)
			}
		case ']':
			depth--
		case '{':
			return texts // an object is not a text
		}
		if depth == 0 {
			return texts
		}
	}
}

// Hint describes what a known test covers, and where to look if it does not pass.
type Hint struct {
	Covers string // one sentence
	Look   string // one or two sentences
}

// HintFor returns the hint for a test of the basic suite by its name, such as
// healthcheck_objectStore, and false for any other test.
func HintFor(testName string) (Hint, bool) {
	hint, ok := hints[testName]
	return hint, ok
}

// hints holds the tests of the basic suite, critical ones first.
var hints = map[string]Hint{
	"sharing_availability": {
		Covers: "The portal's sharing API answers; sign-in, items and every client depend on it.",
		Look:   "Look at the pods of the sharing API and their logs, then at the relational store that it reads from. If other endpoints fail as well, begin with the ingress.",
	},
	"healthcheck_relationalDatastore": {
		Covers: "The relational store takes connections; it holds users, items and hosted feature data.",
		Look:   "Look at the primary and standby pods of the relational store: restarts, replication, and free space on their volumes.",
	},
	"healthcheck_objectStore": {
		Covers: "The object store can be read and written; it holds uploads, attachments, caches and other large files.",
		Look:   "Look at the object store's pods and how full their volumes are. With a cloud bucket, check its credentials and whether the cluster can reach it.",
	},
	"home_app_availability": {
		Covers: "The portal's web pages load, which is where members begin.",
		Look:   "Look at the pods that serve the portal's web apps; if the sharing API fails too, mend that first.",
	},
	"manager_availability": {
		Covers: "The web console for administrators loads.",
		Look:   "Look at the pods of the console and of the admin API. The admin API itself answered, so this dashboard can go on without the console.",
	},
	"healthcheck_spatioTemporalIndexStore": {
		Covers: "The spatiotemporal and index store works; it holds observation data, search indices and logs.",
		Look:   "Look at its pods and volumes: a disk that is nearly full makes it read-only. Few ready pods leave parts of the indices without a copy.",
	},
	"healthcheck_ingress": {
		Covers: "Requests from outside come through the ingress to the services.",
		Look:   "Look at the ingress controller's pods and log, at the load balancer before it, the host's DNS name, and the date on its certificate.",
	},
	"healthcheck_publishingService": {
		Covers: "The system's publishing tools run, so that new services can be made.",
		Look:   "Look at the pods of the publishing tools in the System folder: too few instances, missing memory, or jobs that queue up.",
	},
	"healthcheck_sharedMapService": {
		Covers: "The pods that map and feature services share answer requests.",
		Look:   "Look at the deployment for shared instances: its replicas, memory limits and log. One broken service can bring down others that share its pod.",
	},
	"healthcheck_spatialanalysis": {
		Covers: "The spatial analysis tools can be run.",
		Look:   "Look at the pods of the spatial analysis service in the System folder, then at the stores it writes its results to.",
	},
	"healthcheck_geometryService": {
		Covers: "The geometry service computes; editing, measuring and printing call it.",
		Look:   "Look at the pods of the geometry service in the Utilities folder and start it if it is stopped.",
	},
	"query_logs_availability": {
		Covers: "Logs of the system can be searched.",
		Look:   "Look at the index store first, which keeps the logs, then at the pods that collect them. Until it works again, read the logs of single pods.",
	},
	"healthcheck_index_synced": {
		Covers: "The search indices of users, groups and items agree with the database.",
		Look:   "Look at the index store, then have the portal's index rebuilt. Right after an upgrade or a restore it may only need more time.",
	},
}

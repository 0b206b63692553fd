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
type Member struct {
	Name, Text string
	value      jsontext.Value
}

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
		members = append(members, Member{m.Name, text, m.Value})
	}
	return members
}

// OtherMembers returns the members of a test that [Reasons] does not tell: those that are no text.
func OtherMembers(t adminapi.TestResult) []Member {
	return slices.DeleteFunc(Members(t.Unknown), func(m Member) bool { return len(textsOf(m.value)) > 0 })
}

// textsOf returns the text of a string, or of each string in a list, without blank ones.
func textsOf(value jsontext.Value) []string {
	dec := jsonx.NewDecoder(value)
	var texts []string
	for {
		token, err := dec.ReadToken()
		if err != nil || token.Kind() == '{' { // an object is not a text
			return texts
		}
		if token.Kind() == '"' {
			if text := strings.TrimSpace(plain.Text(token.String())); text != "" {
				texts = append(texts, text)
			}
		}
	}
}

// Hint describes what a known test covers, and what to check if it does not pass.
type Hint struct {
	Covers string // one sentence
	Next   string // one to three sentences
}

// HintFor returns the hint for a test of the basic suite by its name, such as
// healthcheck_objectStore, and false for any other test.
func HintFor(testName string) (Hint, bool) {
	hint, ok := hints[testName]
	return hint, ok
}

// hints holds the tests of the basic suite, critical ones first: what each covers, and what to check.
var hints = map[string]Hint{
	"sharing_availability": {
		"The portal's sharing API answers; sign-in, items and every client depend on it.",
		"Check the sharing API's pods and logs, then the relational store. If other endpoints fail too, start with the ingress.",
	},
	"healthcheck_relationalDatastore": {
		"The relational store takes connections; it holds users, items and hosted feature data.",
		"Check the relational store's primary and standby pods: restarts, replication, free space on their volumes.",
	},
	"healthcheck_objectStore": {
		"The object store can be read and written; it holds uploads, attachments, caches and other large files.",
		"Check the object store's pods and the free space on their volumes. For a cloud bucket, check credentials and network.",
	},
	"home_app_availability": {
		"The portal's web pages load; members start there.",
		"Check the pods that serve the portal's web apps. If the sharing API fails too, fix that first.",
	},
	"manager_availability": {
		"The web console for administrators loads.",
		"Check the console's pods and those of the admin API. You can work here without the console.",
	},
	"healthcheck_spatioTemporalIndexStore": {
		"The spatiotemporal and index store works; it holds observation data, search indices and logs.",
		"Check its pods and volumes: a nearly full disk makes it read-only. With few ready pods, parts of the indices have no copy.",
	},
	"healthcheck_ingress": {
		"Requests from outside reach the services through the ingress.",
		"Check the ingress controller's pods and log. Then check the load balancer, DNS name and certificate.",
	},
	"healthcheck_publishingService": {
		"The system's publishing tools run; new services can be published.",
		"Check the publishing tools' pods in the System folder: instances, memory, queued jobs.",
	},
	"healthcheck_sharedMapService": {
		"The shared pods of map and feature services answer requests.",
		"Check the deployment for shared instances: replicas, memory limits, log. One broken service can break others in its pod.",
	},
	"healthcheck_spatialanalysis": {
		"The spatial analysis tools can be run.",
		"Check the spatial analysis pods in the System folder. Then check the stores that hold their results.",
	},
	"healthcheck_geometryService": {
		"The geometry service works; editing, measuring and printing need it.",
		"Check the geometry service's pods in the Utilities folder. Start the service if it is stopped.",
	},
	"query_logs_availability": {
		"System logs can be searched.",
		"Check the index store first: it keeps the logs. Then check the pods that collect them. Until then, read the logs of single pods.",
	},
	"healthcheck_index_synced": {
		"The search indices of users, groups and items agree with the database.",
		"Check the index store, then rebuild the portal's index. After an upgrade or a restore, wait and run the check again.",
	},
}

package document

import (
	"slices"
	"strings"
)

// Widget is the way a value is best edited.
type Widget uint8

// The widgets.
const (
	AnyWidget   Widget = iota // the JSON text itself
	OnOff                     // true or false
	Integer                   // a whole number without a unit
	TimeInteger               // a whole number of time, unit not documented
	NumberText                // any number, as it is written
	OneLine                   // a string
	CommaList                 // a string of words with commas, a set
	ClockTime                 // a string HH:MM
)

// Group is the part of a definition that a field belongs to.
type Group string

// The groups, in the order in which a screen shows them.
const (
	Description    Group = "Description"
	Framework      Group = "Framework"
	TypeProperties Group = "Type properties"
	Extensions     Group = "Extensions"
	Other          Group = "Not described"
)

// Field is what is known of one place in a definition.
type Field struct {
	Pattern string // its path, any extension as extensions[*], any key as *
	Group   Group
	Widget  Widget
	Kind    Kind     // as the contract of the API states it; 0 where it does not
	Values  []string // words that are known to fit, others may too
	Restart bool     // a change of it likely restarts the service
	Fixed   bool     // an edit cannot change it
	Path    bool     // it names a place in a file system or store
	Text    string   // what it is, for a person
}

var fieldByPattern = func() map[string]Field {
	byPattern := make(map[string]Field, len(fields))
	for _, f := range fields {
		byPattern[f.Pattern] = f
	}
	return byPattern
}()

// FieldOf returns what is known of the value at a path, and false for one that
// nothing is known of.
func FieldOf(path Path) (Field, bool) { return fieldOf(path.Steps()) }

func fieldOf(steps []Step) (Field, bool) {
	if len(steps) == 0 {
		return Field{}, false
	}
	outer := join(steps[:len(steps)-1])
	if len(steps) > 1 && steps[0].Key == string(extensionsPath) && steps[1].Kind != ByKey {
		if len(steps) == 2 {
			return fieldByPattern["extensions[*]"], true
		}
		outer = "extensions[*]" + join(steps[2:len(steps)-1]).below(extensionsPath)
	}
	last := steps[len(steps)-1]
	if f, ok := fieldByPattern[string(outer.then(last))]; ok {
		return f, true
	}
	if last.Kind != ByKey || outer == Whole {
		return Field{}, false
	}
	f, ok := fieldByPattern[string(outer)+".*"]
	f.Path = f.Path || ok && isPathKey(last.Key)
	return f, ok
}

// nearestField returns the field of a path, or of the nearest value around it
// that is known.
func nearestField(path Path) (Field, bool) {
	for steps := path.Steps(); len(steps) > 0; steps = steps[:len(steps)-1] {
		if f, ok := fieldOf(steps); ok {
			return f, true
		}
	}
	return Field{}, false
}

// isPathKey reports whether a key of a type's properties, which differ from type
// to type, sounds like one for a place in a file system.
func isPathKey(key string) bool {
	key = strings.ToLower(key)
	return strings.HasSuffix(key, "dir") || strings.HasSuffix(key, "directory") || strings.HasSuffix(key, "path") || key == "toolbox"
}

// GroupOf returns the group of any path; Other for keys that are not described.
func GroupOf(path Path) Group {
	if f, ok := nearestField(path); ok {
		return f.Group
	}
	return Other
}

// WidgetFor returns how to edit a value: as its field says where that suits the
// kind the value has now, else by its kind. A number that the server keeps as a
// string stays a string.
func WidgetFor(n Node) Widget {
	f, _ := FieldOf(n.Path())
	suits := map[Kind][]Widget{
		Bool: {OnOff}, Number: {Integer, TimeInteger, NumberText}, String: {OneLine, CommaList, ClockTime},
	}
	switch fitting := suits[n.Kind()]; {
	case slices.Contains(fitting, f.Widget):
		return f.Widget
	case n.Kind() == Number:
		return NumberText
	case len(fitting) > 0:
		return fitting[0]
	}
	return AnyWidget
}

// Items returns the words of a comma list, without the white space around them
// and without empty ones.
func Items(list string) []string {
	var items []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// fields is what the contract of the API, and real definitions, say of each
// field. Where the contract states no unit, none is claimed.
var fields = []Field{
	{Pattern: "serviceName", Group: Description, Widget: OneLine, Kind: String, Restart: true, Fixed: true,
		Text: "The name of the service, part of its address. An edit cannot rename a service."},
	{Pattern: "type", Group: Description, Widget: OneLine, Kind: String, Restart: true, Fixed: true,
		Values: []string{"MapServer", "FeatureServer", "GeometryServer", "GPServer", "GPSyncServer", "TileServer"},
		Text:   "What kind of service this is, part of its address. An edit cannot change it."},
	{Pattern: "description", Group: Description, Widget: OneLine, Kind: String,
		Text: "What the service is for, as its owner describes it."},
	{Pattern: "capabilities", Group: Description, Widget: CommaList, Kind: String, Restart: true,
		Values: []string{"Map", "Query", "Data", "Create", "Update", "Delete", "Editing", "Sync", "Extract", "Uploads"},
		Text:   "What clients may do with the service; the rest is refused."},
	{Pattern: "id", Group: Description, Widget: OneLine, Text: "The site's id of the service."},
	{Pattern: "folderName", Group: Description, Widget: OneLine, Text: "The folder of the service; empty for the root."},
	{Pattern: "provider", Group: Description, Widget: OneLine, Restart: true,
		Text: "The engine that runs the service. A separate operation changes it."},
	{Pattern: "private", Group: Description, Widget: OnOff, Text: "Whether the service is hidden from public lists."},

	{Pattern: "clusterName", Group: Framework, Widget: OneLine, Kind: String, Restart: true, Text: "The cluster the service runs in."},
	{Pattern: "minInstancesPerNode", Group: Framework, Widget: Integer, Kind: Number, Restart: true,
		Text: "The fewest instances to keep running; may be 0."},
	{Pattern: "maxInstancesPerNode", Group: Framework, Widget: Integer, Kind: Number, Restart: true,
		Text: "The most instances that may run; not below the minimum."},
	{Pattern: "instancesPerContainer", Group: Framework, Widget: Integer, Restart: true, Text: "How many instances share a container."},
	{Pattern: "maxWaitTime", Group: Framework, Widget: TimeInteger, Kind: Number, Restart: true,
		Text: "How long a client waits for a free instance. Unit not documented."},
	{Pattern: "maxStartupTime", Group: Framework, Widget: TimeInteger, Restart: true,
		Text: "How long an instance may take to start. Unit not documented."},
	{Pattern: "maxIdleTime", Group: Framework, Widget: TimeInteger, Kind: Number, Restart: true,
		Text: "How long an instance may be idle before it is stopped. Unit not documented."},
	{Pattern: "maxUsageTime", Group: Framework, Widget: TimeInteger, Kind: Number, Restart: true,
		Text: "How long one request may use an instance. Unit not documented."},
	{Pattern: "recycleInterval", Group: Framework, Widget: TimeInteger, Kind: Number, Restart: true,
		Text: "How often instances are replaced by new ones. Unit not documented."},
	{Pattern: "recycleStartTime", Group: Framework, Widget: ClockTime, Kind: String, Restart: true,
		Text: "When the first replacement of the day begins (HH:MM)."},
	{Pattern: "keepAliveInterval", Group: Framework, Widget: TimeInteger, Kind: Number, Restart: true,
		Text: "How often idle instances are checked; examples use -1. Unit not documented."},
	{Pattern: "loadBalancing", Group: Framework, Widget: OneLine, Kind: String, Restart: true,
		Values: []string{"ROUND_ROBIN"}, Text: "How requests are spread over the instances."},
	{Pattern: "isolationLevel", Group: Framework, Widget: OneLine, Kind: String, Restart: true,
		Values: []string{"HIGH"}, Text: "How strictly instances are isolated."},
	{Pattern: "deploymentId", Group: Framework, Widget: OneLine, Restart: true,
		Text: "The deployment whose pods run the service. Others may share it."},
	{Pattern: "maxUploadFileSize", Group: Framework, Widget: Integer, Text: "The largest file that may be uploaded. Unit not documented."},
	{Pattern: "allowedUploadFileTypes", Group: Framework, Widget: CommaList, Text: "Which types of files may be uploaded."},
	{Pattern: "frameworkProperties", Group: Framework, Kind: Object, Restart: true, Text: "Settings of the framework around the service."},
	{Pattern: "frameworkProperties.*", Group: Framework, Restart: true, Text: "A setting of the framework around the service."},

	{Pattern: "properties", Group: TypeProperties, Kind: Object, Restart: true, Text: "Settings of this type of service."},
	{Pattern: "properties.*", Group: TypeProperties, Restart: true, Text: "A setting of this type of service."},
	{Pattern: "properties.maxRecordCount", Group: TypeProperties, Widget: Integer, Restart: true,
		Text: "The most records that one query returns."},
	{Pattern: "properties.maxBufferCount", Group: TypeProperties, Widget: Integer, Restart: true,
		Text: "The most buffers that one request may ask for."},
	{Pattern: "properties.maxImageHeight", Group: TypeProperties, Widget: Integer, Restart: true, Text: "The largest image height, in pixels."},
	{Pattern: "properties.maxImageWidth", Group: TypeProperties, Widget: Integer, Restart: true, Text: "The largest image width, in pixels."},
	{Pattern: "properties.filePath", Group: TypeProperties, Widget: OneLine, Restart: true, Path: true,
		Text: "The file that the service was published from. A wrong path stops the service."},
	{Pattern: "properties.cacheDir", Group: TypeProperties, Widget: OneLine, Restart: true, Path: true, Text: "Where the tile cache is stored."},
	{Pattern: "properties.outputDir", Group: TypeProperties, Widget: OneLine, Restart: true, Path: true, Text: "Where images and results are stored."},
	{Pattern: "properties.virtualOutputDir", Group: TypeProperties, Widget: OneLine, Restart: true, Path: true,
		Text: "The address where clients fetch files from the output directory."},
	{Pattern: "properties.supportedImageReturnTypes", Group: TypeProperties, Widget: OneLine, Restart: true,
		Values: []string{"MIME+URL", "MIME"}, Text: "How clients get images: as data only, or as a URL too."},
	{Pattern: "properties.isCached", Group: TypeProperties, Widget: OnOff, Restart: true, Text: "Whether the service uses a tile cache."},
	{Pattern: "properties.ignoreCache", Group: TypeProperties, Widget: OnOff, Restart: true, Text: "Whether to ignore an existing cache."},
	{Pattern: "properties.cacheOnDemand", Group: TypeProperties, Widget: OnOff, Restart: true,
		Text: "Whether missing tiles are created on first request."},
	{Pattern: "properties.clientCachingAllowed", Group: TypeProperties, Widget: OnOff, Restart: true,
		Text: "Whether clients may cache tiles."},
	{Pattern: "datasets", Group: TypeProperties, Kind: Array, Restart: true, Text: "The data that the service uses."},

	{Pattern: "extensions", Group: Extensions, Kind: Array, Restart: true, Text: "Additional interfaces of the service, such as WMSServer or WFSServer."},
	{Pattern: "extensions[*]", Group: Extensions, Kind: Object, Restart: true, Text: "An additional interface of the service."},
	{Pattern: "extensions[*].typeName", Group: Extensions, Widget: OneLine, Kind: String, Restart: true,
		Values: []string{"WMSServer", "WFSServer", "WCSServer"}, Text: "Which interface this is."},
	{Pattern: "extensions[*].enabled", Group: Extensions, Widget: OnOff, Kind: Bool, Restart: true,
		Text: "Whether the interface is on. When off, its clients lose access."},
	{Pattern: "extensions[*].capabilities", Group: Extensions, Widget: CommaList, Kind: String, Restart: true,
		Text: "What clients may do through this interface."},
	{Pattern: "extensions[*].properties", Group: Extensions, Kind: Object, Restart: true,
		Text: "Settings of this interface. Each is a string, even numbers and true or false."},
	{Pattern: "extensions[*].properties.*", Group: Extensions, Widget: OneLine, Kind: String, Restart: true,
		Text: "A setting of this interface, always a string."},
}

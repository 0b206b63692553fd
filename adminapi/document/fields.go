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
	byPattern := map[string]Field{}
	for _, of := range fields {
		for _, f := range of.fields {
			f.Group, f.Restart = of.group, f.Restart || of.restart
			byPattern[f.Pattern] = f
		}
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
var fields = []struct {
	group   Group
	restart bool // a change of any of them likely restarts the service
	fields  []Field
}{
	{Description, false, []Field{
		{Pattern: "serviceName", Widget: OneLine, Kind: String, Restart: true, Fixed: true,
			Text: "The name of the service, part of its address. An edit cannot rename a service."},
		{Pattern: "type", Widget: OneLine, Kind: String, Restart: true, Fixed: true,
			Values: []string{"MapServer", "FeatureServer", "GeometryServer", "GPServer", "GPSyncServer", "TileServer"},
			Text:   "What kind of service this is, part of its address. An edit cannot change it."},
		{Pattern: "description", Widget: OneLine, Kind: String,
			Text: "What the service is for, as its owner describes it."},
		{Pattern: "capabilities", Widget: CommaList, Kind: String, Restart: true,
			Values: []string{"Map", "Query", "Data", "Create", "Update", "Delete", "Editing", "Sync", "Extract", "Uploads"},
			Text:   "What clients may do with the service; the rest is refused."},
		{Pattern: "id", Widget: OneLine, Text: "The site's id of the service."},
		{Pattern: "folderName", Widget: OneLine, Text: "The folder of the service; empty for the root."},
		{Pattern: "provider", Widget: OneLine, Restart: true,
			Text: "The engine that runs the service. A separate operation changes it."},
		{Pattern: "private", Widget: OnOff, Text: "Whether the service is hidden from public lists."},
	}},
	{Framework, true, []Field{
		{Pattern: "clusterName", Widget: OneLine, Kind: String, Text: "The cluster the service runs in."},
		{Pattern: "minInstancesPerNode", Widget: Integer, Kind: Number,
			Text: "The fewest instances to keep running; may be 0."},
		{Pattern: "maxInstancesPerNode", Widget: Integer, Kind: Number,
			Text: "The most instances that may run; not below the minimum."},
		{Pattern: "instancesPerContainer", Widget: Integer, Text: "How many instances share a container."},
		{Pattern: "maxWaitTime", Widget: TimeInteger, Kind: Number,
			Text: "How long a client waits for a free instance. Unit not documented."},
		{Pattern: "maxStartupTime", Widget: TimeInteger,
			Text: "How long an instance may take to start. Unit not documented."},
		{Pattern: "maxIdleTime", Widget: TimeInteger, Kind: Number,
			Text: "How long an instance may be idle before it is stopped. Unit not documented."},
		{Pattern: "maxUsageTime", Widget: TimeInteger, Kind: Number,
			Text: "How long one request may use an instance. Unit not documented."},
		{Pattern: "recycleInterval", Widget: TimeInteger, Kind: Number,
			Text: "How often instances are replaced by new ones. Unit not documented."},
		{Pattern: "recycleStartTime", Widget: ClockTime, Kind: String,
			Text: "When the first replacement of the day begins (HH:MM)."},
		{Pattern: "keepAliveInterval", Widget: TimeInteger, Kind: Number,
			Text: "How often idle instances are checked; examples use -1. Unit not documented."},
		{Pattern: "loadBalancing", Widget: OneLine, Kind: String,
			Values: []string{"ROUND_ROBIN"}, Text: "How requests are spread over the instances."},
		{Pattern: "isolationLevel", Widget: OneLine, Kind: String,
			Values: []string{"HIGH"}, Text: "How strictly instances are isolated."},
		{Pattern: "deploymentId", Widget: OneLine,
			Text: "The deployment whose pods run the service. Others may share it."},
		{Pattern: "frameworkProperties", Kind: Object, Text: "Settings of the framework around the service."},
		{Pattern: "frameworkProperties.*", Text: "A setting of the framework around the service."},
	}},
	{Framework, false, []Field{
		{Pattern: "maxUploadFileSize", Widget: Integer, Text: "The largest file that may be uploaded. Unit not documented."},
		{Pattern: "allowedUploadFileTypes", Widget: CommaList, Text: "Which types of files may be uploaded."},
	}},
	{TypeProperties, true, []Field{
		{Pattern: "properties", Kind: Object, Text: "Settings of this type of service."},
		{Pattern: "properties.*", Text: "A setting of this type of service."},
		{Pattern: "properties.maxRecordCount", Widget: Integer,
			Text: "The most records that one query returns."},
		{Pattern: "properties.maxBufferCount", Widget: Integer,
			Text: "The most buffers that one request may ask for."},
		{Pattern: "properties.maxImageHeight", Widget: Integer, Text: "The largest image height, in pixels."},
		{Pattern: "properties.maxImageWidth", Widget: Integer, Text: "The largest image width, in pixels."},
		{Pattern: "properties.filePath", Widget: OneLine, Path: true,
			Text: "The file that the service was published from. A wrong path stops the service."},
		{Pattern: "properties.cacheDir", Widget: OneLine, Path: true, Text: "Where the tile cache is stored."},
		{Pattern: "properties.outputDir", Widget: OneLine, Path: true, Text: "Where images and results are stored."},
		{Pattern: "properties.virtualOutputDir", Widget: OneLine, Path: true,
			Text: "The address where clients fetch files from the output directory."},
		{Pattern: "properties.supportedImageReturnTypes", Widget: OneLine,
			Values: []string{"MIME+URL", "MIME"}, Text: "How clients get images: as data only, or as a URL too."},
		{Pattern: "properties.isCached", Widget: OnOff, Text: "Whether the service uses a tile cache."},
		{Pattern: "properties.ignoreCache", Widget: OnOff, Text: "Whether to ignore an existing cache."},
		{Pattern: "properties.cacheOnDemand", Widget: OnOff,
			Text: "Whether missing tiles are created on first request."},
		{Pattern: "properties.clientCachingAllowed", Widget: OnOff,
			Text: "Whether clients may cache tiles."},
		{Pattern: "datasets", Kind: Array, Text: "The data that the service uses."},
	}},
	{Extensions, true, []Field{
		{Pattern: "extensions", Kind: Array, Text: "Additional interfaces of the service, such as WMSServer or WFSServer."},
		{Pattern: "extensions[*]", Kind: Object, Text: "An additional interface of the service."},
		{Pattern: "extensions[*].typeName", Widget: OneLine, Kind: String,
			Values: []string{"WMSServer", "WFSServer", "WCSServer"}, Text: "Which interface this is."},
		{Pattern: "extensions[*].enabled", Widget: OnOff, Kind: Bool,
			Text: "Whether the interface is on. When off, its clients lose access."},
		{Pattern: "extensions[*].capabilities", Widget: CommaList, Kind: String,
			Text: "What clients may do through this interface."},
		{Pattern: "extensions[*].properties", Kind: Object,
			Text: "Settings of this interface. Each is a string, even numbers and true or false."},
		{Pattern: "extensions[*].properties.*", Widget: OneLine, Kind: String,
			Text: "A setting of this interface, always a string."},
	}},
}

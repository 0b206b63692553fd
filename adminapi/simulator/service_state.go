package simulator

import "time"

// The states of a service.
const (
	serviceStarted = "STARTED"
	serviceStopped = "STOPPED"
)

// How long a service takes to start and to stop.
const (
	startTakes = 4 * time.Second
	stopTakes  = 2 * time.Second
)

// testedServices are what tests of health checks call.
var testedServices = map[string]string{
	"healthcheck_geometryService":   "Utilities/Geometry.GeometryServer",
	"healthcheck_publishingService": "System/PublishingTools.GPServer",
	"healthcheck_spatialanalysis":   "System/SpatialAnalysisTools.GPServer",
}

func serviceStateRoutes(w *world) []route {
	return append(append([]route{
		get("/services/{service}/status", "Service status", w.showServiceStatus),
		get("/services/{folder}/{service}/status", "Service status", w.showServiceStatus),
	}, w.serviceOperation("start", "Start service", w.startService)...),
		w.serviceOperation("stop", "Stop service", w.stopService)...)
}

type serviceStatusBody struct {
	Configured string `json:"configuredState"`
	RealTime   string `json:"realTimeState"`
}

func (w *world) showServiceStatus(q *request) (answer, error) {
	s, err := w.serviceOf(q)
	if err != nil {
		return answer{}, err
	}
	return answer{body: serviceStatusBody{s.configuredState(), w.realStateOf(s, q.now)}}, nil
}

func (s *service) configuredState() string {
	if s.stopped {
		return serviceStopped
	}
	return serviceStarted
}

func (s *service) realState(now time.Time) string {
	switch {
	case s.broken != "":
		return serviceStopped
	case now.Before(s.settles):
		return s.meanwhile
	}
	return s.configuredState()
}

// change keeps a service in a state until it is what it is configured to be.
func (s *service) change(meanwhile string, until time.Time) {
	s.meanwhile, s.settles = meanwhile, until
}

func (w *world) startService(q *request, s *service) (answer, error) {
	return w.switchService(q, s, false, job{name: "Start service", ends: q.now.Add(queueTime + startTakes)})
}

func (w *world) stopService(q *request, s *service) (answer, error) {
	return w.switchService(q, s, true, job{name: "Stop service", ends: q.now.Add(queueTime + stopTakes)})
}

// switchService starts or stops a service. One that is so already is left
// alone, and that is a success.
func (w *world) switchService(q *request, s *service, stop bool, j job) (answer, error) {
	async, err := q.boolean("async", false)
	if err != nil {
		return answer{}, err
	}
	meanwhile := s.realState(q.now)
	s.stopped, j.resource, j.begins, s.busyUntil = stop, s.name, q.now.Add(queueTime), j.ends
	s.change(meanwhile, j.ends)
	if s.broken != "" && !stop {
		j.end, j.messages = jobFailed, []string{s.broken}
	}
	switch {
	case async:
		return w.inJob(q, j), nil
	case j.end == jobFailed:
		return answer{body: operationError{"error", j.messages, 500}, after: j.ends.Sub(q.now)}, nil
	}
	return answer{body: statusBody{"success"}, after: j.ends.Sub(q.now)}, nil
}

// operationError is the form in which operations on services fail.
type operationError struct {
	Status   string   `json:"status"`
	Messages []string `json:"messages"`
	Code     int      `json:"code"`
}

// examineService returns what a test finds of the service that it calls.
func (w *world) examineService(testName string) (finding, bool) {
	path := testedServices[testName]
	s := w.services.byPath[path]
	if s == nil || w.realStateOf(s, w.clock.Now()) == serviceStarted {
		return finding{}, false
	}
	return finding{testFail, "The service " + path + " is not started.", 0}, true
}

package simulator

// Options says which world to make.
type Options struct {
	Scenario Scenario // the zero Scenario is "healthy"
	Seed     int64    // 0 means the scenario's own
	Clock    Clock    // nil means NewScaledClock(1)
}

// Server is a simulated site.
type Server struct{}

// User is somebody who can sign in to the simulated site.
type User struct {
	Username   string   `json:"username"`
	Password   string   `json:"password"`
	Privileges []string `json:"privileges"` // the spec's words; the first user has all
}

// New makes the world. The error says what a scenario got wrong.
func New(o Options) (*Server, error) { panic("contract only") }

// Start serves on address, such as 127.0.0.1:0, until Close. Only loopback
// addresses are taken.
func (s *Server) Start(address string) error { panic("contract only") }

// URL returns the administrative root of the running server,
// http://127.0.0.1:PORT/geodeck/admin.
func (s *Server) URL() string { panic("contract only") }

// TokenURL returns where tokens are issued.
func (s *Server) TokenURL() string { panic("contract only") }

// Users returns who can sign in; the first one is the administrator.
func (s *Server) Users() []User { panic("contract only") }

// Clock returns the world's clock.
func (s *Server) Clock() Clock { panic("contract only") }

// Close stops serving and waits until no request and no goroutine is left.
func (s *Server) Close() error { panic("contract only") }

// Scenario is a world and what will happen to it, as data.
type Scenario struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// BuiltIn returns a scenario that ships with the program.
func BuiltIn(name string) (Scenario, bool) { panic("contract only") }

// ScenarioNames lists the scenarios that ship with the program, healthy first.
func ScenarioNames() []string { panic("contract only") }

// ReadScenario reads a scenario from YAML. Unknown keys and impossible values
// are errors that name the key.
func ReadScenario(yaml []byte) (Scenario, error) { panic("contract only") }

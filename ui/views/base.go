package views

// Base is what every view and every child of one starts with: embed it. A child shares
// the scope of its view, so that its replies reach the view, which passes them on; it
// speaks upward by the messages of messages.go alone and never knows its parent.
type Base struct {
	Env           *Env
	Scope         *Scope
	Width, Height int // cells, set by the parent
}

// NewBase returns the base of a view, with a scope of its own that ends with the program.
func NewBase(env *Env) Base { return Base{Env: env, Scope: NewScope(env.Context)} }

// Child returns the base of a child, which has the same surroundings and no size yet.
func (b *Base) Child() Base { return Base{Env: b.Env, Scope: b.Scope} }

// Replies is what the replies of the view are addressed to.
func (b *Base) Replies() *Scope { return b.Scope }

// Close cancels what is under way.
func (b *Base) Close() { b.Scope.Close() }

// SetSize takes the cells.
func (b *Base) SetSize(width, height int) { b.Width, b.Height = width, height }

// Package parallel runs the requests of one fetch beside each other. See [Group].
package parallel

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// MaxRequests bounds the requests under way for a list. The client bounds those of all lists alike.
const MaxRequests = 4

// Group runs parts of a fetch beside each other. Where one panics, Wait does, with a
// [*Panicked]: on the goroutine of the caller there is somebody who gives the terminal back. Go
// and Wait are called by one goroutine.
type Group struct {
	Limit int // how many run at a time; 0 for any number

	parts    sync.WaitGroup
	running  chan struct{}
	panicked atomic.Pointer[Panicked]
}

// Panicked is a panic of another goroutine than the one that it is seen on.
type Panicked struct {
	Value any
	Stack []byte // of the goroutine that has failed
}

// Error names the value, as a program does that ends by it.
func (p *Panicked) Error() string { return fmt.Sprint(p.Value) }

// PanicOf returns what a panic was about and the stack that it began on: stack, unless it
// comes from another goroutine.
func PanicOf(recovered any, stack []byte) (value any, began []byte) {
	if elsewhere, ok := recovered.(*Panicked); ok {
		return elsewhere.Value, elsewhere.Stack
	}
	return recovered, stack
}

// Go runs a function, once there are fewer than Limit others.
func (p *Group) Go(f func()) {
	if p.running == nil && p.Limit > 0 {
		p.running = make(chan struct{}, p.Limit)
	}
	if p.running != nil {
		p.running <- struct{}{}
	}
	p.parts.Go(func() {
		defer func() {
			if recovered := recover(); recovered != nil {
				value, stack := PanicOf(recovered, debug.Stack())
				p.panicked.CompareAndSwap(nil, &Panicked{value, stack})
			}
			if p.running != nil {
				<-p.running
			}
		}()
		f()
	})
}

// Wait returns when all have ended.
func (p *Group) Wait() {
	p.parts.Wait()
	if panicked := p.panicked.Load(); panicked != nil {
		panic(panicked)
	}
}

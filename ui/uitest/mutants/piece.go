package main

import (
	"go/ast"
	"go/token"
	"slices"
)

// piece is a node of the syntax tree with those around it, the nearest last.
type piece struct {
	node ast.Node
	up   []ast.Node
}

// mentions reports whether all names stand in one of the nodes each.
func mentions(names []string, in ...ast.Node) bool {
	missing := slices.Clone(names)
	for _, n := range in {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				missing = slices.DeleteFunc(missing, func(m string) bool { return m == name.Name })
			}
			return len(missing) > 0
		})
	}
	return len(missing) == 0
}

// nameOf is the last name of an expression.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return nameOf(e.X)
	}
	return ""
}

// parent returns the node right around the piece, n steps further out.
func (p piece) parent(n int) ast.Node {
	if n >= len(p.up) {
		return nil
	}
	return p.up[len(p.up)-1-n]
}

// logical are the operators that yield a bool.
var logical = []token.Token{token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}

// isCondition reports whether the piece is what never, always and onlyIf change.
func (p piece) isCondition() bool {
	e, ok := p.node.(ast.Expr)
	if !ok {
		return false
	}
	switch parent := p.parent(0).(type) {
	case *ast.IfStmt:
		return parent.Cond == e
	case *ast.ForStmt:
		return parent.Cond == e
	case *ast.BinaryExpr:
		if parent.Op == token.LAND || parent.Op == token.LOR {
			return true
		}
	case *ast.CaseClause:
		choice, ok := p.parent(2).(*ast.SwitchStmt)
		return ok && choice.Tag == nil && slices.Contains(parent.List, e)
	case *ast.ReturnStmt:
		return p.returnsBool(slices.Index(parent.Results, e))
	}
	b, ok := e.(*ast.BinaryExpr)
	return ok && slices.Contains(logical, b.Op)
}

// returnsBool reports whether a result of the function around it is a bool.
func (p piece) returnsBool(at int) bool {
	for _, n := range slices.Backward(p.up) {
		var of *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncLit:
			of = n.Type
		case *ast.FuncDecl:
			of = n.Type
		default:
			continue
		}
		var types []string
		for _, field := range of.Results.List {
			types = append(types, slices.Repeat([]string{nameOf(field.Type)}, max(1, len(field.Names)))...)
		}
		return at < len(types) && types[at] == "bool"
	}
	return false
}

// init is what an if does before its condition is looked at.
func (p piece) init() ast.Node {
	if around, ok := p.parent(0).(*ast.IfStmt); ok && around.Init != nil {
		return around.Init
	}
	return nil
}

// isStatement reports whether the piece stands for itself in a list of statements.
func (p piece) isStatement() bool {
	s, ok := p.node.(ast.Stmt)
	if !ok {
		return false
	}
	switch parent := p.parent(0).(type) {
	case *ast.BlockStmt:
		_, isCase := s.(*ast.CaseClause)
		_, isComm := s.(*ast.CommClause)
		return !isCase && !isComm
	case *ast.CaseClause:
		return true
	case *ast.CommClause:
		return parent.Comm != s
	}
	return false
}

// declares reports whether the piece is a statement that others need.
func (p piece) declares() bool {
	assigned, ok := p.node.(*ast.AssignStmt)
	if _, declared := p.node.(*ast.DeclStmt); declared {
		return true
	}
	return ok && assigned.Tok == token.DEFINE
}

// list returns the list that the piece is a part of.
func (p piece) list() []ast.Expr {
	e, ok := p.node.(ast.Expr)
	if !ok {
		return nil
	}
	var all []ast.Expr
	switch parent := p.parent(0).(type) {
	case *ast.CompositeLit:
		all = parent.Elts
	case *ast.CallExpr:
		all = parent.Args
	case *ast.CaseClause:
		if all = parent.List; len(all) == 1 {
			return nil
		}
	case *ast.BinaryExpr:
		if parent.Op == token.OR || parent.Op == token.ADD {
			all = []ast.Expr{parent.X, parent.Y}
		}
	}
	if !slices.Contains(all, e) {
		return nil
	}
	return all
}

// value returns the value that the piece gives to a name.
func (p piece) value(name string) ast.Expr {
	switch n := p.node.(type) {
	case *ast.KeyValueExpr:
		if nameOf(n.Key) == name {
			return n.Value
		}
	case *ast.CallExpr:
		if nameOf(n.Fun) == name && len(n.Args) > 0 {
			return n.Args[len(n.Args)-1]
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if nameOf(left) == name && len(n.Lhs) == len(n.Rhs) {
				return n.Rhs[i]
			}
		}
	case *ast.ValueSpec:
		for i, declared := range n.Names {
			if declared.Name == name && i < len(n.Values) {
				return n.Values[i]
			}
		}
	}
	return nil
}

// context returns what a name may stand in: the statement or the values of the case that the
// piece is part of, and the condition of the if or the values of the case that lead to it.
func (p piece) context() []ast.Node {
	for at := len(p.up); at > 0; at-- {
		inner := p
		if at < len(p.up) {
			inner = piece{p.up[at], p.up[:at]}
		}
		if inner.isStatement() {
			return append(header(inner.node), inner.guard()...)
		}
		switch clause := inner.parent(0).(type) {
		case *ast.CaseClause, *ast.CommClause:
			return header(clause)
		}
	}
	return []ast.Node{p.node}
}

// guard returns what leads to a statement.
func (p piece) guard() []ast.Node {
	if _, ok := p.parent(0).(*ast.BlockStmt); ok {
		if around, ok := p.parent(1).(*ast.IfStmt); ok {
			return header(around)
		}
		return nil
	}
	return header(p.parent(0))
}

// header returns a node without the statements in it, of which it may lead to others.
func header(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.IfStmt:
		return []ast.Node{n.Init, n.Cond}
	case *ast.ForStmt:
		return []ast.Node{n.Init, n.Cond, n.Post}
	case *ast.RangeStmt:
		return []ast.Node{n.Key, n.Value, n.X}
	case *ast.SwitchStmt:
		return []ast.Node{n.Init, n.Tag}
	case *ast.TypeSwitchStmt:
		return []ast.Node{n.Init, n.Assign}
	case *ast.SelectStmt, *ast.BlockStmt:
		return nil
	case *ast.CommClause:
		return []ast.Node{n.Comm}
	case *ast.CaseClause:
		var all []ast.Node
		for _, e := range n.List {
			all = append(all, e)
		}
		return all
	}
	return []ast.Node{n}
}

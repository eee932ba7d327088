package nn

// Exits returns how many exits the network has: 1 but for networks with early ones.
func (n *Net) Exits() int { return len(n.outputs) }

// ExitLogits returns the logits [batch][classes] of an exit, from 0 for the first, that the last Forward computed. They are
// valid until the next.
func (n *Net) ExitLogits(exit int) []float32 { return n.exit(exit)[:n.batch*n.g.Classes] }

// exit is where the logits of an exit lie.
func (n *Net) exit(exit int) []float32 {
	each := n.opt.Batch * n.g.Classes
	return n.logits[exit*each:][:each]
}

// exitGrad returns the gradient of an exit's logits, nil where Backward was given that of the last exit alone.
func (n *Net) exitGrad(exit int) []float32 {
	each := n.batch * n.g.Classes
	if len(n.dlogits) == each {
		exit -= len(n.outputs) - 1
	}
	if exit < 0 {
		return nil
	}
	return n.dlogits[exit*each:][:each]
}

package gate

// Alert is the lowest use of a resource that makes a run a finding: an amount, or a share
// of the limit. The zero value never is one.
type Alert struct {
	Amount int64   // bytes of memory, or nanoseconds of processor time
	Share  float64 // of the limit, above 0 and up to 1; used where there is no amount
	// Own says that the policy sets it. An own value weighs the same for every run;
	// the default also meets tests and compilers, of which much work is expected.
	Own bool
}

// At returns the amount for a limit, 0 for never.
func (a Alert) At(limit int64) int64 {
	if a.Amount > 0 {
		return a.Amount
	}
	return int64(a.Share * float64(limit))
}

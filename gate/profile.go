package gate

// Profile names the values of several keys at once, so that a repository chooses how
// strict gate is with one line.
type Profile string

// The profiles.
const (
	// ProfileDefault blocks what is dangerous and requires the static layer.
	ProfileDefault Profile = "default"
	// ProfileStrict also blocks what is suspicious, requires every layer, and has no
	// answer count as a gap: for a repository without close review.
	ProfileStrict Profile = "strict"
)

// Apply gives a policy the values of the profile. Keys that no profile is about keep
// theirs. The caller applies the keys of a file afterwards: they override the profile.
func (profile Profile) Apply(p *Policy) {
	p.Profile = profile
	switch profile {
	case ProfileStrict:
		p.FailOn = SeveritySuspicious
		p.Require = Layers()
		p.On = On{NotExecutable: LeniencyIncomplete, UnknownType: LeniencyIncomplete, LargeSource: LeniencyIncomplete}
	default:
		p.FailOn = SeverityDangerous
		p.Require = []Layer{LayerStatic}
		p.On = On{NotExecutable: LeniencyWarn, UnknownType: LeniencyWarn, LargeSource: LeniencyWarn}
	}
}

// MustRun reports whether a program of which nothing ran, or whose top level did not
// execute, is INCOMPLETE. A decision that something did not run asks here, and
// nothing else.
func (o On) MustRun() bool { return o.NotExecutable == LeniencyIncomplete }

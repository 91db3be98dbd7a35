// Package hook answers the hooks of coding agents in their own words, so that an agent
// meets gate while it works: before a tool runs, and after an edit.
//
//	what the tool sends → Parse → Event → Decide → Answer → Render → what the tool reads
//
// All three steps are pure. Tools are a table ([Tools]): what their events mean, how they
// are told "no", and what happens there when a hook is missing, killed or hung.
//
//	guard    what an agent must not do to gate itself
//	hookrun  the process: standard input, the static layer, the deadline, the hooks of git
//	hookcmd  the flags of the command
//
// What it promises: what is sent is hostile, and read strictly, with its size and depth
// bounded; an event that a tool has not got, a doubtful message and everything that could
// not be looked at are refused where the hook can refuse; an answer never allows what the
// tool itself would ask the user about.
//
// What it doesn't do: enforce. The agent runs as the user does, and what a user can do to
// a hook, the agent can do. CI enforces.
package hook

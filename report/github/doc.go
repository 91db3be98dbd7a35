// Package github publishes a result to GitHub: one sticky comment, a check run
// with annotations, and an upload to code scanning; one issue while gate itself is
// not what it was; and it asks GitHub the few
// things that a decision needs, such as the permission of a user.
//
// What it promises: every part is tried on its own and says what became of it;
// a part that could not be published never changes the decision and is never
// silent; what GitHub refuses for its size is cut at a border and says so; waits
// for rate limits are bounded; a request that GitHub may have acted on is not
// blindly repeated.
//
// What it does not do: render reports (package report does), decide anything,
// or read events.
package github

// Package replay says what gate would have said about the history of a repository: how
// many of the changes that people merged it would have blocked, flagged or left
// incomplete, because of which rules and files, and which lines of the policy would have
// changed that. With it a team decides whether to switch gate on.
//
// On request it proposes safe usages from what the team dismissed again and again.
//
// It promises that a summary is a function of its rows; that what a line of the policy
// lets through is beside what it helps; and that text of the history is shown as
// text, whatever it holds.
//
// It doesn't run anything: package replayrun puts the changes through the layers and
// makes the rows.
package replay

// Package rate limits how many sandbox runs a user of one machine starts in an hour,
// over all processes that share a folder (policy key rate.runs-per-hour).
//
// It promises that no more than the limit are allowed in one hour of the clock,
// however many processes ask at the same time and however they end: a run that was
// allowed is a file, made so that only one process can make it. When the folder
// cannot be written, no run is allowed.
//
// It doesn't protect one user from another, who has a folder of their own, and it
// can't bind a user who removes the files.
package rate

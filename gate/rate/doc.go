// Package rate limits how many sandbox runs are started in an hour, over all processes that
// share a folder (policy key rate.runs-per-hour): those that one user asks for, and those of
// the same code for any user. On a shared runner every job has the same account,
// so the user is the person that the job runs for.
//
// It promises that no more than the limit are allowed in one hour of the clock,
// however many processes ask at the same time and however they end: a run that was
// allowed is a file, made so that only one process can make it. When the folder
// cannot be written, no run is allowed.
//
// It doesn't limit accounts of the machine against each other, which have a folder of their
// own each, and it can't bind an account that removes its files.
package rate

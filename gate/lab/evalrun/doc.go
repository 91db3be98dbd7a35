// Package evalrun measures the layers of this machine on a labelled corpus, which is the
// command `gate eval`:
//
//	corpus → eval.Run or eval.MeasureJudge over open layers → result, compared with an
//	older one
//
// What it promises: every sample goes through the layers as a scan of a folder that holds
// nothing else; the policy is not that of the folder in which it happens to run, and no
// suppression counts, so that figures of different machines can be compared; with the
// judge alone nothing is cached. What was not measured is an error with its exit code
// (package exit).
//
// What it does not do: count (package eval does), or say how good a figure is.
package evalrun

// Package eval measures what the layers find in a corpus: files and folders of
// which are labelled malicious or benign.
//
// It promises that a corpus which loads is usable as it is, with every mistake
// in it reported with file, line and column; that each sample is put through the
// pipeline by itself, so that none corroborates another; that nothing which a
// layer did not look at counts as found or as clean without being listed; and
// that equal outcomes give equal reports.
//
// It doesn't know any layer: the pipeline comes in as a function, and whatever
// that says about a layer by name is measured. It doesn't say how good a layer is
// on other data: a corpus that rules were written against shows that they still
// work, and nothing else.
package eval

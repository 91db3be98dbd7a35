// Package runners finds functions that run a text that they are given, and the texts
// that other code gives them.
//
// A helper that printed its argument and now runs it does harm with texts that a change
// doesn't touch. [In] names such helpers of one text, [Given] the literal texts that another
// one calls them with.
//
// It promises to take any text, and to need time and memory bounded by the constants here.
//
// It doesn't know types or which module a name comes from; the caller decides which
// files have to do with each other. It follows no value out of a function.
package runners

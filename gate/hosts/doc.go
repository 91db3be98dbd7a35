// Package hosts knows which hosts the base of a change names, so that data that the
// change sends to any other host can be told from what the repository does already.
//
// A host is named where its name or address is in any text file of the base:
// code, settings, lock files, documentation. What is compared is the whole name; that
// the base names example.com says nothing about collect.example.com. Only beside an address of
// three labels or more below one owner (api.eu.example.com) are its siblings not new.
//
// It promises to read a bounded amount of the base, to keep memory bounded, and,
// where a bound is reached or nothing can be read, to know fewer hosts and never
// more.
//
// It doesn't look up names, and it doesn't know who owns a host.
package hosts

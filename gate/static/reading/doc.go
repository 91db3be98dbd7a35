// Package reading decides how the bytes of a file are turned into text, and as
// which languages that text is read.
//
// It promises that the whole content decides: [Measure] sees every byte before
// [File.Plan] says anything. A file that one program would decode and another run
// as it is gets a reading for each. First bytes that look like a binary format
// never keep a file from being read that an interpreter would run: its name, its
// mode, its first line or another file may say so.
//
// It doesn't look for anything in the text, and it doesn't unpack formats that
// hold other files.
package reading

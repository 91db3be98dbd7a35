// Package moved knows which lines of a settings file name an address, and where code reads
// one of them by its key.
//
// [Values] reads lines of any format of keys and values (JSON, YAML, TOML, INI, properties,
// environment files, XML, workflows). [Fill] writes an address in the place of each expression
// of a program that reads its key, so that rules see where it goes.
//
// It promises to be linear in its input and to keep line numbers: a filled text has the lines
// of the text that it was made of.
//
// It doesn't know which file a program reads. A key that many programs use counts only where
// the expression says that it is a setting.
package moved

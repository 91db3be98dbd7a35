// Package skill reads skills: folders with a SKILL.md whose front matter says what they are
// for, and with files that go with it.
//
// What it promises: a skill is read whole or not at all, in bounded memory; nothing outside
// of its folder is read, since a link in it is an error; the front matter is YAML without
// anchors, aliases and tags, and its name is that of the folder.
//
// What it does not do: decide whether a skill is safe. Its text is written for a model, and
// its scripts are programs: both go through the layers before they reach anybody.
package skill

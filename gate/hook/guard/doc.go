// Package guard says what an agent must not do to gate itself: change the settings that
// call its hooks, commit or push past them, end it, or put another program in its place.
// Start with [Command] and [Path].
//
// What it promises: a command is read as a shell reads it, as far as that is possible
// without running it (quotes, variables, substitutions, nested shells, here documents),
// with work bounded by its length; a command that is too long or nested too deeply is
// refused, because nothing can be said about it.
//
// A mention of --no-verify that no reading explains as text is refused, whatever it is in.
//
// What it doesn't do: know what a program does with what it is given. A command that is
// put together while it runs, and a file that a program writes by itself, get past it.
// What they lead to is for the hooks of git and for CI to see.
package guard

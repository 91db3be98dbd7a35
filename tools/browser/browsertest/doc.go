// Package browsertest drives a headless Chromium for the tests of gate's pages.
//
//	b := browsertest.Open(t)
//	p := b.Page(browsertest.Screen{Width: 375, Dark: true})
//	p.Go(url); p.Wait("document.title == 'gate'"); p.Axe()
//
// It speaks the DevTools protocol over two pipes, so that no port is open and no library is
// needed. The browser has a profile of its own, which goes with the test. Pages are
// measured with axe-core, at the version in the lock file of tools/browser.
//
// What it does not do: anything in another browser.
package browsertest

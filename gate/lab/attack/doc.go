// Package attack proves that detection and containment hold: it puts attacks and
// their benign twins through the layers and says which layer stopped what.
//
//	suite → trials (attack × layer × runtime) → rows → result, compared with a baseline
//
// What it promises: every layer is asked by itself, so that one layer's success
// never hides another one's failure; an attack counts as contained only when it
// was executed and nothing was found from outside of its containers, neither in
// what the engine says of them nor on this machine; an attack that should have
// run and did not is a failure, and one in which there is nothing to run is
// counted apart. What could not be looked at makes the result incomplete, never a
// pass. Everything that is read, samples and baselines, is bounded and strict.
//
// What it does not do: open layers, containers or sockets. The pipeline and the monitor
// of the machine are handed to it (package attackrun has them).
package attack

// Package netsim is the internet that a program in the sandbox talks to. The
// container has no network. The supervisor rewrites the addresses that the program
// connects and sends to into loopback addresses from here, behind which DNS, web
// servers with certificates that common runtimes trust, mail servers, a cloud's
// metadata service and package indexes are played. What the program asks for and
// what it sends is the evidence.
//
// What it promises:
//
//   - Nothing leaves: it opens sockets on 127.0.0.1 to listen and never connects
//     or sends anywhere but back on them. (That the container has no network is
//     the engine's promise and holds without this one.)
//   - Every connection and datagram that arrives is an event: who it was for, what
//     was asked, the head of what was sent, how many bytes. All bytes, not the head
//     alone, are searched for canaries, below TLS, chunks and compression.
//   - Names have one address each, the same in every run, and a connection to it
//     is known by the name.
//   - It is bounded: listeners, connections, bytes and time of each, events. What
//     did not fit, could not be read or broke is counted by [Net.Lost], and then
//     the evidence has gaps.
//
// What it does not: answer as a particular server would. An answer is plausible
// and inert: empty JSON, a small page, a script that does nothing. Protocols that
// it does not know are read and not answered, so QUIC, SSH and databases go no
// further than their first words. A secret cut into pieces of fewer than
// [canary.Part] characters over separate requests is not put together, but for DNS
// questions. A program can find out that the internet is not real.
package netsim

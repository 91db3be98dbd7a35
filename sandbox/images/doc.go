// Package images builds the images that code under test runs in, one for each
// of Python, Node, Go and shell, and says how old they are and what is in them.
//
// Package images/build is the command that does it. What installs the dependencies of a
// commit runs in a container without a network: package images/relay is its first process,
// and package images/fetch its only way out.
//
// What it promises: every image is built from the Dockerfile beside this text on
// any Debian base; it has one unprivileged user, no set-user-ID program and no
// package manager in any layer; what does not come from Debian is pinned by
// checksum; labels name the language, the versions, the time of the build and a
// digest of the Dockerfile, so that an image that is current is not built again
// and one that is too old is seen.
//
// The images for languages are also published by the project's workflow images.yml, under
// names that follow from what they are built from: [Published] and [Outdated] say them.
//
// What it does not do: run anything in an image, push or pull sandbox images (tools/action
// does, and checks who has signed them), or know about files, units and verdicts. Building
// needs a network; running never does.
package images

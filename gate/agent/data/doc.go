// Package data fetches what a program of `gate agent` is to work on, because the
// program itself has no network.
//
// What it promises: only URLs that a person named are fetched, only from origins
// on the allow-list, over HTTPS unless the list says otherwise, and a redirect is
// followed only to another origin on the list; an address that is not public is
// dialled only where the list has that address itself, whatever name led to it, and
// the metadata services of clouds never; how much is fetched, and for how long, is
// bounded; names are plain; nothing of this machine is sent along: no cookies, no
// credentials, no proxy.
//
// What it does not do: look into what it fetched, or keep it.
package data

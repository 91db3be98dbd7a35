# An image that carries gate, for CI systems that run steps in containers and for
# agents:
#
#   docker build -t gate .
#   docker run --rm -v "$PWD:/src:ro" gate scan --layers static /src
#
# The sandbox layer needs an engine: give the container the engine's socket and
# the socket's group, and know that whoever has the socket has the host:
#
#   docker run --rm -v "$PWD:/src:ro" -v /var/run/docker.sock:/var/run/docker.sock \
#     --group-add "$(stat -c %g /var/run/docker.sock)" gate scan /src
#
# Both bases are arguments, so that it also builds from a mirror or a base made
# locally.
ARG BUILD_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
USER root
WORKDIR /gate
COPY . .
ARG VERSION=unknown
ENV CGO_ENABLED=0
RUN go build -buildvcs=false -trimpath -ldflags "-s -w -X github.com/aigate/gate/gate/buildinfo.version=${VERSION}" -o /usr/local/bin/gate ./cmd/gate

FROM ${BASE_IMAGE}
# git: which files and lines changed. ca-certificates: GitHub's API.
RUN apt-get update \
 && apt-get install -y --no-install-recommends git ca-certificates \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/gate /usr/local/bin/gate
COPY LICENSE /usr/share/doc/gate/LICENSE
# Whoever this runs as has a place for the logs of runs.
ENV HOME=/tmp
# A number, so that Kubernetes' runAsNonRoot can check it.
USER 65532:65532
WORKDIR /src
ENTRYPOINT ["gate"]
CMD ["--help"]

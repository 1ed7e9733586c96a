# Hearth's programs, built with a static Swift runtime, with the libraries that they load.
#
#   docker build -t hearth .
#   docker run hearth hearth-api --help

ARG SWIFT_IMAGE=swift:6.2-bookworm
# The same release of Debian, because the libraries must match those of the build.
ARG RUNTIME_IMAGE=debian:bookworm-slim

# Swift and the packages to build; .devcontainer uses this stage.
FROM ${SWIFT_IMAGE} AS toolchain
WORKDIR /hearth
# Separate from the sources, so that packages are installed again only when this script changes.
COPY scripts/install-dependencies scripts/lib.sh scripts/
RUN apt-get update -q && scripts/install-dependencies --build

FROM toolchain AS build
# Such as a commit; the metric hearth_build_info shows it.
ARG HEARTH_REVISION=
COPY Package.swift ./
COPY Sources Sources
# The manifest names these folders, so they must exist; they are not built.
COPY Examples Examples
COPY Tests Tests
RUN set -e; \
    mkdir -p /out; \
    for product in hearth-api hearth-worker hearth-admin hearth-console hearth-migrate; do \
        swift build -c release --static-swift-stdlib --product "$product"; \
        cp "$(swift build -c release --static-swift-stdlib --show-bin-path)/$product" /out/; \
    done; \
    strip --strip-debug /out/*

FROM ${RUNTIME_IMAGE}
WORKDIR /hearth
COPY scripts/install-dependencies scripts/lib.sh scripts/make-secrets scripts/
RUN apt-get update -q \
    && scripts/install-dependencies --runtime \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/ /usr/local/bin/
COPY sql/migrations sql/migrations
COPY sql/functions sql/functions
COPY sql/rights.txt sql/
# Numbers, so that an orchestrator can tell that it is not root.
USER 10001:10001
EXPOSE 8080
ENV HEARTH_LISTEN=0.0.0.0:8080
CMD ["hearth-api"]

# syntax=docker/dockerfile:1
# The server with everything it needs: `docker build -t brain .`; docs/operations.md says how to run it.

FROM rust:1.95.0-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --locked --profile dist --package brain --all-features \
    && cp target/dist/brain /usr/local/bin/brain

FROM debian:bookworm-slim
# Certificates for external calls, time zones for dates in requests, curl for the health check.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home --home-dir /var/lib/brain --shell /usr/sbin/nologin brain
COPY --from=build /usr/local/bin/brain /usr/local/bin/brain
COPY LICENSE /usr/share/doc/brain/LICENSE

USER brain
WORKDIR /var/lib/brain
ENV BRAIN_STORE=sqlite:/var/lib/brain/brain.db \
    BRAIN_LOG_FORMAT=json
VOLUME /var/lib/brain
EXPOSE 7700
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["curl", "--fail", "--silent", "--output", "/dev/null", "http://127.0.0.1:7700/healthz"]
# Without a token in the store nobody gets in; `brain admin token new` makes the first one.
ENTRYPOINT ["brain"]
CMD ["serve", "--addr", "0.0.0.0:7700", "--without-tokens"]

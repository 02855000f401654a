# syntax=docker/dockerfile:1
# A small S3-compatible store in a folder, the one that the tests use. For a trial: it has one disk and one process.

FROM rust:1.95-bookworm AS build
RUN cargo install --locked --features binary --root /image/usr/local --version 0.14.1 s3s-fs \
    && install --directory /objects/visibility

FROM debian:bookworm-slim
COPY --from=build /image/usr/local/bin/s3s-fs /usr/local/bin/
COPY --from=build --chown=65532:65532 /objects /objects
COPY --chmod=755 s3-server /usr/local/bin/
USER 65532:65532
EXPOSE 8014
CMD ["s3-server"]

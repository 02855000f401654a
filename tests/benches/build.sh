#!/usr/bin/env bash
# Measures a cold release build of `visibility` and the size of the binary. Usage: tests/benches/build.sh
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT
# Downloads are not part of a build.
cargo fetch --quiet --locked
start=$SECONDS
CARGO_TARGET_DIR=$target cargo build --quiet --locked --offline --release --package visibility-cli
seconds=$((SECONDS - start))
size=$(stat --format %s "$target/release/visibility")

cat <<EOF
commit $(git rev-parse --short HEAD), $(nproc) cores, $(rustc --version | cut -d ' ' -f 2), $(date -u +%F)

| what | value |
|---|---|
| cold release build | $seconds s |
| stripped binary | $(awk -v n="$size" 'BEGIN { printf "%.1f", n / 1000000 }') MB |
EOF

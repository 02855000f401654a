#!/usr/bin/env bash
# Measures a cold release build of `visibility` and the size of the binary. Usage: tests/benches/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/common"

target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT
start=$SECONDS
if in_trial; then
    # The tests have built it already.
    mkdir "$target/release"
    cp "$bin/visibility" "$target/release/"
else
    # Downloads are not part of a build.
    cargo fetch --quiet --locked
    start=$SECONDS
    CARGO_TARGET_DIR=$target cargo build --quiet --locked --offline --release --package visibility-cli
fi
seconds=$((SECONDS - start))
size=$(stat --format %s "$target/release/visibility")

cat <<EOF
$(heading)

| what | value |
|---|---|
| cold release build | $seconds s |
| stripped binary | $(awk -v n="$size" 'BEGIN { printf "%.1f", n / 1000000 }') MB |
EOF

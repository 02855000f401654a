#!/bin/sh
# Installs `visibility` and `visibility-server` from a release, for one user:
#
#     curl -fsSL https://github.com/visibility-rs/visibility/releases/latest/download/install.sh | sh
#
# VISIBILITY_VERSION      the version, such as 0.1.0; the latest one without it
# VISIBILITY_INSTALL_DIR  the folder for the programs; ~/.local/bin without it
# VISIBILITY_RELEASES     where the releases are, for a mirror
#
# Nothing is installed whose checksum is not that of the release. A program that is there is replaced.
set -eu

releases=${VISIBILITY_RELEASES:-https://github.com/visibility-rs/visibility/releases}
folder=${VISIBILITY_INSTALL_DIR:-$HOME/.local/bin}

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# The target that a release has for this machine.
target() {
    case $(uname -m) in
        x86_64 | amd64) cpu=x86_64 ;;
        aarch64 | arm64) cpu=aarch64 ;;
        *) fail "there is no release for $(uname -m); build it: $releases/../blob/main/docs/install.md" ;;
    esac
    case $(uname -s) in
        Linux) printf '%s-unknown-linux-musl\n' "$cpu" ;;
        Darwin) printf '%s-apple-darwin\n' "$cpu" ;;
        *) fail "this script is for Linux and macOS, and this is $(uname -s); see docs/install.md for other ways" ;;
    esac
}

# Saves what is at an address: fetch ADDRESS FILE
fetch() {
    if has curl; then
        curl --proto '=https' --tlsv1.2 --location --fail --silent --show-error --output "$2" "$1"
    elif has wget; then
        wget --https-only --quiet --output-document "$2" "$1"
    else
        fail 'neither curl nor wget is installed'
    fi || fail "cannot get $1"
}

checksum() {
    if has sha256sum; then
        sha256sum "$1"
    elif has shasum; then
        shasum -a 256 "$1"
    else
        fail 'neither sha256sum nor shasum is installed, so nothing can be verified'
    fi | cut -d ' ' -f 1
}

# All of it is read before any of it runs: a download that breaks off does nothing.
main() {
    archive=visibility-$(target).tar.gz
    case ${VISIBILITY_VERSION:-latest} in
        latest) from=$releases/latest/download ;;
        v*) from=$releases/download/$VISIBILITY_VERSION ;;
        *) from=$releases/download/v$VISIBILITY_VERSION ;;
    esac
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    fetch "$from/SHA256SUMS" "$work/SHA256SUMS"
    fetch "$from/$archive" "$work/$archive"
    expected=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$archive\$/\1/p" "$work/SHA256SUMS")
    found=$(checksum "$work/$archive")
    if [ -z "$expected" ] || [ "$expected" != "$found" ]; then
        fail "the checksum of $archive is $found, and the release says ${expected:-nothing of it}; nothing was installed"
    fi
    tar -xzf "$work/$archive" -C "$work"
    mkdir -p "$folder"
    for program in visibility visibility-server; do
        # Renamed, as the one that is there may be running.
        cp "$work/${archive%.tar.gz}/$program" "$folder/$program.new"
        chmod 755 "$folder/$program.new"
        mv -f "$folder/$program.new" "$folder/$program"
    done
    printf '%s and visibility-server are in %s\n' "$("$folder/visibility" --version)" "$folder"
    case :$PATH: in
        *":$folder:"*) ;;
        *) printf 'That folder is not in your PATH: export PATH="%s:$PATH"\n' "$folder" ;;
    esac
    printf 'Try it: visibility scan --demo\n'
}

main

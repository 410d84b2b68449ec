#!/bin/sh
# build.sh ROOT: lays out in ROOT all that the server runs on: a static `mancala`, and an empty `data`.
# Needs Rust and a C compiler.
set -eu
cd "$(dirname "$0")/.."
root=${1:?usage: deploy/build.sh ROOT}

# Naming the target keeps the flags away from build scripts and procedural macros, which can't be static.
target=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS='-C target-feature=+crt-static' cargo build --release --locked --bin mancala --target "$target"

mkdir -p "$root"
install -m 0555 "${CARGO_TARGET_DIR:-target}/$target/release/mancala" "$root/mancala"
install -d -m 0700 "$root/data"

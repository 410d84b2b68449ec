#!/usr/bin/env bash
# Tries the Dockerfile's steps without a container engine, as root on Linux: builds the static binary, serves from
# a read-only root folder as an unprivileged user with only /data writable, waits until `mancala health` is
# content, stops the server with SIGTERM and expects exit code 0. PORT is the port to listen on.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo 'deploy/try.sh: must be root, to change the root folder and the user' >&2; exit 1; }

root=$(mktemp -d)
pid=
clean() {
    if [ -n "$pid" ]; then kill -KILL "$pid" 2>/dev/null || true; fi
    rm -rf "$root"
}
trap clean EXIT
fail() {
    echo "deploy/try.sh: $*" >&2
    exit 1
}

deploy/build.sh "$root"
chown 65532:65532 "$root/data"
chmod 0755 "$root"
# What a container engine adds to any image.
mkdir "$root/dev" "$root/etc"
cp /etc/hosts /etc/resolv.conf "$root/etc"
# A static binary names no loader.
if readelf --program-headers "$root/mancala" | grep -q INTERP; then fail 'the binary is not static'; fi

# The image's own settings, but for the port.
mapfile -t environment < <(sed -n 's/^ENV //p' deploy/Dockerfile)
environment+=("MANCALA_LISTEN=0.0.0.0:${PORT:-50051}")
enter=(env --ignore-environment "${environment[@]}" "$(command -v chroot)" --userspec=65532:65532 "$root" /mancala)

# Each step replaces the one before, so that the process waited for is the server.
unshare --mount bash -euc '
    mount --bind "$0" "$0"
    mount --bind "$0/data" "$0/data"
    mount --bind /dev "$0/dev"
    mount -o remount,bind,ro "$0"
    exec "$@"
' "$root" "${enter[@]}" serve &
pid=$!

for ((tries = 100; ; tries--)); do
    kill -0 "$pid" 2>/dev/null || fail 'the server ended by itself'
    if answer=$(nsenter --target "$pid" --mount "${enter[@]}" health 2>&1); then break; fi
    ((tries > 0)) || fail "not healthy after 20 s: $answer"
    sleep 0.2
done
grep -q '^Uid:\s65532\s65532\s' "/proc/$pid/status" || fail 'the server runs as another user'
grep -q ' / ro[, ]' "/proc/$pid/mountinfo" || fail 'the root folder is writable'
[ -n "$(ls -A "$root/data")" ] || fail 'nothing was written to /data'

kill -TERM "$pid"
code=0
wait "$pid" || code=$?
pid=
[ "$code" = 0 ] || fail "exit code $code after SIGTERM"
echo 'deploy: healthy, and stopped cleanly'

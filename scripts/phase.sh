# Sourced, not run.
# phase NAME COMMAND…: one line with the time taken, and a test runner's closing line. The rest of the
# output is shown only when the command fails, which ends the script.
phase() {
    local name=$1 start=$SECONDS log code
    shift
    log=$(mktemp)
    printf '%-24s' "$name"
    if "$@" >"$log" 2>&1 </dev/null; then
        printf '%5d s\n' $((SECONDS - start))
        grep -E '^ *Summary \[|^[0-9]+ (passed|runs)' "$log" || true
        rm "$log"
    else
        code=$?
        printf 'failed after %d s: %s\n' $((SECONDS - start)) "$*"
        cat "$log"
        rm "$log"
        exit "$code"
    fi
}

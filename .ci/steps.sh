# Functions for the scripts of this folder, which source it.

# fail prints a reason and ends the script.
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# step runs a command under a header, prints its time, and ends the run if it fails. The
# command gets its own shell, because set -e does not work in a condition.
step() {
  local name=$1 start=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  set +e
  (
    set -Eeuo pipefail
    "$@"
  )
  status=$?
  set -e
  [ "$status" = 0 ] || fail "$name (exit $status after $((SECONDS - start))s)"
  printf -- '-- %s: %ds\n' "$name" $((SECONDS - start))
}

# later starts a command in the background; await waits for it and prints its output.
later() {
  local name=$1
  shift
  (
    start=$SECONDS
    status=0
    "$@" >"$logs/$name.log" 2>&1 || status=$?
    printf '%s %s\n' "$status" $((SECONDS - start)) >"$logs/$name.done"
  ) &
}

await() {
  local name=$1 start=$SECONDS status took
  printf '\n== %s (started at the beginning)\n' "$name"
  while [ ! -s "$logs/$name.done" ]; do sleep 0.2; done
  read -r status took <"$logs/$name.done"
  tail -n 20 "$logs/$name.log"
  if [ "$status" != 0 ]; then
    cat "$logs/$name.log"
    fail "$name (exit $status after ${took}s)"
  fi
  printf -- '-- %s: %ds, of which %ds waited for here\n' "$name" "$took" $((SECONDS - start))
}

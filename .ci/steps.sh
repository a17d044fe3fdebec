# What the scripts of this folder share. Sourced, not run.

# fail says why and ends the script.
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# step runs a command under a header, says how long it took, and ends the run when
# it fails. It runs in a shell of its own, since set -e means nothing after "if".
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

# later starts a command in the background; await waits for it and shows what it said.
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

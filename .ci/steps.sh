# shellcheck shell=bash
# Sourced by .ci/run and .ci/nightly. Starts steps in the background, records their results, and leaves no process behind.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# The system packages that services, tests and proofs need. CONTRIBUTING.md describes other systems.
install_system_packages() {
  local package missing=()
  for package in postgresql bubblewrap ripgrep fd-find git ca-certificates python3-venv iptables libfaketime procps; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  command -v chromium >/dev/null || missing+=(chromium) # on GitHub's images of Ubuntu it is not a package
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Makes this shell the parent of every process whose own parent has ended (PR_SET_CHILD_SUBREAPER is 36). At the end, the
# children of this shell are all processes that were left behind, including daemons with their own session and environment.
if [ "${COLOPHON_CI_SUBREAPER:-}" != $$ ]; then
  command -v python3 >/dev/null || install_system_packages || exit
  export COLOPHON_CI_SUBREAPER=$$
  exec python3 -c 'import ctypes, os, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])' "$BASH" "$PWD/.ci/$(basename "$0")"
fi

# The checks, from `npm run check`. The unit tests take longest, so they start first.
mapfile -t checks < <(sed --quiet 's/^ *"check": "\(.*\)",$/\1/p' package.json | grep --only-matching '[a-z]*:[a-z-]*' | tac)
checks+=(check:api check:workflows check:helm check:alerts)

# Proofs that every change must pass, longest first. They mostly wait.
proofs=(
  onboarding spend-is-bounded views-are-exact sandbox-escapes code-host-parity publish-exactly-once malformed-requests hostile-results
  jobs-survive-crashes hostile-ingest api-contract access-control github-faults role-permissions leaving project-deletion webhooks
  reverse-proxies site-generators hourly-rate-limit passkeys ci-federation ssrf-protection
)
# Proofs that take long, for what the tests and proofs above cover in part. job-opens-pull-request starts a new runner for each
# scenario, start-and-recovery installs a clone, containers builds three images, machines-vanish measures latency under load, restore starts
# four databases, rolling-upgrade installs the last release, long-haul shows what grows only in its stated hour, alerts waits for each alert,
# clients installs five runtimes, runner-failures waits for leases, sources kills processes for minutes, server-frameworks installs five
# frameworks.
nightly_proofs=(
  job-opens-pull-request start-and-recovery containers machines-vanish restore rolling-upgrade long-haul alerts clients runner-failures
  sources server-frameworks
)
# Proofs that measure how fast the service is, so nothing else may run beside them, and a shared machine shows little.
measuring_proofs=(view-query-scale ingest-rate dashboard-speed job-create-rate job-overhead noisy-neighbor steady-state)

PATH="$PWD/node_modules/.bin:$PATH" # Node 24, which ./setup puts there
max_step_minutes=${max_step_minutes:-40}
logs=$(mktemp -d)
services_log=$logs/services-output # not the log of the step that waits for them
passed=0
failed=0
failed_logs=()
times=()
counted_cpu_seconds=0
services_pid=''
declare -A name_of_pid=() start_of_pid=()

# Seconds of CPU time that steps took which have ended, with their children. A machine is slow if steps take long for the same CPU time.
# Not in a subshell, which would count its own.
read_cpu_seconds() {
  local user system minutes
  times >"$logs/times"
  { read -r; read -r user system; } <"$logs/times"
  cpu_seconds=0
  for minutes in "$user" "$system"; do
    minutes=${minutes%%.*}
    cpu_seconds=$((cpu_seconds + ${minutes%m*} * 60 + ${minutes#*m}))
  done
}

log_of() { printf '%s/%s' "$logs" "${1//[ :]/-}"; }

record_result() {
  local name=$1 started=$2 result=$3 cpu_seconds
  read_cpu_seconds
  if [ "$result" = passed ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    failed_logs+=("$(log_of "$name")")
  fi
  times+=("$(printf '%5d s %5d s CPU  %s: %s' $((SECONDS - started)) $((cpu_seconds - counted_cpu_seconds)) "$name" "$result")")
  counted_cpu_seconds=$cpu_seconds
  printf '── %s: %s (%d s)\n' "$name" "$result" $((SECONDS - started))
}

# start NAME COMMAND...: starts a step in a session of its own, so that Ctrl-C reaches only this shell, which stops the steps in
# order. If this shell is killed, the steps get SIGTERM.
start() {
  local name=$1
  shift
  printf '── %s: started (after %d min)\n' "$name" $((SECONDS / 60))
  in_session timeout --foreground --kill-after=60 "${max_step_minutes}m" "$@" >"$(log_of "$name")" 2>&1 </dev/null &
  name_of_pid[$!]=$name
  start_of_pid[$!]=$SECONDS
}
in_session() { exec setsid setpriv --pdeathsig TERM "$@"; }

end_session() {
  local deadline=$((SECONDS + 60))
  pkill --session "$1"
  while pgrep --session "$1" >/dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.2; done
  pkill --signal KILL --session "$1"
}

# The output of a step is printed when it ends.
wait_for_a_step() {
  local pid='' status=0
  wait -n -p pid "${!name_of_pid[@]}" || status=$?
  if [ -z "${pid:-}" ]; then # a process that ended by a signal before this `wait`: take the first one that is gone
    for pid in "${!name_of_pid[@]}"; do kill -0 "$pid" 2>/dev/null || break; done
  fi
  local name=${name_of_pid[$pid]} started=${start_of_pid[$pid]} result=passed
  unset "name_of_pid[$pid]" "start_of_pid[$pid]"
  if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then # only npm or the proof itself was stopped
    printf 'Stopped after %d minutes.\n' "$max_step_minutes" >>"$(log_of "$name")"
    end_session "$pid"
  fi
  [ "$status" -eq 0 ] || result=FAILED
  printf '\n── %s (after %d min)\n' "$name" $((SECONDS / 60))
  cat "$(log_of "$name")"
  record_result "$name" "$started" "$result"
}

# run_steps MAX STEP...: runs steps, at most MAX at a time. A step is `proof`, a name and the arguments of the proof, or a script of
# package.json.
run_steps() {
  local max=$1 step arguments=()
  shift
  for step; do
    while [ "${#name_of_pid[@]}" -ge "$max" ]; do wait_for_a_step; done
    read -r -a arguments <<<"$step"
    if [ "${arguments[0]}" = proof ]; then
      start "${arguments[*]:0:2}" node proofs/prove.ts "${arguments[@]:1}" # not through npm, which does not pass on signals
    else
      start "$step" npm run --silent "$step"
    fi
  done
  while [ "${#name_of_pid[@]}" -gt 0 ]; do wait_for_a_step; done
}

# step NAME COMMAND...: runs a command or function of this shell and waits for it.
step() {
  local name=$1 started=$SECONDS result=passed
  shift
  printf '\n── %s (after %d min)\n' "$name" $((SECONDS / 60))
  "$@" >"$(log_of "$name")" 2>&1 || result=FAILED
  cat "$(log_of "$name")"
  record_result "$name" "$started" "$result"
}

set_up() {
  step 'system packages' install_system_packages
  start setup ./setup
  wait_for_a_step
  step 'list of proofs' check_list_of_proofs
  [ "$failed" -eq 0 ] || finish
}
check_list_of_proofs() {
  diff <(printf '%s\n' "${proofs[@]}" "${measuring_proofs[@]}" "${nightly_proofs[@]}" | sort) \
    <(node proofs/prove.ts --names | sort) && return
  printf 'The lists of proofs in .ci/steps.sh (<) differ from the proofs (>).\n'
  return 1
}

# Tests and proofs share these services. Those that kill services start their own. If services of this checkout are running
# already, they are used and keep running.
start_services() {
  in_session node testing/services/services.ts >"$services_log" 2>&1 </dev/null &
  services_pid=$!
}
wait_for_services() {
  until grep -q '^Ready after' "$services_log"; do
    kill -0 "$services_pid" 2>/dev/null || break
    sleep 1
  done
  tail --lines=20 "$services_log"
  grep -qE '^Ready after|already running' "$services_log"
}

# Sets `processes` to the children of this shell, except the one whose PID is given.
list_processes() {
  local pid children=()
  read -r -a children <"/proc/$$/task/$$/children"
  processes=()
  for pid in "${children[@]}"; do [ "$pid" = "${1:-}" ] || processes+=("$pid"); done
}

# end_processes SIGNAL SECONDS [EXCEPT]: sends the signal once to each process, and waits until they have ended. The children of a
# process that has ended become children of this shell. The signal 0 only waits.
end_processes() {
  local pid deadline=$((SECONDS + $2))
  local -A signaled=()
  list_processes "${3:-}"
  while [ "${#processes[@]}" -gt 0 ] && [ "$SECONDS" -lt "$deadline" ]; do
    for pid in "${processes[@]}"; do
      [ -n "${signaled[$pid]:-}" ] || kill -s "$1" "$pid" 2>/dev/null
      signaled[$pid]=1
    done
    sleep 0.2
    list_processes "${3:-}"
  done
}

# A step that leaves a process behind fails the run.
kill_remaining() {
  local pid
  list_processes "${1:-}"
  [ "${#processes[@]}" -gt 0 ] || return 0
  failed=$((failed + 1))
  printf '\n── FAILED: processes were left behind, and are killed now\n'
  for pid in "${processes[@]}"; do
    printf '%s %s\n' "$pid" "$(tr '\0' ' ' <"/proc/$pid/cmdline" | cut --characters=1-200)"
  done
  end_processes KILL 10 "${1:-}"
}

# Ends the run: stops what runs, prints the end of the output of what failed, and the result in the last line.
finish() {
  trap '' INT TERM # once is enough
  local pid log
  if [ "${#name_of_pid[@]}" -gt 0 ]; then
    for pid in "${!name_of_pid[@]}"; do record_result "${name_of_pid[$pid]}" "${start_of_pid[$pid]}" INTERRUPTED; done
    end_processes TERM 60 "$services_pid"
  fi
  end_processes 0 5 "$services_pid"
  kill_remaining "$services_pid"
  end_processes TERM 60 # the services, last: steps need them to clean up
  kill_remaining

  # So that the end of the output is enough to see what failed.
  for log in "${failed_logs[@]}"; do
    [ -f "$log" ] || continue
    printf '\n── the end of %s, which FAILED\n' "$(basename "$log")"
    tail --lines=40 "$log" | cut --characters=1-240
  done
  if [ "$failed" -gt 0 ] && [ -f "$services_log" ]; then
    printf '\n── the end of the output of the services\n'
    tail --lines=20 "$services_log" | cut --characters=1-240
  fi
  local cpu_seconds
  read_cpu_seconds
  rm -r "$logs"
  printf '\n'
  printf '%s\n' "${times[@]}"
  printf '%5d s %5d s CPU  in total, with services\n\n%s\n%d passed, %d failed\n' "$SECONDS" "$cpu_seconds" "${closing_remark:-}" "$passed" "$failed"
  [ "$failed" -eq 0 ] && [ "$interrupted" = no ]
  exit
}
interrupted=no
trap 'interrupted=yes; finish' INT TERM

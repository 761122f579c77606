/** Why a box did not start, from what the programs said, and what to do about it. */
export function explainStart(said: string): string {
  const known = causes.find(([pattern]) => pattern.test(said))
  return known ? `${known[1]} (${said.trim()})` : `The sandbox does not start: ${said.trim() || 'it said nothing.'}`
}

const namespaces = [
  'This system does not let an ordinary user make namespaces.',
  'On Ubuntu 24.04 and newer: sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile for the runner;',
  'on Debian 10 and older: sysctl kernel.unprivileged_userns_clone=1; in a container: see deploy/README.md.',
].join(' ')

const causes: readonly [pattern: RegExp, explanation: string][] = [
  [
    /[Uu]nknown option --disable-userns/,
    'Bubblewrap is too old: version 0.8 or newer is needed, which Debian 12 and Ubuntu 24.04 have.',
  ],
  [/unshare failed: No space left on device/, 'No user namespace is left: sysctl user.max_user_namespaces is too low.'],
  [/unshare failed|setting up uid map|No permissions to creat|uid_map/, namespaces],
  [/mount: .*permission denied|mount: .*only root/i, namespaces],
  [
    /Can't mount proc/,
    'A container engine covers parts of /proc, and then the kernel allows no fresh one: start the container with systempaths=unconfined.',
  ],
  [
    /Can't find source path|Permission denied/,
    'The user whom the sandbox runs as (nobody, where the runner is root) cannot read a file of Colophon: put the checkout where others may read, or run the runner as an ordinary user.',
  ],
]

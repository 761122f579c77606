/** Explains from the error output why a sandbox did not start, and what to do about it. */
export function explainStartFailure(errorOutput: string): string {
  const cause = causes.find(([pattern]) => pattern.test(errorOutput))
  if (cause) return `${cause[1]} (${errorOutput.trim()})`
  return `The sandbox does not start: ${errorOutput.trim() || 'there was no error output.'}`
}

const userNamespaces = [
  'This system does not let unprivileged users create user namespaces.',
  'On Ubuntu 24.04 and newer: set sysctl kernel.apparmor_restrict_unprivileged_userns=0, or install an AppArmor profile for the runner.',
  'On Debian 10 and older: set sysctl kernel.unprivileged_userns_clone=1. In a container: see deploy/README.md.',
].join(' ')

const causes: readonly [pattern: RegExp, explanation: string][] = [
  [
    /[Uu]nknown option --disable-userns/,
    'Bubblewrap is too old: install version 0.8 or newer, as in Debian 12 and Ubuntu 24.04.',
  ],
  [
    /unshare failed: No space left on device/,
    'There are no user namespaces left: raise sysctl user.max_user_namespaces.',
  ],
  [/unshare failed|setting up uid map|No permissions to creat|uid_map/, userNamespaces],
  [/mount: .*permission denied|mount: .*only root/i, userNamespaces],
  [
    /Can't mount proc/,
    'The container runtime masks parts of /proc, and then the kernel does not allow a new /proc mount: start the container with systempaths=unconfined.',
  ],
  [
    /Can't find source path|Permission denied/,
    'The user that the sandbox runs as (nobody, if the runner is root) cannot read a file of Colophon: move the checkout to a place that other users can read, or run the runner as an ordinary user.',
  ],
]

import type { Failure } from './self-test.ts'

/** A wall that does not hold, as one sentence with what to do about it. */
export function explainFailure({ wall, saw }: Failure): string {
  if (wall === 'box') return saw // says all of it
  return `The sandbox's wall "${wall}" does not hold: ${saw}. ${remedies[wall] ?? otherwise}`
}

const otherwise =
  'The kernel, a container engine or a change to the machine takes it away; docs/runners.md lists what a runner needs.'

const remedies: Partial<Record<Failure['wall'], string>> = {
  'way out': 'Unix sockets must work in TMPDIR, and the user of the sandbox must be able to enter it.',
  'system calls': 'The kernel must have seccomp filters (CONFIG_SECCOMP_FILTER).',
  'user namespaces': 'Bubblewrap 0.8 or newer is needed.',
  files: 'Something is mounted into the sandbox that is not known here: look for mounts below /usr and /proc.',
  'kernel files': 'Look for what is mounted over /proc.',
}

import type { SelfTestFailure } from './self-test-failure.ts'

/** Describes a failed escape test in one line, with what to do about it. */
export function describeSelfTestFailure({ layer, finding }: SelfTestFailure): string {
  if (layer === 'sandbox') return finding // already says what to do
  const failed =
    layer === 'egress'
      ? `The sandbox cannot be used: ${finding}.`
      : `Escape test failed for the isolation layer "${layer}": ${finding}.`
  return `${failed} ${remedies[layer]} Runner requirements: docs/runners.md.`
}

const kernelSupport = (feature: string, option: string) =>
  `The kernel must support ${feature} (${option}), and the container runtime must allow them.`

const remedies: Record<Exclude<SelfTestFailure['layer'], 'sandbox'>, string> = {
  environment:
    'The sandbox starts with an empty environment: look for a wrapper around bwrap or env that adds variables.',
  'unprivileged user': 'Run the runner as root or as a user that does not own /usr.',
  mounts: 'Look for mounts below /proc that a container runtime or this machine adds (findmnt), and remove them.',
  'read-only mounts':
    'The kernel and the container runtime must allow read-only bind mounts and remounts in user namespaces.',
  'mount sizes': 'The kernel must enforce the tmpfs options size and nr_inodes.',
  'PID namespace': `${kernelSupport('PID namespaces', 'CONFIG_PID_NS')} If the machine was busy, start the runner again.`,
  'network namespace': kernelSupport('network namespaces', 'CONFIG_NET_NS'),
  'IPC namespace': kernelSupport('IPC namespaces', 'CONFIG_IPC_NS'),
  'UTS namespace': kernelSupport('UTS namespaces', 'CONFIG_UTS_NS'),
  'cgroup namespace': kernelSupport('cgroup namespaces', 'CONFIG_CGROUPS'),
  'user namespaces': 'Install bubblewrap 0.8 or newer, which can forbid nested user namespaces.',
  capabilities: "Install the distribution's bubblewrap package: bwrap must drop all capabilities.",
  'terminal session': "Install the distribution's bubblewrap package: bwrap must start a new terminal session.",
  'masked /proc files': 'Look for mounts over /proc that a container runtime or this machine adds (findmnt).',
  'seccomp filter': 'The kernel must support seccomp filters (CONFIG_SECCOMP_FILTER).',
  'process limit': 'The kernel must enforce RLIMIT_NPROC in the sandbox.',
  'memory limit': 'The kernel must enforce RLIMIT_DATA for anonymous memory, as Linux 4.7 and newer do.',
  'CPU priority':
    'Delegate a cgroup to the runner (systemd: Delegate=yes), or set sysctl kernel.sched_autogroup_enabled=0. If the machine was busy, start the runner again.',
  egress: 'Unix sockets must work in TMPDIR, and the user of the sandbox must be able to enter that directory.',
}

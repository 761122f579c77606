/**
 * The isolation layers of the sandbox. The self-test runs an escape test against each. The integration test of the self-test
 * disables one layer at a time and expects its escape test to fail.
 */
export const isolationLayers = [
  'environment',
  'unprivileged user',
  'mounts',
  'read-only mounts',
  'mount sizes',
  'PID namespace',
  'network namespace',
  'IPC namespace',
  'UTS namespace',
  'cgroup namespace',
  'user namespaces',
  'capabilities',
  'terminal session',
  'masked /proc files',
  'seccomp filter',
  'process limit',
  'memory limit',
  'CPU priority',
] as const

export type IsolationLayer = (typeof isolationLayers)[number]

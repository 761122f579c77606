/** What the box is made of, by name: the self-test tries each, and a test takes each away and sees it missed. */
export const walls = [
  'environment',
  'ordinary user',
  'files',
  'read-only files',
  'sizes',
  'processes',
  'network',
  'shared memory',
  'host name',
  'cgroup names',
  'user namespaces',
  'capabilities',
  'terminal',
  'kernel files',
  'system calls',
  'number of processes',
  'memory',
] as const

export type Wall = (typeof walls)[number]

/** The command line of a box. `docs/decisions/bubblewrap.md` has the reasons, and the holes that were found. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BoxLimits } from './limits.ts'
import type { Wall } from './walls.ts'

export interface ReadOnlyMount {
  from: string
  to: string
}

export interface BoxPlan {
  programs: Record<'bwrap' | 'unshare', string>
  nodeBinary: string
  /** What the engine needs to see. */
  mounts: readonly ReadOnlyMount[]
  /** Holds the socket that leads to the gateway. */
  gatewayDirectory: string
  limits: BoxLimits
  /** For tests: a box without these, to see that they are missed. */
  without: ReadonlySet<Wall>
}

/** Descriptors that the command finds open, beside its input and output. */
export const descriptors = { information: 3, seccomp: 4 }

export const boxEnvironment = {
  PATH: '/opt/node/bin:/colophon/sandbox/inside/tools:/usr/bin:/bin',
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  // Git reads the configuration of the work tree, and no other; it never asks, and fetches by HTTP or not at all.
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'http',
} as const

export const writable = { workspace: '/workspace', state: '/state', temporary: '/tmp' } as const
const insideDirectory = join(import.meta.dirname, 'inside')
/** Hidden in the way of container engines, and where a host's boot arguments stand. */
const kernelFiles = [
  'acpi',
  'asound',
  'config.gz',
  'cmdline',
  'driver',
  'fs',
  'interrupts',
  'iomem',
  'kallsyms',
  'kcore',
  'keys',
  'key-users',
  'kmsg',
  'kpagecgroup',
  'kpagecount',
  'kpageflags',
  'latency_stats',
  'sched_debug',
  'scsi',
  'slabinfo',
  'sysrq-trigger',
  'timer_list',
  'vmallocinfo',
].map((name) => `/proc/${name}`)

/** Where something is mounted, beside what the engine needs. */
export const mountPoints: readonly string[] = [
  '/',
  '/usr',
  '/etc/alternatives',
  '/etc/passwd',
  '/etc/group',
  '/etc/hosts',
  '/opt/node/bin/node',
  '/colophon/sandbox',
  '/colophon/package.json',
  '/run/gateway',
  ...Object.values(writable),
  '/proc',
  ...kernelFiles,
  '/proc/sys',
  '/proc/irq',
  '/proc/bus', // the last three by bubblewrap, where they are writable
  '/dev',
  '/dev/pts',
  '/dev/null',
  '/dev/zero',
  '/dev/full',
  '/dev/random',
  '/dev/urandom',
  '/dev/tty',
]

/** Those that this kernel has. */
export const hiddenFiles = (): string[] => kernelFiles.filter((path) => existsSync(path))

export function boxCommand(plan: BoxPlan): [program: string, ...args: string[]] {
  const { programs } = plan
  return [
    programs.unshare,
    '--user',
    '--map-root-user',
    '--mount',
    '--propagation',
    'private',
    '/bin/sh',
    '-c',
    setupScript(plan),
    'sh',
    programs.bwrap,
    ...bubblewrapArguments(plan),
    'prlimit',
    ...processLimits(plan),
    'node',
    '/colophon/sandbox/inside/keeper.ts',
  ]
}

/**
 * Runs in namespaces of its own, before the box. It waits until the runner has put it where its memory is counted; then it
 * mounts what the box can write to. Bubblewrap's own tmpfs knows a size and no number of files, and a million empty files
 * took 1 GB (tried); for `/` and `/dev` it knows neither.
 */
function setupScript({ limits, without }: BoxPlan): string {
  const bounds = ({ sizeBytes, files }: { sizeBytes: number; files: number }) =>
    without.has('sizes') ? '' : `,size=${sizeBytes},nr_inodes=${files}`
  return [
    'set -e',
    'read -r _',
    'echo 1000 >/proc/self/oom_score_adj', // when memory runs out the kernel takes from here first
    'cd /dev/shm', // exists everywhere, and nothing that is mounted below comes from there
    'mount -t tmpfs -o mode=700 scratch .',
    'cd /dev/shm',
    `mkdir ${Object.keys(writable).join(' ')}`,
    ...Object.keys(writable).map(
      (name) =>
        `mount -t tmpfs -o mode=700,nosuid,nodev${bounds(limits[name as keyof typeof writable])} ${name} ${name}`,
    ),
    'cd /',
    // Bubblewrap's own environment can be read inside, at /proc/1/environ; and the shell adds PWD to an empty one.
    without.has('environment') ? 'exec "$@"' : 'exec env -i "$@"',
  ].join('\n')
}

function bubblewrapArguments(plan: BoxPlan): string[] {
  const { without, mounts, nodeBinary, gatewayDirectory } = plan
  const unless = (wall: Wall, ...args: string[]) => (without.has(wall) ? [] : args)
  const bind = without.has('read-only files') ? '--bind' : '--ro-bind'
  const show = (from: string, to = from) => [bind, from, to]
  return [
    '--die-with-parent',
    '--unshare-user',
    ...unless('processes', '--unshare-pid'),
    ...unless('network', '--unshare-net'),
    ...unless('shared memory', '--unshare-ipc'),
    ...unless('host name', '--unshare-uts', '--hostname', 'box'),
    ...unless('cgroup names', '--unshare-cgroup'),
    ...unless('user namespaces', '--disable-userns'),
    ...unless('capabilities', '--cap-drop', 'ALL'),
    ...unless('terminal', '--new-session'),
    ...unless('system calls', '--seccomp', String(descriptors.seccomp)),
    '--info-fd',
    String(descriptors.information),
    '--uid',
    '1000',
    '--gid',
    '1000',

    ...show('/usr'),
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...(existsSync('/etc/alternatives') ? show('/etc/alternatives') : []),
    ...['passwd', 'group', 'hosts'].flatMap((name) => show(join(insideDirectory, 'etc', name), `/etc/${name}`)),
    ...show(nodeBinary, '/opt/node/bin/node'),
    ...show(import.meta.dirname, '/colophon/sandbox'),
    ...show(join(import.meta.dirname, '../../../package.json'), '/colophon/package.json'),
    ...mounts.flatMap(({ from, to }) => show(from, to)),
    ...show(gatewayDirectory, '/run/gateway'),
    ...(without.has('files') ? show('/', '/host') : []),

    ...(without.has('processes') ? show('/proc') : ['--proc', '/proc']),
    ...(without.has('processes') ? [] : unless('kernel files', ...hiddenFiles().flatMap(hide))),
    '--dev',
    '/dev',
    ...Object.entries(writable).flatMap(([name, to]) => ['--bind', `/dev/shm/${name}`, to]),
    ...unless('read-only files', '--remount-ro', '/dev', '--remount-ro', '/'), // each a tmpfs without a size

    '--clearenv',
    ...Object.entries(boxEnvironment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    '/workspace',
    '--',
  ]
}

const hide = (path: string): string[] =>
  statSync(path).isDirectory() ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path]

/** Set inside: before the box has its own user namespace, all boxes of a user would share one count. */
function processLimits({ limits, without }: BoxPlan): string[] {
  return [
    ...(without.has('number of processes') ? [] : [`--nproc=${limits.processes}`]),
    ...(without.has('memory') ? [] : [`--data=${limits.processMemoryBytes}`]),
    `--nofile=${limits.openFiles}`,
    '--core=0',
    '--memlock=65536',
  ]
}

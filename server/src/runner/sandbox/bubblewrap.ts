/** The command line of a sandbox. `docs/decisions/bubblewrap.md` explains the reasons and the holes that were found. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { IsolationLayer } from './isolation-layers.ts'
import { type SandboxLimits, sandboxNiceness } from './limits.ts'

export interface ReadOnlyMount {
  from: string
  to: string
}

export interface BubblewrapOptions {
  programs: Record<'bwrap' | 'unshare', string>
  nodeBinary: string
  /** Mounts that the agent needs. */
  mounts: readonly ReadOnlyMount[]
  /** Contains the socket to the gateway. */
  gatewayDirectory: string
  limits: SandboxLimits
  /** For tests: isolation layers to leave out. */
  disabledLayers: ReadonlySet<IsolationLayer>
}

/** File descriptors that are open for the command in addition to standard input, output and error. */
export const bubblewrapFileDescriptors = { info: 3, seccomp: 4 }

export const sandboxEnvironment = {
  PATH: '/opt/node/bin:/colophon/sandbox/inside/tools:/usr/bin:/bin',
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  // Git reads only the configuration of the work tree, never prompts, and fetches only by HTTP.
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'http',
} as const

export const writableMounts = { workspace: '/workspace', state: '/state', temporary: '/tmp' } as const
const insideDirectory = join(import.meta.dirname, 'inside')
/** Masked like in container runtimes, plus the file with the boot arguments of the host. */
const maskedProcFiles = [
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

/** Mount points of every sandbox, without those that the agent needs. */
export const commonMountPoints: readonly string[] = [
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
  ...Object.values(writableMounts),
  '/proc',
  ...maskedProcFiles,
  '/proc/sys',
  '/proc/irq',
  '/proc/bus', // bubblewrap mounts these three itself if they are writable
  '/dev',
  '/dev/pts',
  '/dev/null',
  '/dev/zero',
  '/dev/full',
  '/dev/random',
  '/dev/urandom',
  '/dev/tty',
]

/** The masked files that exist on this kernel. */
export const listMaskedProcFiles = (): string[] => maskedProcFiles.filter((path) => existsSync(path))

export function buildBubblewrapCommand(options: BubblewrapOptions): [program: string, ...args: string[]] {
  const { programs } = options
  return [
    programs.unshare,
    '--user',
    '--map-root-user',
    '--mount',
    '--propagation',
    'private',
    '/bin/sh',
    '-c',
    setupScript(options),
    'sh',
    programs.bwrap,
    ...bubblewrapArguments(options),
    ...lowPriority(options),
    'prlimit',
    ...processLimits(options),
    'node',
    '/colophon/sandbox/inside/supervisor.ts',
  ]
}

/**
 * Runs in its own namespaces, before bubblewrap starts. It waits until the runner has moved it into its cgroup, then mounts the
 * writable file systems. Bubblewrap's own tmpfs has a size limit but no limit on the number of files, and a million empty files
 * took 1 GB (tried). For `/` and `/dev` it has neither limit.
 */
function setupScript({ limits, disabledLayers }: BubblewrapOptions): string {
  const limitOptions = ({ sizeBytes, files }: { sizeBytes: number; files: number }) =>
    disabledLayers.has('mount sizes') ? '' : `,size=${sizeBytes},nr_inodes=${files}`
  return [
    'set -e',
    'read -r _',
    'echo 1000 >/proc/self/oom_score_adj', // when memory runs out, the kernel kills these processes first
    'cd /dev/shm', // exists everywhere, and is not the source of any mount of the sandbox
    'mount -t tmpfs -o mode=700 scratch .',
    'cd /dev/shm',
    `mkdir ${Object.keys(writableMounts).join(' ')}`,
    ...Object.keys(writableMounts).map(
      (name) =>
        `mount -t tmpfs -o mode=700,nosuid,nodev${limitOptions(limits[name as keyof typeof writableMounts])} ${name} ${name}`,
    ),
    'cd /',
    // The environment of bubblewrap can be read inside, at /proc/1/environ, and the shell adds PWD to an empty environment.
    disabledLayers.has('environment') ? 'exec "$@"' : 'exec env -i "$@"',
  ].join('\n')
}

function bubblewrapArguments({ disabledLayers, mounts, nodeBinary, gatewayDirectory }: BubblewrapOptions): string[] {
  const layer = (name: IsolationLayer, ...args: string[]) => (disabledLayers.has(name) ? [] : args)
  const bindOption = disabledLayers.has('read-only mounts') ? '--bind' : '--ro-bind'
  const bind = (from: string, to = from) => [bindOption, from, to]
  return [
    '--die-with-parent',
    '--unshare-user',
    ...layer('PID namespace', '--unshare-pid'),
    ...layer('network namespace', '--unshare-net'),
    ...layer('IPC namespace', '--unshare-ipc'),
    ...layer('UTS namespace', '--unshare-uts', '--hostname', 'sandbox'),
    ...layer('cgroup namespace', '--unshare-cgroup'),
    ...layer('user namespaces', '--disable-userns'),
    ...layer('capabilities', '--cap-drop', 'ALL'),
    ...layer('terminal session', '--new-session'),
    ...layer('seccomp filter', '--seccomp', String(bubblewrapFileDescriptors.seccomp)),
    '--info-fd',
    String(bubblewrapFileDescriptors.info),
    '--uid',
    '1000',
    '--gid',
    '1000',

    ...bind('/usr'),
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...(existsSync('/etc/alternatives') ? bind('/etc/alternatives') : []),
    ...['passwd', 'group', 'hosts'].flatMap((name) => bind(join(insideDirectory, 'etc', name), `/etc/${name}`)),
    ...bind(nodeBinary, '/opt/node/bin/node'),
    ...bind(import.meta.dirname, '/colophon/sandbox'),
    ...bind(join(import.meta.dirname, '../../../package.json'), '/colophon/package.json'),
    ...mounts.flatMap(({ from, to }) => bind(from, to)),
    ...bind(gatewayDirectory, '/run/gateway'),
    ...(disabledLayers.has('mounts') ? bind('/', '/host') : []),

    ...(disabledLayers.has('PID namespace') ? bind('/proc') : ['--proc', '/proc']),
    ...(disabledLayers.has('PID namespace') ? [] : layer('masked /proc files', ...listMaskedProcFiles().flatMap(mask))),
    '--dev',
    '/dev',
    // Reads zeros as well, but cannot be mapped: a shared mapping of /dev/zero is memory that no limit counts.
    ...layer('mounts', '--dev-bind', '/dev/full', '/dev/zero'),
    ...Object.entries(writableMounts).flatMap(([name, to]) => ['--bind', `/dev/shm/${name}`, to]),
    ...layer('read-only mounts', '--remount-ro', '/dev', '--remount-ro', '/'), // each is a tmpfs without a size limit

    '--clearenv',
    ...Object.entries(sandboxEnvironment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    '/workspace',
    '--',
  ]
}

const mask = (path: string): string[] =>
  statSync(path).isDirectory() ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path]

const lowPriority = ({ disabledLayers }: BubblewrapOptions): string[] =>
  disabledLayers.has('CPU priority') ? [] : ['nice', '-n', String(sandboxNiceness)]

/** Set inside: outside of the sandbox's user namespace, all sandboxes of a user would share one process count. */
function processLimits({ limits, disabledLayers }: BubblewrapOptions): string[] {
  return [
    ...(disabledLayers.has('process limit') ? [] : [`--nproc=${limits.processes}`]),
    ...(disabledLayers.has('memory limit') ? [] : [`--data=${limits.processMemoryBytes}`]),
    `--nofile=${limits.openFiles}`,
    '--core=0',
    '--nice=0', // no way back to a higher priority
    '--rtprio=0',
    '--memlock=65536',
  ]
}

/** The escape tests of the self-test, one for each isolation layer. Runs in the sandbox and prints the breaches as a JSON list. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { getPriority, networkInterfaces, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IsolationLayer } from '../isolation-layers.ts'

/** Facts about the host, with which the tests recognize a breach. */
export interface HostFacts {
  layers: readonly IsolationLayer[]
  namespaces: Record<'pid' | 'net' | 'ipc' | 'uts' | 'cgroup', string>
  /** A server listens there, on the host's 127.0.0.1. */
  loopbackPort: number
  mountPoints: readonly string[]
  maskedProcFiles: readonly string[]
  sizes: Record<string, { sizeBytes: number; files: number }>
  processes: number
  processMemoryBytes: number
  niceness: number
}

export interface Breach {
  layer: IsolationLayer
  finding: string
}

/** Returns a description of the breach, or undefined if the layer holds. */
type EscapeTest = (host: HostFacts) => string | undefined | Promise<string | undefined>

const escapeTests: Record<IsolationLayer, EscapeTest> = {
  environment: () => {
    const variables = readFileSync('/proc/1/environ', 'utf8').replaceAll('\0', ' ').slice(0, 40)
    return variables === '' ? undefined : `/proc/1/environ contains ${variables}`
  },

  // In the sandbox, files of root belong to nobody, unless the sandbox runs as root outside.
  'unprivileged user': () => (statSync('/usr').uid === process.getuid?.() ? 'the sandbox runs as root' : undefined),

  mounts: ({ mountPoints }) =>
    unexpected(
      'unexpected mounts',
      mounts()
        .map(({ path }) => path)
        .filter((path) => !path.startsWith('/usr/')), // mounts of the host below /usr are part of /usr
      mountPoints,
    ),

  'read-only mounts': ({ sizes }) =>
    unexpected(
      'writable mounts',
      mounts()
        .filter(({ options }) => !options.includes('ro'))
        .map(({ path }) => path),
      ['/proc', '/dev/pts', ...devices, ...Object.keys(sizes)],
    ),

  'mount sizes': ({ sizes }) =>
    Object.entries(sizes)
      .filter(([path, { sizeBytes, files }]) => {
        const actual = statfsSync(path)
        return actual.blocks * actual.bsize > sizeBytes || actual.files > files
      })
      .map(([path]) => `${path} has no size limit`)
      .join(', ') || undefined,

  'PID namespace': async ({ namespaces }) => {
    await leaveProcessBehind()
    return sharedNamespace('pid', namespaces)
  },

  'network namespace': async ({ namespaces, loopbackPort }) => {
    if (await canConnect(loopbackPort)) return "a server on the host's 127.0.0.1 can be reached"
    const interfaces = unexpected('unexpected network interfaces', Object.keys(networkInterfaces()), ['lo'])
    return interfaces ?? sharedNamespace('net', namespaces)
  },

  'IPC namespace': ({ namespaces }) => sharedNamespace('ipc', namespaces),
  'UTS namespace': ({ namespaces }) => sharedNamespace('uts', namespaces),
  'cgroup namespace': ({ namespaces }) => sharedNamespace('cgroup', namespaces),

  // The seccomp filter denies this too, so the self-test also runs it in a sandbox without the filter.
  'user namespaces': () =>
    succeeds('unshare', '--user', 'true') ? 'a process can create a user namespace' : undefined,

  capabilities: () => {
    const sets = [...status().matchAll(/^Cap(?:Eff|Prm|Bnd|Inh|Amb):\s+(?!0+$)(.+)$/gm)]
    return sets.length > 0 ? `a process has the capabilities ${sets[0]?.[1]}` : undefined
  },

  // A session or terminal from outside the PID namespace is shown as 0 here.
  'terminal session': () => {
    const [, , , session, terminal] = (readFileSync('/proc/1/stat', 'utf8').split(') ')[1] ?? '').split(' ')
    return session === '0' || terminal !== '0' ? "the runner's terminal can be reached" : undefined
  },

  'masked /proc files': ({ maskedProcFiles }) => {
    const readable = maskedProcFiles.find(hasContents)
    return readable === undefined ? undefined : `${readable} can be read`
  },

  'seccomp filter': () => {
    if (!/^Seccomp:\s+2$/m.test(status())) return 'no filter is active'
    return succeeds('setarch', '--addr-no-randomize', 'true') ? 'the filter allows personality' : undefined
  },

  'process limit': async ({ processes }) => {
    const started = await startProcesses(processes + 20)
    return started > processes ? `${started} processes ran at once` : undefined
  },

  'memory limit': ({ processMemoryBytes }) => {
    try {
      Buffer.alloc(processMemoryBytes + 1024 * 1024) // allocated but never touched, so it costs nothing
      return `one process can allocate more than ${processMemoryBytes} bytes`
    } catch {
      return undefined
    }
  },

  'CPU priority': ({ niceness }) => {
    if (getPriority() < niceness) return 'processes have the priority of the runner'
    try {
      setPriority(getPriority() - 1)
      return 'a process can raise its priority'
    } catch {
      return succeeds('chrt', '--fifo', '1', 'true') ? 'a process can get a real-time priority' : undefined
    }
  },
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)

const status = () => readFileSync('/proc/self/status', 'utf8')

function mounts(): { path: string; options: string[] }[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [, , , , path = '', options = ''] = line.split(' ')
    return { path, options: options.split(',') }
  })
}

function unexpected(label: string, actual: readonly string[], expected: readonly string[]): string | undefined {
  const names = actual.filter((name) => !expected.includes(name))
  return names.length === 0 ? undefined : `${label}: ${names.join(', ')}`
}

function sharedNamespace(kind: keyof HostFacts['namespaces'], host: HostFacts['namespaces']): string | undefined {
  return readlinkSync(`/proc/self/ns/${kind}`) === host[kind]
    ? 'the sandbox shares the namespace of the host'
    : undefined
}

function succeeds(...[program = '', ...args]: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function hasContents(path: string): boolean {
  try {
    return statSync(path).isDirectory() ? readdirSync(path).length > 0 : readFileSync(path).length > 0
  } catch {
    return false
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.setTimeout(1_000, () => socket.destroy())
    socket.once('connect', () => socket.end(() => resolve(true)))
    socket.once('close', () => resolve(false))
    socket.once('error', () => {})
  })
}

/** Returns how many processes the kernel allows at once. They exit when our end of the pipe is closed. */
async function startProcesses(count: number): Promise<number> {
  const script = `exec 3<&0; i=0; while [ $i -lt ${count} ]; do (read -r _ <&3) & i=$((i+1)); echo $i; done`
  const shell = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] })
  let printed = ''
  shell.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  await Promise.race([new Promise((resolve) => shell.once('exit', resolve)), sleep(10_000)])
  shell.stdin.end()
  return Number(printed.trim().split('\n').at(-1) ?? 0)
}

/** Starts a process that outlives this one and stays connected to the runner, which sees whether it ends with the sandbox. */
async function leaveProcessBehind(): Promise<void> {
  const program = `
    const socket = require('node:net').connect('/run/gateway/gateway.sock', () => process.stdout.write('connected'))
    socket.write('GET /stay HTTP/1.1\\r\\nhost: sandbox\\r\\n\\r\\n')
    socket.on('error', () => {}).on('close', () => process.exit()).resume()`
  const child = spawn(process.execPath, ['-e', program], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  // A process that is still starting during the test of the process limit would die, because it could not start its threads.
  await once(child.stdout, 'readable', { signal: AbortSignal.timeout(20_000) })
  if (child.stdout.read() === null) throw new Error('the process could not be started')
  child.unref()
}

/** A test that cannot run counts as a breach. */
async function runEscapeTest(layer: IsolationLayer): Promise<string | undefined> {
  try {
    return await escapeTests[layer](host)
  } catch (error) {
    return `the test could not run: ${String(error)}`
  }
}

const host = JSON.parse(process.argv[2] ?? '') as HostFacts
const breaches: Breach[] = []
await fetch('http://127.0.0.1:8080/reach').catch(() => {}) // the runner sees whether it arrives
for (const layer of host.layers) {
  const finding = await runEscapeTest(layer)
  if (finding !== undefined) breaches.push({ layer, finding })
}
process.stdout.write(JSON.stringify(breaches))
process.exit(0)

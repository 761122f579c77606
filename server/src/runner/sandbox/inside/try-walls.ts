/** Tries every wall from the inside, for the self-test. Prints one JSON list: what is wrong with which. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Wall } from '../walls.ts'

/** What the runner knows, and the box should not find. */
export interface Outside {
  walls: readonly Wall[]
  namespaces: Record<'pid' | 'net' | 'ipc' | 'uts' | 'cgroup', string>
  /** Somebody listens there, on the host's 127.0.0.1. */
  loopbackPort: number
  mountPoints: readonly string[]
  hiddenFiles: readonly string[]
  sizes: Record<string, { sizeBytes: number; files: number }>
  processes: number
  processMemoryBytes: number
}

export interface Breach {
  wall: Wall
  saw: string
}

type Attempt = (outside: Outside) => string | undefined | Promise<string | undefined>

/** Each says what it saw that should not be there. */
const attempts: Record<Wall, Attempt> = {
  environment: () => readFileSync('/proc/1/environ', 'utf8').replaceAll('\0', ' ').slice(0, 40) || undefined,

  // Files of root belong to nobody in here, unless whoever is in here is root outside.
  'ordinary user': () => (statSync('/usr').uid === process.getuid?.() ? 'the box runs as root' : undefined),

  files: ({ mountPoints }) =>
    surplus(
      mounts()
        .map(({ at }) => at)
        .filter((at) => !at.startsWith('/usr/')), // what the host mounts there is a part of it
      mountPoints,
    ),

  'read-only files': ({ sizes }) =>
    surplus(
      mounts()
        .filter(({ options }) => !options.includes('ro'))
        .map(({ at }) => at),
      ['/proc', '/dev/pts', ...devices, ...Object.keys(sizes)],
    ),

  sizes: ({ sizes }) =>
    Object.entries(sizes)
      .filter(([path, { sizeBytes, files }]) => {
        const found = statfsSync(path)
        return found.blocks * found.bsize > sizeBytes || found.files > files
      })
      .map(([path]) => `${path} has no bound`)
      .join(', ') || undefined,

  processes: async ({ namespaces }) => {
    await leaveSomebodyBehind()
    return sameNamespace('pid', namespaces)
  },

  network: async ({ namespaces, loopbackPort }) => {
    if (await canConnect(loopbackPort)) return "the host's 127.0.0.1 answers"
    return surplus(Object.keys(networkInterfaces()), ['lo']) ?? sameNamespace('net', namespaces)
  },

  'shared memory': ({ namespaces }) => sameNamespace('ipc', namespaces),
  'host name': ({ namespaces }) => sameNamespace('uts', namespaces),
  'cgroup names': ({ namespaces }) => sameNamespace('cgroup', namespaces),

  // Refused by the filter of system calls too, so it is also tried in a box without that.
  'user namespaces': () => (ok('unshare', '--user', 'true') ? 'a user namespace can be made' : undefined),

  capabilities: () => {
    const found = [...status().matchAll(/^Cap(?:Eff|Prm|Bnd|Inh|Amb):\s+(?!0+$)(.+)$/gm)]
    return found.length > 0 ? `capabilities ${found[0]?.[1]}` : undefined
  },

  // Its session and terminal, counted from outside, are 0 in here.
  terminal: () => {
    const [, , , session, terminal] = (readFileSync('/proc/1/stat', 'utf8').split(') ')[1] ?? '').split(' ')
    return session === '0' || terminal !== '0' ? "the runner's terminal can be reached" : undefined
  },

  'kernel files': ({ hiddenFiles }) => hiddenFiles.find(hasContents),

  'system calls': () => {
    if (!/^Seccomp:\s+2$/m.test(status())) return 'no filter'
    return ok('setarch', '--addr-no-randomize', 'true') ? 'the filter lets personality through' : undefined
  },

  'number of processes': async ({ processes }) => {
    const made = await fork(processes + 20)
    return made > processes ? `${made} processes at once` : undefined
  },

  memory: ({ processMemoryBytes }) => {
    try {
      Buffer.alloc(processMemoryBytes + 1024 * 1024) // asked for, never touched: it costs nothing where it is given
      return `${processMemoryBytes} bytes and more for one process`
    } catch {
      return undefined
    }
  },
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)

const status = () => readFileSync('/proc/self/status', 'utf8')

function mounts(): { at: string; options: string[] }[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [, , , , at = '', options = ''] = line.split(' ')
    return { at, options: options.split(',') }
  })
}

function surplus(found: readonly string[], expected: readonly string[]): string | undefined {
  return found.filter((name) => !expected.includes(name)).join(', ') || undefined
}

function sameNamespace(kind: keyof Outside['namespaces'], outside: Outside['namespaces']): string | undefined {
  return readlinkSync(`/proc/self/ns/${kind}`) === outside[kind] ? 'the same as outside' : undefined
}

function ok(...[program = '', ...args]: string[]): boolean {
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

/** How many there are at once before the kernel refuses. They wait for our end of the pipe to close. */
async function fork(most: number): Promise<number> {
  const script = `exec 3<&0; i=0; while [ $i -lt ${most} ]; do (read -r _ <&3) & i=$((i+1)); echo $i; done`
  const shell = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] })
  let printed = ''
  shell.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  await Promise.race([new Promise((resolve) => shell.once('exit', resolve)), sleep(10_000)])
  shell.stdin.end()
  return Number(printed.trim().split('\n').at(-1) ?? 0)
}

/** Outlives us, and keeps a connection to the runner: there it is seen whether it ends with the box. */
async function leaveSomebodyBehind(): Promise<void> {
  const program = `
    const socket = require('node:net').connect('/run/gateway/gateway.sock', () => process.stdout.write('here'))
    socket.write('GET /stay HTTP/1.1\\r\\nhost: box\\r\\n\\r\\n')
    socket.on('error', () => {}).on('close', () => process.exit()).resume()`
  const somebody = spawn(process.execPath, ['-e', program], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  // Whoever is still starting when the number of processes is tried dies of it: there is none left for its threads.
  await once(somebody.stdout, 'readable', { signal: AbortSignal.timeout(20_000) })
  if (somebody.stdout.read() === null) throw new Error('nobody could be left behind')
  somebody.unref()
}

/** What cannot be tried is not known to hold. */
async function tried(wall: Wall): Promise<string | undefined> {
  try {
    return await attempts[wall](outside)
  } catch (error) {
    return `it could not be tried: ${String(error)}`
  }
}

const outside = JSON.parse(process.argv[2] ?? '') as Outside
const breaches: Breach[] = []
await fetch('http://127.0.0.1:8080/reach').catch(() => {}) // the runner sees whether it arrives
for (const wall of outside.walls) {
  const saw = await tried(wall)
  if (saw !== undefined) breaches.push({ wall, saw })
}
process.stdout.write(JSON.stringify(breaches))
process.exit(0)

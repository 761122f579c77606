/** The git binary, where nothing on the machine and nothing in a repository can tell it to do something else. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'

export type GitCommand = {
  gitDirectory: string
  args: readonly string[]
  /** In the environment, so that no secret stands in the list of processes. */
  config?: Readonly<Record<string, string>>
  environment?: Readonly<Record<string, string>>
  stdin?: Uint8Array | string
  limits?: Partial<GitLimits>
  signal: AbortSignal
}

export type GitLimits = { wallSeconds: number; outputBytes: number }

export type GitRun = {
  /** Undefined when it was killed: by us, or by a limit on its memory or time. */
  exitCode: number | undefined
  stdout: Buffer
  stderr: string
}

const defaultLimits: GitLimits = { wallSeconds: 60, outputBytes: 8 * 1024 * 1024 }

// Of each process, and a push has four of them. The address space also holds packs that are mapped and libraries, so
// what is really used stays far below.
const addressSpaceKilobytes = 384 * 1024
const cpuSeconds = 60
const fileBlocks = (512 * 1024 * 1024) / 512

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C', // messages are read below
  MALLOC_ARENA_MAX: '1', // an arena per thread reserves more addresses than git uses
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: 'http', // to our own relay on loopback, see git-relay.ts
}

const config = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.askPass': '',
  'credential.helper': '',
  'http.followRedirects': 'false',
  'http.proxy': '',
  'fetch.recurseSubmodules': 'false',
  'push.recurseSubmodules': 'no',
  'fetch.writeCommitGraph': 'false',
  'fetch.unpackLimit': '1', // keep packs: thousands of loose files are slow to write and to remove
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'core.bigFileThreshold': '1m', // larger files are streamed, not held
  'core.packedGitWindowSize': '16m',
  'core.packedGitLimit': '64m',
  'core.deltaBaseCacheLimit': '16m',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  'pack.deltaCacheSize': '16m',
}

// The shell sets the limits because it is everywhere git is; `prlimit` is not. `ulimit -f` counts in blocks of 512 bytes.
const underLimits = 'ulimit -c 0; ulimit -v "$1"; ulimit -t "$2"; ulimit -f "$3"; shift 3; exec git "$@"'

/** To be fed and read by the caller. Killed, with all it started, when the signal aborts. */
export function startGit(command: Omit<GitCommand, 'stdin' | 'limits'>): ChildProcessWithoutNullStreams {
  const settings = Object.entries({ ...config, ...command.config })
  const limits = [addressSpaceKilobytes, cpuSeconds, fileBlocks].map(String)
  const child = spawn('/bin/sh', ['-ec', underLimits, 'sh', ...limits, ...command.args], {
    cwd: '/',
    detached: true, // its own process group, which can be killed as a whole
    env: {
      ...environment,
      ...command.environment,
      GIT_DIR: command.gitDirectory,
      GIT_CONFIG_COUNT: String(settings.length),
      ...Object.fromEntries(settings.map(([key], index) => [`GIT_CONFIG_KEY_${index}`, key])),
      ...Object.fromEntries(settings.map(([, value], index) => [`GIT_CONFIG_VALUE_${index}`, value])),
    },
  })
  child.stdin.on('error', () => {}) // it may end before it has read everything
  const kill = () => killGroup(child)
  command.signal.addEventListener('abort', kill)
  child.on('close', () => command.signal.removeEventListener('abort', kill))
  if (command.signal.aborted) kill()
  return child
}

export async function runGit(command: GitCommand): Promise<GitRun> {
  const { wallSeconds, outputBytes } = { ...defaultLimits, ...command.limits }
  const child = startGit(command)
  const timer = setTimeout(() => killGroup(child), wallSeconds * 1000)
  const tooMuch = () => killGroup(child)
  const stdout = collect(child.stdout, outputBytes, tooMuch)
  const stderr = collect(child.stderr, 64 * 1024, tooMuch)
  child.stdin.end(command.stdin)
  try {
    const [exitCode] = (await once(child, 'close')) as [number | null]
    command.signal.throwIfAborted()
    return { exitCode: exitCode ?? undefined, stdout: stdout(), stderr: stderr().toString() }
  } finally {
    clearTimeout(timer)
  }
}

function collect(stream: NodeJS.ReadableStream, maxBytes: number, tooMuch: () => void): () => Buffer {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  stream.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) tooMuch()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks)
}

export function killGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // gone already
  }
}

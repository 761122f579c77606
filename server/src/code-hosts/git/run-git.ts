/** Runs the git binary isolated from the configuration of the machine and of the repository. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'

export type GitCommandOptions = {
  gitDirectory: string
  args: readonly string[]
  /** Passed in the environment, so that secrets do not appear in the process list. */
  config?: Readonly<Record<string, string>>
  environment?: Readonly<Record<string, string>>
  stdin?: Uint8Array | string
  limits?: Partial<GitLimits>
  signal: AbortSignal
}

export type GitLimits = { timeoutSeconds: number; maxOutputBytes: number }

export type GitResult = {
  /** Undefined if git was killed: by us, or by a memory or time limit. */
  exitCode: number | undefined
  stdout: Buffer
  stderr: string
}

const defaultLimits: GitLimits = { timeoutSeconds: 60, maxOutputBytes: 8 * 1024 * 1024 }

// These limits apply to each process, and a push has four of them. The address space also contains mapped packs and
// libraries, so actual memory use stays far below.
const addressSpaceKilobytes = 384 * 1024
const cpuSeconds = 60
const fileBlocks = (512 * 1024 * 1024) / 512

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C', // messages are parsed in git-repository.ts
  MALLOC_ARENA_MAX: '1', // one arena per thread reserves more address space than git uses
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
  'fetch.unpackLimit': '1', // keep packs: thousands of loose objects are slow to write and to remove
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'core.bigFileThreshold': '1m', // larger files are streamed, not loaded into memory
  'core.packedGitWindowSize': '16m',
  'core.packedGitLimit': '64m',
  'core.deltaBaseCacheLimit': '16m',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  'pack.deltaCacheSize': '16m',
}

// The shell sets the limits because it exists wherever git does; `prlimit` does not. `ulimit -f` counts blocks of 512 bytes.
const limitScript = 'ulimit -c 0; ulimit -v "$1"; ulimit -t "$2"; ulimit -f "$3"; shift 3; exec git "$@"'

/** The caller writes stdin and reads stdout. The process and its children are killed when the signal aborts. */
export function startGit(command: Omit<GitCommandOptions, 'stdin' | 'limits'>): ChildProcessWithoutNullStreams {
  const settings = Object.entries({ ...config, ...command.config })
  const limits = [addressSpaceKilobytes, cpuSeconds, fileBlocks].map(String)
  const child = spawn('/bin/sh', ['-ec', limitScript, 'sh', ...limits, ...command.args], {
    cwd: '/',
    detached: true, // creates a process group, which can be killed as a whole
    env: {
      ...environment,
      ...command.environment,
      GIT_DIR: command.gitDirectory,
      GIT_CONFIG_COUNT: String(settings.length),
      ...Object.fromEntries(settings.map(([key], index) => [`GIT_CONFIG_KEY_${index}`, key])),
      ...Object.fromEntries(settings.map(([, value], index) => [`GIT_CONFIG_VALUE_${index}`, value])),
    },
  })
  child.stdin.on('error', () => {}) // git may exit before it has read everything
  const kill = () => killProcessGroup(child)
  command.signal.addEventListener('abort', kill)
  child.on('close', () => command.signal.removeEventListener('abort', kill))
  if (command.signal.aborted) kill()
  return child
}

export async function runGit(command: GitCommandOptions): Promise<GitResult> {
  const { timeoutSeconds, maxOutputBytes } = { ...defaultLimits, ...command.limits }
  const child = startGit(command)
  const timer = setTimeout(() => killProcessGroup(child), timeoutSeconds * 1000)
  const onTooLarge = () => killProcessGroup(child)
  const stdout = collect(child.stdout, maxOutputBytes, onTooLarge)
  const stderr = collect(child.stderr, 64 * 1024, onTooLarge)
  child.stdin.end(command.stdin)
  try {
    const [exitCode] = (await once(child, 'close')) as [number | null]
    command.signal.throwIfAborted()
    // Git may have exited before it could be killed. Output that is not complete must not look like a success.
    const isComplete = !stdout.isTooLarge() && !stderr.isTooLarge()
    return {
      exitCode: isComplete ? (exitCode ?? undefined) : undefined,
      stdout: stdout.read(),
      stderr: stderr.read().toString(),
    }
  } finally {
    clearTimeout(timer)
  }
}

function collect(
  stream: NodeJS.ReadableStream,
  maxBytes: number,
  onTooLarge: () => void,
): { read: () => Buffer; isTooLarge: () => boolean } {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  stream.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) onTooLarge()
    else chunks.push(chunk)
  })
  return { read: () => Buffer.concat(chunks), isTooLarge: () => sizeBytes > maxBytes }
}

export function killProcessGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // already exited
  }
}

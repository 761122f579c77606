/**
 * The pi agent (`docs/decisions/pi.md`): one process per turn, in RPC mode, because that mode can be aborted. It does not read
 * settings from the repository, and its only model is the one at the gateway.
 */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { maxSessionBytes } from '../../../runner-wire/runner-wire.ts'
import type { ReadOnlyMount } from '../../sandbox/bubblewrap.ts'
import { CompileCache } from '../../sandbox/compile-cache.ts'
import type { ProcessEnd, Sandbox } from '../../sandbox/sandbox.ts'
import { stripTerminalSequences } from '../../sandbox/terminal-text.ts'
import type {
  AgentModelAccess,
  AgentRunInput,
  AgentRunResult,
  AgentStopReason,
  AgentUsage,
  CodingAgent,
} from '../coding-agent.ts'
import { LineReader } from './line-reader.ts'
import { parsePiRecord } from './pi-records.ts'

const program = '/agent/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js'
const boundedBash = '/agent/bounded-bash.ts'
const configurationDirectory = '/state/pi'
const sessionsDirectory = '/state/sessions'
const outputsDirectory = '/state/outputs'
const provider = 'gateway'

const environment = {
  PI_CODING_AGENT_DIR: configurationDirectory,
  PI_OFFLINE: '1',
  PI_TELEMETRY: '0',
  PI_SKIP_VERSION_CHECK: '1',
  TMPDIR: outputsDirectory, // not /tmp, because commands use that and may fill it
}

const maxLineBytes = 64 * 1024 * 1024
/** Processed line by line and not kept. Large, because pi repeats the output of a running command ten times a second. */
const maxOutputBytes = 4 * 1024 * 1024 * 1024
const maxErrorCharacters = 4_000
const maxWarmUpOutputBytes = 1024 * 1024
/** How long an aborted pi may take to save its session, a finished one to exit, and the session to be read. */
const abortTimeoutMs = 1_500
const exitTimeoutMs = 500
const saveSessionTimeoutMs = 2_000

export class PiAgent implements CodingAgent {
  readonly name = 'pi'
  readonly mounts = packageMounts()
  readonly #compileCache = new CompileCache()

  async warmUp(sandbox: Sandbox): Promise<void> {
    await this.#compileCache.fill(sandbox, (cacheEnvironment) =>
      sandbox.run({
        command: ['node', program, '--mode', 'rpc', '--extension', boundedBash],
        environment: { ...environment, ...cacheEnvironment },
        maxOutputBytes: maxWarmUpOutputBytes,
      }),
    )
  }

  async run(turn: AgentRunInput): Promise<AgentRunResult> {
    const { sandbox, signal } = turn
    const conversation = new Conversation(turn)
    const failure = await prepare(turn)
    const cacheEnvironment = await this.#compileCache.unpack(sandbox, signal)
    if (failure !== undefined) conversation.fail(failure)
    else if (!signal.aborted) await conversation.run({ ...environment, ...cacheEnvironment })
    await sandbox.killProcesses()
    return {
      stop: conversation.stop(),
      reply: conversation.reply,
      usage: conversation.usage,
      session: await readSession(sandbox),
    }
  }
}

/** pi's bundle is self-contained except for its extension loader, so only these packages are mounted. */
function packageMounts(): ReadOnlyMount[] {
  const entry = fileURLToPath(import.meta.resolve('@earendil-works/pi-coding-agent'))
  const packageDirectory = (name: string) => dirname(createRequire(entry).resolve(`${name}/package.json`))
  const mountPoint = (name: string) => `/agent/node_modules/${name}`
  return [
    { from: dirname(dirname(entry)), to: mountPoint('@earendil-works/pi-coding-agent') },
    ...['@earendil-works/chord', 'jiti'].map((name) => ({ from: packageDirectory(name), to: mountPoint(name) })),
    { from: fileURLToPath(import.meta.resolve('./bounded-bash.ts')), to: boundedBash },
  ]
}

/** Returns what failed, if anything did. */
async function prepare({ sandbox, model, systemPrompt, session, signal }: AgentRunInput): Promise<string | undefined> {
  const files = {
    'models.json': JSON.stringify({ providers: { [provider]: providerSettings(model) } }),
    'settings.json': JSON.stringify(settings),
    'system-prompt.md': systemPrompt,
  }
  const steps = [
    { script: `mkdir -p ${configurationDirectory} ${sessionsDirectory} ${outputsDirectory}`, input: '' },
    ...(session ? [{ script: `tar -xzf - -C ${sessionsDirectory}`, input: session }] : []),
    ...Object.entries(files).map(([name, text]) => ({
      script: `cat > ${configurationDirectory}/${name}`,
      input: text,
    })),
  ]
  for (const { script, input } of steps) {
    const { end, errorOutput } = await sandbox.run(
      { command: ['sh', '-c', script], maxOutputBytes: 100_000 },
      { input, signal },
    )
    if (signal.aborted) return undefined
    if (end.kind !== 'exited' || end.code !== 0)
      return `The agent could not be prepared: ${describeEnd(end, errorOutput.toString('utf8'))}`
  }
  return undefined
}

function providerSettings({ id, format, path, contextTokens, maxOutputTokens }: AgentModelAccess) {
  return {
    baseUrl: `http://127.0.0.1:8080${path}${format === 'anthropic-messages' ? '' : '/v1'}`,
    api: format,
    apiKey: 'none', // the runner adds the attempt's token outside of the sandbox
    models: [{ id, contextWindow: contextTokens, maxTokens: maxOutputTokens }],
  }
}

const settings = {
  retry: { maxRetries: 3, baseDelayMs: 1_000 },
  cacheWarming: 'off', // would make extra model calls
  enableInstallTelemetry: false,
  images: { autoResize: false }, // needs a package that is not in the sandbox
}

/** One conversation with a pi process. */
class Conversation {
  readonly #turn: AgentRunInput
  #stop: AgentStopReason | undefined
  #errorOutput = ''
  reply = ''
  readonly usage: AgentUsage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }

  constructor(turn: AgentRunInput) {
    this.#turn = turn
  }

  /** Returns when pi is done, has exited, or did not react to an abort in time. */
  async run(environment: Readonly<Record<string, string>>): Promise<void> {
    const { sandbox, model, prompt, signal } = this.#turn
    const lines = new LineReader(maxLineBytes)
    const settled = Promise.withResolvers<void>()
    const pi = sandbox.start(
      { command: ['node', program, ...piArguments(model)], environment, maxOutputBytes },
      {
        onOutput: (chunk) => {
          try {
            for (const line of lines.read(chunk)) if (this.#receive(line)) settled.resolve()
          } catch (error) {
            this.fail(`The output of the agent cannot be read: ${String(error)}`)
            settled.resolve()
          }
        },
        onErrorOutput: (chunk) => {
          this.#errorOutput = (this.#errorOutput + chunk.toString('utf8')).slice(-maxErrorCharacters)
        },
      },
    )
    const send = (record: object) => pi.write(`${JSON.stringify(record)}\n`)
    let isSettled = false
    void settled.promise.then(() => {
      isSettled = true
    })
    const exited = pi.ended.then((end) => {
      if (!isSettled) this.fail(`The agent exited unexpectedly: ${describeEnd(end, this.#errorOutput)}`)
    })
    const abortTimedOut = Promise.withResolvers<void>()
    const abort = () => {
      send({ type: 'abort' })
      void sleep(abortTimeoutMs, undefined, { ref: false }).then(abortTimedOut.resolve)
    }
    signal.addEventListener('abort', abort)
    send({ type: 'prompt', message: prompt })
    await Promise.race([settled.promise, exited, abortTimedOut.promise])
    signal.removeEventListener('abort', abort)
    pi.endInput()
    await Promise.race([exited, sleep(exitTimeoutMs, undefined, { ref: false })])
  }

  fail(message: string): void {
    this.#stop = { kind: 'agent_failed', message }
  }

  stop(): AgentStopReason {
    if (this.#turn.signal.aborted) return { kind: 'aborted' } // takes precedence over failures that the abort caused
    return this.#stop ?? { kind: 'agent_failed', message: 'The agent ended without a response.' }
  }

  /** Returns true when pi is done. */
  #receive(line: string): boolean {
    const record = parsePiRecord(line)
    switch (record?.kind) {
      case 'event':
        this.#turn.onEvent(record.event)
        return false
      case 'usage':
        this.#addUsage(record.usage)
        return false
      case 'response':
        this.reply = record.text
        this.#stop = record.stop
        this.#addUsage(record.usage)
        return false
      case 'prompt_rejected':
        this.fail(`The agent rejected the prompt: ${record.message}`)
        return true
      case 'settled':
        return true
      case undefined:
        return false
    }
  }

  #addUsage(usage: AgentUsage): void {
    this.usage.inputTokens += usage.inputTokens
    this.usage.cacheReadTokens += usage.cacheReadTokens
    this.usage.cacheWriteTokens += usage.cacheWriteTokens
    this.usage.outputTokens += usage.outputTokens
  }
}

function piArguments({ id }: AgentModelAccess): string[] {
  return [
    '--mode',
    'rpc',
    '--provider',
    provider,
    '--model',
    id,
    '--session-dir',
    sessionsDirectory,
    '--session-id',
    'job',
    '--system-prompt',
    `${configurationDirectory}/system-prompt.md`,
    '--tools',
    'read,edit,write,grep,find,ls,bash',
    // Nothing in the repository configures the agent or is executed. The agent reads its conventions like any other file.
    '--no-approve',
    '--no-extensions',
    '--no-skills',
    '--no-prompt-templates',
    '--no-themes',
    '--no-context-files',
    '--extension',
    boundedBash,
  ]
}

/**
 * Reads only the files that pi wrote, not others that the model put there. Has a timeout, because a sparse file may claim to be a
 * terabyte long.
 */
async function readSession(sandbox: Sandbox): Promise<Buffer | null> {
  const maxKilobytes = maxSessionBytes / 1024
  const script = `
    cd ${sessionsDirectory}
    mapfile -d '' files < <(find . -maxdepth 1 -type f -name '*.jsonl' -size -${maxKilobytes}k -print0)
    [ \${#files[@]} -gt 0 ] && tar -czf - -- "\${files[@]}"`
  const { end, output } = await sandbox.run(
    { command: ['bash', '-c', script], maxOutputBytes: maxSessionBytes },
    { signal: AbortSignal.timeout(saveSessionTimeoutMs) },
  )
  return end.kind === 'exited' && end.code === 0 ? output : null
}

function describeEnd(end: ProcessEnd, errorOutput: string): string {
  const text = stripTerminalSequences(errorOutput).trim()
  return text === '' ? formatEnd(end) : `${formatEnd(end)}: ${text}`
}

function formatEnd(end: ProcessEnd): string {
  switch (end.kind) {
    case 'exited':
      return `exit code ${end.code}`
    case 'killed':
      return `killed by ${end.signal}`
    case 'not_started':
      return `not started, ${end.reason}`
    case 'too_much_output':
      return 'its output was too long'
    case 'sandbox_ended':
      return `the sandbox ended, ${end.reason}`
  }
}

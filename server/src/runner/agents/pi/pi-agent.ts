/**
 * pi as the engine (`docs/decisions/pi.md`): one process per turn, spoken to by its RPC mode, because there it can be told
 * to stop. It reads nothing of the repository's own settings, and knows no model but the one at the gateway.
 */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { maxSessionBytes } from '../../../runner-wire/runner-wire.ts'
import type { Box, ProcessEnd } from '../../sandbox/box.ts'
import type { ReadOnlyMount } from '../../sandbox/bubblewrap.ts'
import { plainText } from '../../sandbox/plain-text.ts'
import type {
  AgentModelAccess,
  AgentRunResult,
  AgentStopReason,
  AgentTurn,
  AgentUsage,
  CodingAgent,
} from '../coding-agent.ts'
import { LineReader } from './lines.ts'
import { readRecord } from './records.ts'

const program = '/engine/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js'
const boundedBash = '/engine/bounded-bash.ts'
const configuration = '/state/pi'
const sessions = '/state/sessions'
const outputs = '/state/outputs'
const provider = 'gateway'

const environment = {
  PI_CODING_AGENT_DIR: configuration,
  PI_OFFLINE: '1',
  PI_TELEMETRY: '0',
  PI_SKIP_VERSION_CHECK: '1',
  NODE_COMPILE_CACHE: '/tmp/node-compile-cache',
  TMPDIR: outputs, // commands have /tmp, and may fill it
}

const maxLineBytes = 64 * 1024 * 1024
/** Read and let go, line by line: a command that prints for half an hour is shown again ten times a second. */
const maxOutputBytes = 4 * 1024 * 1024 * 1024
const maxErrorCharacters = 4_000
const maxCacheBytes = 32 * 1024 * 1024
/** How long an aborted pi has to write down how far it came, and a finished one to leave. */
const settlesWithinMs = 1_500
const leavesWithinMs = 500
const savesWithinMs = 2_000

export class PiAgent implements CodingAgent {
  readonly name = 'pi'
  readonly mounts = packageMounts()
  #compileCache: Buffer | undefined

  async warmUp(box: Box): Promise<void> {
    // Half of pi's start is compiling itself. Node keeps what it compiled, if there is somewhere to keep it.
    await box.run({
      command: ['node', program, '--mode', 'rpc', '--extension', boundedBash],
      environment,
      maxOutputBytes: maxCacheBytes,
    })
    const { end, output } = await box.run({
      command: ['tar', '-cf', '-', '-C', '/tmp', 'node-compile-cache'],
      maxOutputBytes: maxCacheBytes,
    })
    if (end.kind === 'exited' && end.code === 0) this.#compileCache = output
  }

  async run(turn: AgentTurn): Promise<AgentRunResult> {
    const { box, signal } = turn
    const talk = new Talk(turn)
    const prepared = await prepare(turn, this.#compileCache)
    if (prepared !== undefined) talk.fail(prepared)
    else if (!signal.aborted) await talk.hold()
    await box.endProcesses()
    return { stop: talk.stop(), reply: talk.reply, usage: talk.usage, session: await saveSession(box) }
  }
}

/** The bundle stands alone but for what loads plug-ins, so the box sees these and not all that is installed with them. */
function packageMounts(): ReadOnlyMount[] {
  const entry = fileURLToPath(import.meta.resolve('@earendil-works/pi-coding-agent'))
  const folder = (name: string) => dirname(createRequire(entry).resolve(`${name}/package.json`))
  const at = (name: string) => `/engine/node_modules/${name}`
  return [
    { from: dirname(dirname(entry)), to: at('@earendil-works/pi-coding-agent') },
    ...['@earendil-works/chord', 'jiti'].map((name) => ({ from: folder(name), to: at(name) })),
    { from: fileURLToPath(import.meta.resolve('./bounded-bash.ts')), to: boundedBash },
  ]
}

/** What went wrong, if something did. */
async function prepare(
  { box, model, systemPrompt, session, signal }: AgentTurn,
  compileCache: Buffer | undefined,
): Promise<string | undefined> {
  const files = {
    'models.json': JSON.stringify({ providers: { [provider]: providerSettings(model) } }),
    'settings.json': JSON.stringify(settings),
    'system-prompt.md': systemPrompt,
  }
  const steps = [
    { script: `mkdir -p ${configuration} ${sessions} ${outputs}`, input: '' },
    ...(session ? [{ script: `tar -xzf - -C ${sessions}`, input: session }] : []),
    ...(compileCache ? [{ script: 'tar -xf - -C /tmp', input: compileCache }] : []),
    ...Object.entries(files).map(([name, text]) => ({ script: `cat > ${configuration}/${name}`, input: text })),
  ]
  for (const { script, input } of steps) {
    const { end, errorOutput } = await box.run(
      { command: ['sh', '-c', script], maxOutputBytes: 100_000 },
      { input, signal },
    )
    if (signal.aborted) return undefined
    if (end.kind !== 'exited' || end.code !== 0)
      return `Preparing the engine failed: ${describeEnd(end, errorOutput.toString('utf8'))}`
  }
  return undefined
}

function providerSettings({ id, wire, path, contextTokens, maxOutputTokens }: AgentModelAccess) {
  return {
    baseUrl: `http://127.0.0.1:8080${path}${wire === 'anthropic-messages' ? '' : '/v1'}`,
    api: wire,
    apiKey: 'none', // the runner adds the attempt's token, outside
    models: [{ id, contextWindow: contextTokens, maxTokens: maxOutputTokens }],
  }
}

const settings = {
  retry: { maxRetries: 3, baseDelayMs: 1_000 },
  cacheWarming: 'off', // calls of the model that nobody asked for
  enableInstallTelemetry: false,
  images: { autoResize: false }, // needs a package that is not in the box
}

/** One conversation with a pi process. */
class Talk {
  readonly #turn: AgentTurn
  #stop: AgentStopReason | undefined
  #errorOutput = ''
  reply = ''
  readonly usage: AgentUsage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }

  constructor(turn: AgentTurn) {
    this.#turn = turn
  }

  /** Until pi has nothing more to do, or is gone, or had its time to stop. */
  async hold(): Promise<void> {
    const { box, model, prompt, signal } = this.#turn
    const lines = new LineReader(maxLineBytes)
    const settled = Promise.withResolvers<void>()
    const pi = box.start(
      { command: ['node', program, ...piArguments(model)], environment, maxOutputBytes },
      {
        onOutput: (chunk) => {
          try {
            for (const line of lines.read(chunk)) if (this.#take(line)) settled.resolve()
          } catch (error) {
            this.fail(`What it says cannot be read: ${String(error)}`)
            settled.resolve()
          }
        },
        onErrorOutput: (chunk) => {
          this.#errorOutput = (this.#errorOutput + chunk.toString('utf8')).slice(-maxErrorCharacters)
        },
      },
    )
    const say = (record: object) => pi.write(`${JSON.stringify(record)}\n`)
    let isSettled = false
    void settled.promise.then(() => {
      isSettled = true
    })
    const ended = pi.ended.then((end) => {
      if (!isSettled) this.fail(`It ended by itself: ${describeEnd(end, this.#errorOutput)}`)
    })
    const late = Promise.withResolvers<void>()
    const abort = () => {
      say({ type: 'abort' })
      void sleep(settlesWithinMs, undefined, { ref: false }).then(late.resolve)
    }
    signal.addEventListener('abort', abort)
    say({ type: 'prompt', message: prompt })
    await Promise.race([settled.promise, ended, late.promise])
    signal.removeEventListener('abort', abort)
    pi.endInput()
    await Promise.race([ended, sleep(leavesWithinMs, undefined, { ref: false })])
  }

  fail(message: string): void {
    this.#stop = { kind: 'agent_failed', message }
  }

  stop(): AgentStopReason {
    if (this.#turn.signal.aborted) return { kind: 'aborted' } // whatever else broke on the way
    return this.#stop ?? { kind: 'agent_failed', message: 'It ended without an answer.' }
  }

  /** True when nothing follows. */
  #take(line: string): boolean {
    const record = readRecord(line)
    switch (record?.kind) {
      case 'event':
        this.#turn.onEvent(record.event)
        return false
      case 'usage':
        this.#count(record.usage)
        return false
      case 'answer':
        this.reply = record.text
        this.#stop = record.stop
        this.#count(record.usage)
        return false
      case 'prompt_refused':
        this.fail(`It refused the prompt: ${record.message}`)
        return true
      case 'settled':
        return true
      case undefined:
        return false
    }
  }

  #count(usage: AgentUsage): void {
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
    sessions,
    '--session-id',
    'job',
    '--system-prompt',
    `${configuration}/system-prompt.md`,
    '--tools',
    'read,edit,write,grep,find,ls,bash',
    // Nothing that the repository brings along is believed or executed; its conventions are read like any other file.
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
 * Only what pi wrote: whatever else the model put there stays. In time: a file may say that it is a terabyte long.
 */
async function saveSession(box: Box): Promise<Buffer | null> {
  const maxKilobytes = maxSessionBytes / 1024
  const script = `
    cd ${sessions}
    mapfile -d '' files < <(find . -maxdepth 1 -type f -name '*.jsonl' -size -${maxKilobytes}k -print0)
    [ \${#files[@]} -gt 0 ] && tar -czf - -- "\${files[@]}"`
  const { end, output } = await box.run(
    { command: ['bash', '-c', script], maxOutputBytes: maxSessionBytes },
    { signal: AbortSignal.timeout(savesWithinMs) },
  )
  return end.kind === 'exited' && end.code === 0 ? output : null
}

function describeEnd(end: ProcessEnd, errorOutput: string): string {
  const said = plainText(errorOutput).trim()
  return said === '' ? howItEnded(end) : `${howItEnded(end)}: ${said}`
}

function howItEnded(end: ProcessEnd): string {
  switch (end.kind) {
    case 'exited':
      return `exit code ${end.code}`
    case 'killed':
      return `killed by ${end.signal}`
    case 'not_started':
      return `not started, ${end.reason}`
    case 'too_much_output':
      return 'it said too much'
    case 'box_ended':
      return `the box ended, ${end.reason}`
  }
}

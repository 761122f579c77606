/**
 * The tests that every agent must pass, in a real sandbox, with the scripted model in place of a provider, in every wire format.
 * The scripts are in `testing/simulators/model/scripts.ts`. Each conversation has its own model name, by which its calls are found.
 */

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import type { LoggedModelCall } from '../../../../../testing/simulators/model/call-log.ts'
import type { Step } from '../../../../../testing/simulators/model/script.ts'
import { openEgressSocket } from '../../sandbox/egress-socket.ts'
import { defaultSandboxLimits } from '../../sandbox/limits.ts'
import { Sandbox } from '../../sandbox/sandbox.ts'
import {
  type AgentRunEvent,
  type AgentRunInput,
  type AgentRunResult,
  type AgentUsage,
  type CodingAgent,
  type ModelApiFormat,
  modelApiFormats,
} from '../coding-agent.ts'

/** How long an agent may take to end after an abort. */
const maxAbortMs = 5_000

interface Setup {
  sandbox: Sandbox
  events: AgentRunEvent[]
  /** Works on one prompt. */
  run(turn: Partial<AgentRunInput> & Pick<AgentRunInput, 'prompt'>): Promise<AgentRunResult>
  /** The calls that reached the provider. */
  calls(): Promise<LoggedModelCall[]>
  shell(script: string): Promise<string>
}

/** A test that gets a function to open setups, which are closed at its end. */
const testWithSetup = (agent: CodingAgent, format: ModelApiFormat) =>
  test.extend<{ setUp(gatewayUrl?: string): Promise<Setup> }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest requires an object pattern
    setUp: async ({}, use) => {
      await using resources = new AsyncDisposableStack()
      await use((gatewayUrl) => openSetup(resources, agent, format, gatewayUrl))
    },
  })

export function describeAgentContract(agent: CodingAgent): void {
  beforeAll(async () => {
    await using resources = new AsyncDisposableStack()
    const { sandbox } = await openSetup(resources, agent, 'anthropic-messages')
    await agent.warmUp(sandbox)
  })

  // These tests mostly wait, for example for a retry.
  describe.concurrent.each(modelApiFormats)(`${agent.name} with %s`, (format) => {
    const it = testWithSetup(agent, format)

    it('edits a file, reports its steps and counts its usage', async ({ setUp }) => {
      const { run, calls, events, shell } = await setUp()
      const result = await run({ prompt: 'script: write-and-edit' })
      expect(result).toMatchObject({
        stop: { kind: 'finished' },
        reply: expect.stringContaining('Add the scripted page'),
      })
      await expect(shell('cat docs/scripted.md')).resolves.toContain('Written by a script, then edited.')
      expect(events.map(({ kind }) => kind)).toEqual([
        'text',
        'tool_call',
        'tool_result',
        'text',
        'tool_call',
        'tool_result',
        'text',
      ])
      expect(events[1]).toMatchObject({ tool: 'write', arguments: { path: 'docs/scripted.md' } })
      expect(events[2]).toMatchObject({ tool: 'write', isError: false })
      expect(result.usage).toEqual(totalUsage(await calls()))
    })

    it('adds up the usage of all calls', async ({ setUp }) => {
      const { run } = await setUp()
      const usage = { inputTokens: 1_000, cacheReadTokens: 200, cacheWriteTokens: 0, outputTokens: 30 }
      const result = await run({
        prompt: scripted({ call: [{ tool: 'ls', arguments: {} }], usage }, { say: 'Done.', usage }),
      })
      expect(result.usage).toEqual({ inputTokens: 2_000, cacheReadTokens: 400, cacheWriteTokens: 0, outputTokens: 60 })
    })

    it('continues in another sandbox from the session alone', async ({ setUp }) => {
      const first = await setUp()
      const { session } = await first.run({ prompt: 'script: write' })
      await first.sandbox.close()
      const second = await setUp()
      const result = await second.run({ prompt: 'And now?\nscript: answer', session })
      expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'There is nothing to change.' })
      const [before] = await first.calls()
      const [after] = await second.calls()
      expect(after?.request?.messages).toBeGreaterThan((before?.request?.messages ?? 0) + 2)
      expect(result.usage).toEqual(totalUsage(await second.calls())) // of this turn only
    })

    it('can be aborted while the model responds, and continue later', async ({ setUp }) => {
      const { run, calls, shell } = await setUp()
      const abort = new AbortController()
      const running = run({ prompt: 'script: drip', signal: abort.signal })
      await vi.waitFor(async () => expect(await calls()).toHaveLength(1), 20_000)
      const aborted = await endsAfter(() => abort.abort(), running)
      expect(aborted.stop).toEqual({ kind: 'aborted' })
      await expect(shell('ls')).resolves.toBe('')
      await vi.waitFor(async () => expect((await calls())[0]?.outcome).toBe('client_gone'), 5_000)
      const next = await run({ prompt: 'script: answer', session: aborted.session })
      expect(next).toMatchObject({ stop: { kind: 'finished' }, reply: 'There is nothing to change.' })
    })

    it('can be aborted while a command runs, and ends all its processes', async ({ setUp }) => {
      const { run, shell } = await setUp()
      const abort = new AbortController()
      const command = 'sleep 314159 & (setsid sleep 314159 &) ; sleep 314159'
      const started = Promise.withResolvers<void>()
      const running = run({
        prompt: scripted({ call: [{ tool: 'bash', arguments: { command } }] }),
        signal: abort.signal,
        onEvent: ({ kind }) => kind === 'tool_call' && setTimeout(started.resolve, 300),
      })
      await started.promise
      const aborted = await endsAfter(() => abort.abort(), running)
      expect(aborted.stop).toEqual({ kind: 'aborted' })
      await expect(shell('pgrep sleep; true')).resolves.toBe('')
      const next = await run({ prompt: 'script: answer', session: aborted.session })
      expect(next.stop).toEqual({ kind: 'finished' })
    })

    it('can be killed, and continue in another sandbox from its saved session', async ({ setUp }) => {
      const first = await setUp()
      const killed = await first.run({
        prompt: scripted(
          { say: 'First this.', call: [{ tool: 'ls', arguments: {} }] },
          { call: [{ tool: 'bash', arguments: { command: 'sleep 60' } }] },
        ),
        onEvent: (event) => event.kind === 'tool_call' && event.tool === 'bash' && void first.sandbox.killProcesses(),
      })
      expect(killed.stop).toMatchObject({ kind: 'agent_failed' })
      expect(killed.session).not.toBeNull()
      const second = await setUp()
      const result = await second.run({ prompt: 'script: answer', session: killed.session })
      expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'There is nothing to change.' })
      expect((await second.calls())[0]?.request?.messages).toBeGreaterThan(2)
    })

    it('reports that the provider cannot be reached', async ({ setUp }) => {
      const { run } = await setUp('http://127.0.0.1:9')
      const result = await run({ prompt: 'script: answer' })
      expect(result).toMatchObject({
        stop: { kind: 'model_failed', message: expect.stringContaining('502') },
        reply: '',
      })
    })

    it('reports that the provider rejects the key', async ({ setUp }) => {
      const { run } = await setUp()
      const result = await run({ prompt: 'script: key-refused' })
      expect(result.stop).toMatchObject({ kind: 'model_failed', message: expect.stringContaining('401') })
    })

    it.for(['rate-limited', 'server-error', 'overloaded', 'cut'])('retries after: %s', async (script, { setUp }) => {
      const { run, events, shell, calls } = await setUp()
      const result = await run({ prompt: `script: ${script}` })
      expect(result.stop).toEqual({ kind: 'finished' })
      expect(events[0]).toMatchObject({ kind: 'notice' })
      await expect(shell('cat docs/scripted.md')).resolves.toContain('Written by a script.')
      // The usage of an interrupted response may be counted as far as the provider reported it (Anthropic does so at the start).
      const all = await calls()
      const completed = all.filter(({ outcome }) => outcome === 'completed')
      expect(result.usage.outputTokens).toBeGreaterThanOrEqual(totalUsage(completed).outputTokens)
      expect(result.usage.outputTokens).toBeLessThanOrEqual(totalUsage(all).outputTokens)
    })

    it('recovers from a malformed tool call', async ({ setUp }) => {
      const { run, events, shell } = await setUp()
      await expect(run({ prompt: 'script: malformed-call' })).resolves.toMatchObject({ stop: { kind: 'finished' } })
      expect(events.filter((event) => event.kind === 'tool_result').map(({ isError }) => isError)).toEqual([
        true,
        false,
      ])
      await expect(shell('cat docs/scripted.md')).resolves.toContain('Written by a script.')
    })
  })
  describe(`${agent.name} with any wire format`, () => {
    const it = testWithSetup(agent, 'anthropic-messages')

    it('has every tool that the scripts use', async ({ setUp }) => {
      const { run, events } = await setUp()
      await expect(run({ prompt: 'script: every-tool' })).resolves.toMatchObject({ stop: { kind: 'finished' } })
      const used = events.filter((event) => event.kind === 'tool_result')
      expect(used.map(({ tool }) => tool).toSorted()).toEqual(['bash', 'edit', 'find', 'grep', 'ls', 'read', 'write'])
      expect(used.filter(({ isError }) => isError)).toEqual([])
    })

    it('reports that its sandbox was closed', async ({ setUp }) => {
      const { run, sandbox } = await setUp()
      const running = run({
        prompt: scripted({ call: [{ tool: 'bash', arguments: { command: 'sleep 60' } }] }),
        onEvent: ({ kind }) => kind === 'tool_call' && void sandbox.close(),
      })
      await expect(running).resolves.toMatchObject({ stop: { kind: 'agent_failed' }, session: null })
    })

    it('does not start if it is already aborted', async ({ setUp }) => {
      const { run, calls } = await setUp()
      const signal = AbortSignal.abort()
      await expect(run({ prompt: 'script: answer', signal })).resolves.toMatchObject({ stop: { kind: 'aborted' } })
      await expect(calls()).resolves.toEqual([])
    })

    it('is stopped by a deadline during endless tool calls', async ({ setUp }) => {
      const { run, events } = await setUp()
      const startedAt = Date.now()
      const result = await run({ prompt: 'script: endless', signal: AbortSignal.timeout(8_000) })
      expect(result.stop).toEqual({ kind: 'aborted' })
      expect(Date.now() - startedAt).toBeLessThan(8_000 + maxAbortMs)
      expect(events.length).toBeGreaterThan(2)
    })

    it.for([
      ['prints more than the sandbox can store', 'yes | head --bytes=400M'],
      ['fills the file system and prints', 'head --bytes=1G /dev/zero > /tmp/zeros; yes | head --bytes=1M'],
    ])('survives a command that %s', async ([, command], { setUp }) => {
      const { run, events } = await setUp()
      const call = { tool: 'bash', arguments: { command: `${command}; echo the "end"` } } as const
      const result = await run({ prompt: scripted({ call: [call] }, { say: 'That was long.' }) })
      expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'That was long.' })
      expect(JSON.stringify(events)).toContain('the end')
      expect(JSON.stringify(events).length).toBeLessThan(64_000)
    })

    it('survives many commands with long output, in parallel and in sequence', async ({ setUp }) => {
      const { run } = await setUp()
      const call = { tool: 'bash', arguments: { command: 'yes | head --bytes=8M' } } as const
      const turns = [
        ...Array.from({ length: 40 }, () => ({ call: [call] })),
        { call: Array.from({ length: 40 }, () => call) },
      ]
      const result = await run({ prompt: scripted(...turns, { say: 'That was much.' }) })
      expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'That was much.' })
    })

    it('removes terminal sequences from its output', async ({ setUp }) => {
      const { run, events } = await setUp()
      const sequence = '\u001b[31m\u001b]0;owned\u0007'
      const result = await run({
        prompt: scripted(
          {
            say: `one${sequence}`,
            call: [{ tool: 'bash', arguments: { command: `printf 'two\\033[2Jthree${sequence}'` } }],
          },
          { say: `four${sequence}` },
        ),
      })
      expect(result.reply).toBe('four')
      expect(events).toMatchObject([{ text: 'one' }, { tool: 'bash' }, { output: 'twothree' }, { text: 'four' }])
      expect(JSON.stringify(events)).not.toContain('owned')
    })
  })
}

async function openSetup(
  resources: AsyncDisposableStack,
  agent: CodingAgent,
  format: ModelApiFormat,
  gatewayUrl?: string,
): Promise<Setup> {
  const model = `contract/${randomUUID()}:8b` // a name with characters that agents might interpret
  const { modelUrl } = inject('services')
  const egress = resources.use(
    await openEgressSocket({ gatewayUrl: gatewayUrl ?? modelUrl, token: 'any', allowedPaths: ['/v1/'] }),
  )
  const sandbox = resources.use(
    await Sandbox.open({
      mounts: agent.mounts,
      gatewayDirectory: egress.directory,
      cgroups: undefined,
      limits: defaultSandboxLimits,
    }),
  )
  const shell = async (script: string) => {
    const { output } = await sandbox.run({ command: ['bash', '-c', script], maxOutputBytes: 100_000 })
    return output.toString('utf8')
  }
  await shell('git init --quiet')
  const events: AgentRunEvent[] = []
  return {
    sandbox,
    events,
    shell,
    run: ({ onEvent, ...turn }) =>
      agent.run({
        sandbox,
        model: { id: model, format, path: '', contextTokens: 200_000, maxOutputTokens: 8_000 },
        systemPrompt: 'You maintain the documentation.',
        session: null,
        signal: new AbortController().signal,
        onEvent(event) {
          events.push(event)
          onEvent?.(event)
        },
        ...turn,
      }),
    async calls() {
      const response = await fetch(new URL('/calls', modelUrl))
      const calls = (await response.json()) as LoggedModelCall[]
      return calls.filter(({ request }) => request?.model === model)
    },
  }
}

const scripted = (...steps: Step[]): string => `\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``

/** Runs `abort` and expects the agent to end in time. */
async function endsAfter(abort: () => void, running: Promise<AgentRunResult>): Promise<AgentRunResult> {
  const startedAt = Date.now()
  abort()
  const result = await running
  expect(Date.now() - startedAt).toBeLessThan(maxAbortMs)
  return result
}

function totalUsage(calls: readonly LoggedModelCall[]): AgentUsage {
  const total = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }
  for (const { playback } of calls)
    for (const name of Object.keys(total) as (keyof AgentUsage)[]) total[name] += playback?.usage?.[name] ?? 0
  return total
}

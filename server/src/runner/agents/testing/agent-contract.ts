/**
 * What any engine must do, on a real box and with the scripted model in the vendor's place, in every wire format. The
 * scripts are in `dev-services/model/scripts.ts`; each conversation has a model's name of its own, by which its calls are found.
 */
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import type { Call } from '../../../../../dev-services/model/call-log.ts'
import type { Step } from '../../../../../dev-services/model/script.ts'
import { Box } from '../../sandbox/box.ts'
import { openWayOut } from '../../sandbox/way-out.ts'
import {
  type AgentRunEvent,
  type AgentRunResult,
  type AgentTurn,
  type AgentUsage,
  type CodingAgent,
  type WireFormat,
  wireFormats,
} from '../coding-agent.ts'

/** What is left to run after an abort, at most. */
const endsWithinMs = 5_000

let open: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of open.toReversed()) await part[Symbol.asyncDispose]()
  open = []
})

interface Scene {
  box: Box
  events: AgentRunEvent[]
  /** Works on one prompt. */
  run(turn: Partial<AgentTurn> & Pick<AgentTurn, 'prompt'>): Promise<AgentRunResult>
  /** What reached the vendor. */
  calls(): Promise<Call[]>
  shell(script: string): Promise<string>
}

export function describeAgentContract(engine: CodingAgent): void {
  describe.each(wireFormats)(`${engine.name}, by %s`, (wire) => {
    const scene = (gatewayUrl?: string) => openScene(engine, wire, gatewayUrl)

    it('edits a file, tells what it does, and counts what it used', async () => {
      const { run, calls, events, shell } = await scene()
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
      expect(result.usage).toEqual(usageOf(await calls()))
    })

    it('adds up what the script says it used', async () => {
      const { run } = await scene()
      const usage = { inputTokens: 1_000, cacheReadTokens: 200, cacheWriteTokens: 0, outputTokens: 30 }
      const result = await run({
        prompt: scripted({ call: [{ tool: 'ls', arguments: {} }], usage }, { say: 'Done.', usage }),
      })
      expect(result.usage).toEqual({ inputTokens: 2_000, cacheReadTokens: 400, cacheWriteTokens: 0, outputTokens: 60 })
    })

    it('goes on in another box from the session alone', async () => {
      const first = await scene()
      const { session } = await first.run({ prompt: 'script: write' })
      await first.box.close()
      const second = await scene()
      const result = await second.run({ prompt: 'And now?\nscript: answer', session })
      expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'There is nothing to change.' })
      const [before] = await first.calls()
      const [after] = await second.calls()
      expect(after?.asked?.messages).toBeGreaterThan((before?.asked?.messages ?? 0) + 2)
      expect(result.usage).toEqual(usageOf(await second.calls())) // this turn's alone
    })

    it('is aborted while the model speaks, and can go on', async () => {
      const { run, calls, shell } = await scene()
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

    it('is aborted while a command runs, which ends with all it started', async () => {
      const { run, shell } = await scene()
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

    it('is killed, and goes on in another box from what it had written down', async () => {
      const first = await scene()
      const killed = await first.run({
        prompt: scripted(
          { say: 'First this.', call: [{ tool: 'ls', arguments: {} }] },
          { call: [{ tool: 'bash', arguments: { command: 'sleep 60' } }] },
        ),
        onEvent: (event) => event.kind === 'tool_call' && event.tool === 'bash' && void first.box.endProcesses(),
      })
      expect(killed.stop).toMatchObject({ kind: 'agent_failed' })
      expect(killed.session).not.toBeNull()
      const second = await scene()
      const result = await second.run({ prompt: 'script: answer', session: killed.session })
      expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'There is nothing to change.' })
      expect((await second.calls())[0]?.asked?.messages).toBeGreaterThan(2)
    })

    it('tells that the provider is down', async () => {
      const { run } = await scene('http://127.0.0.1:9')
      const result = await run({ prompt: 'script: answer' })
      expect(result).toMatchObject({
        stop: { kind: 'model_failed', message: expect.stringContaining('502') },
        reply: '',
      })
    })

    it('tells that the key is refused', async () => {
      const { run } = await scene()
      const result = await run({ prompt: 'script: key-refused' })
      expect(result.stop).toMatchObject({ kind: 'model_failed', message: expect.stringContaining('401') })
    })

    it.each(['rate-limited', 'server-error', 'overloaded', 'cut'])('tries again: %s', async (script) => {
      const { run, events, shell, calls } = await scene()
      const result = await run({ prompt: `script: ${script}` })
      expect(result.stop).toEqual({ kind: 'finished' })
      expect(events[0]).toMatchObject({ kind: 'notice' })
      await expect(shell('cat docs/scripted.md')).resolves.toContain('Written by a script.')
      // Of an answer that broke off, what the vendor had said by then may be counted (Anthropic says it in the beginning).
      const all = await calls()
      const answered = all.filter(({ outcome }) => outcome === 'answered')
      expect(result.usage.outputTokens).toBeGreaterThanOrEqual(usageOf(answered).outputTokens)
      expect(result.usage.outputTokens).toBeLessThanOrEqual(usageOf(all).outputTokens)
    })

    it('gets over a malformed tool call', async () => {
      const { run, events, shell } = await scene()
      await expect(run({ prompt: 'script: malformed-call' })).resolves.toMatchObject({ stop: { kind: 'finished' } })
      expect(events.filter((event) => event.kind === 'tool_result').map(({ isError }) => isError)).toEqual([
        true,
        false,
      ])
      await expect(shell('cat docs/scripted.md')).resolves.toContain('Written by a script.')
    })
  })
  describe(`${engine.name}, by any wire format`, () => {
    const scene = () => openScene(engine, 'anthropic-messages')

    it('has every tool that the scripts know', async () => {
      const { run, events } = await scene()
      await expect(run({ prompt: 'script: every-tool' })).resolves.toMatchObject({ stop: { kind: 'finished' } })
      const used = events.filter((event) => event.kind === 'tool_result')
      expect(used.map(({ tool }) => tool).toSorted()).toEqual(['bash', 'edit', 'find', 'grep', 'ls', 'read', 'write'])
      expect(used.filter(({ isError }) => isError)).toEqual([])
    })

    it('tells when its box is taken away', async () => {
      const { run, box } = await scene()
      const running = run({
        prompt: scripted({ call: [{ tool: 'bash', arguments: { command: 'sleep 60' } }] }),
        onEvent: ({ kind }) => kind === 'tool_call' && void box.close(),
      })
      await expect(running).resolves.toMatchObject({ stop: { kind: 'agent_failed' }, session: null })
    })

    it('does not begin when it is aborted already', async () => {
      const { run, calls } = await scene()
      const signal = AbortSignal.abort()
      await expect(run({ prompt: 'script: answer', signal })).resolves.toMatchObject({ stop: { kind: 'aborted' } })
      await expect(calls()).resolves.toEqual([])
    })

    it('is stopped by a deadline in the middle of endless tool calls', async () => {
      const { run, events } = await scene()
      const startedAt = Date.now()
      const result = await run({ prompt: 'script: endless', signal: AbortSignal.timeout(8_000) })
      expect(result.stop).toEqual({ kind: 'aborted' })
      expect(Date.now() - startedAt).toBeLessThan(8_000 + endsWithinMs)
      expect(events.length).toBeGreaterThan(2)
    })

    it.each([
      ['prints more than the box has room for', 'yes | head --bytes=400M'],
      ['leaves no room, and prints', 'head --bytes=1G /dev/zero > /tmp/zeros; yes | head --bytes=1M'],
    ])('survives a command that %s', async (_does, command) => {
      const { run, events } = await scene()
      const call = { tool: 'bash', arguments: { command: `${command}; echo the "end"` } } as const
      const result = await run({ prompt: scripted({ call: [call] }, { say: 'That was long.' }) })
      expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'That was long.' })
      expect(JSON.stringify(events)).toContain('the end')
      expect(JSON.stringify(events).length).toBeLessThan(64_000)
    })

    it('survives many commands that print much, at once and one after another', async () => {
      const { run } = await scene()
      const call = { tool: 'bash', arguments: { command: 'yes | head --bytes=8M' } } as const
      const turns = [
        ...Array.from({ length: 40 }, () => ({ call: [call] })),
        { call: Array.from({ length: 40 }, () => call) },
      ]
      const result = await run({ prompt: scripted(...turns, { say: 'That was much.' }) })
      expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'That was much.' })
    })

    it('lets no terminal sequence out', async () => {
      const { run, events } = await scene()
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

async function openScene(engine: CodingAgent, wire: WireFormat, gatewayUrl?: string): Promise<Scene> {
  const model = `contract/${randomUUID()}:8b` // engines read things into such names
  const { modelUrl } = inject('services')
  const wayOut = await openWayOut({ gatewayUrl: gatewayUrl ?? modelUrl, token: 'any', paths: ['/v1/'] })
  open.push(wayOut)
  const box = await Box.open({ mounts: engine.mounts, gatewayDirectory: wayOut.directory, groups: undefined })
  open.push(box)
  const shell = async (script: string) => {
    const { output } = await box.run({ command: ['bash', '-c', script], maxOutputBytes: 100_000 })
    return output.toString('utf8')
  }
  await shell('git init --quiet')
  const events: AgentRunEvent[] = []
  return {
    box,
    events,
    shell,
    run: ({ onEvent, ...turn }) =>
      engine.run({
        box,
        model: { id: model, wire, path: '', contextTokens: 200_000, maxOutputTokens: 8_000 },
        systemPrompt: 'You look after the documentation.',
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
      const calls = (await response.json()) as Call[]
      return calls.filter(({ asked }) => asked?.model === model)
    },
  }
}

const scripted = (...steps: Step[]): string => `\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``

/** In time. */
async function endsAfter(act: () => void, running: Promise<AgentRunResult>): Promise<AgentRunResult> {
  const startedAt = Date.now()
  act()
  const result = await running
  expect(Date.now() - startedAt).toBeLessThan(endsWithinMs)
  return result
}

function usageOf(calls: readonly Call[]): AgentUsage {
  const total = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }
  for (const { played } of calls)
    for (const name of Object.keys(total) as (keyof AgentUsage)[]) total[name] += played?.usage?.[name] ?? 0
  return total
}

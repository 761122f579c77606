import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import type { Step } from '../../../dev-services/model/script.ts'
import { createLog } from '../platform/log.ts'
import type { ClaimedTurn, TurnReport } from '../runner-wire/runner-wire.ts'
import { PiAgent } from './agents/pi/pi-agent.ts'
import { GatewayClient } from './gateway-client.ts'
import { runTurn, type TurnEnd } from './run-turn.ts'
import { type BadDays, PlayedGateway, type PlayedTurn, runnerToken } from './testing/played-gateway.ts'
import { processesOnHost } from './testing/processes-on-host.ts'

const files = {
  'docs/index.md': '# Index\n\nSee [start](start.md).\n',
  'docs/start.md': '# Start\n',
  'README.md': '# Site\n',
}
const engine = new PiAgent()
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of open.splice(0)) await part[Symbol.asyncDispose]()
})

interface Scene {
  gateway: PlayedGateway
  logged: string[]
  shutDown: AbortController
  run(turn: Partial<ClaimedTurn> & Pick<ClaimedTurn, 'prompt'>): { ended: Promise<TurnEnd>; played: PlayedTurn }
}

async function openScene(repository: Record<string, string> = files): Promise<Scene> {
  const gateway = await PlayedGateway.start(inject('services').modelUrl, repository)
  open.push(gateway)
  const logged: string[] = []
  const log = createLog('test', { level: 'warn' }, { write: (line) => void logged.push(line) })
  const client = new GatewayClient({ gatewayUrl: gateway.url, token: runnerToken })
  const parts = { engine, gateway: client, gatewayUrl: gateway.url, groups: undefined, log }
  const shutDown = new AbortController()
  return {
    gateway,
    logged,
    shutDown,
    run(change) {
      const { claimed, played } = gateway.turn(change)
      return { ended: runTurn(claimed, parts, shutDown.signal), played }
    },
  }
}

/** With something of its own: what goes wrong in a conversation is counted by its words. */
const scripted = (...steps: Step[]): string => `${Math.random()}\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``
const bash = (command: string): Step => ({ call: [{ tool: 'bash', arguments: { command } }] })
const write = (path: string, content: string): Step => ({ call: [{ tool: 'write', arguments: { path, content } }] })

function resultOf({ report }: PlayedTurn): Extract<TurnReport, { kind: 'result' }> {
  if (report?.kind !== 'result') throw new Error(`no result, but ${JSON.stringify(report)}`)
  return report
}

describe('a turn', () => {
  it('ends as a bundle on the base, with words, checks and a session', async () => {
    const { gateway, run } = await openScene()
    const { ended, played } = run({ prompt: 'script: write' })
    await expect(ended).resolves.toEqual({ report: 'result', delivery: 'kept' })
    const result = resultOf(played)
    expect(result).toMatchObject({
      baseCommit: gateway.repository.head,
      title: 'Add the scripted page',
      summary: 'Adds `docs/scripted.md`.',
      checks: [{ status: 'passed' }, { status: 'passed' }, { status: 'passed' }],
      session: expect.any(Buffer),
    })
    expect(gateway.repository.changesIn(result.bundle)).toEqual({
      'docs/scripted.md': '# Scripted\n\nWritten by a script.',
    })
    expect(played.events.map(({ type }) => type)).toEqual(['text', 'tool_call', 'tool_result', 'text'])
  })

  it('has no bundle where nothing was changed, and one where the agent committed by itself', async () => {
    const { gateway, run } = await openScene()
    const idle = run({ prompt: 'script: answer' })
    await idle.ended
    expect(resultOf(idle.played)).toMatchObject({ bundle: null, reply: 'There is nothing to change.' })
    const commit =
      'git checkout -q -b mine && echo "# More" > docs/more.md && git add . && git -c user.name=a -c user.email=a@b commit -qm x'
    const busy = run({ prompt: scripted(bash(`${commit} && touch .git/index.lock`), { say: 'Done.' }) })
    await busy.ended
    expect(gateway.repository.changesIn(resultOf(busy.played).bundle)).toEqual({ 'docs/more.md': '# More' })
  })

  it('goes on with the conversation and the unpublished work of the turns before', async () => {
    const { gateway, run } = await openScene()
    const first = run({ prompt: 'script: write' })
    await first.ended
    const { baseCommit, bundle, session } = resultOf(first.played)
    const earlier = { baseCommit, bundle: bundle?.toString('base64') ?? '' }
    const second = run({
      prompt: scripted(write('docs/second.md', '# Second\n'), { say: 'Done.' }),
      session: session?.toString('base64') ?? null,
      earlier,
      notDone: [{ prompt: 'Something else.', reason: 'It was refused.' }],
    })
    await second.ended
    expect(Object.keys(gateway.repository.changesIn(resultOf(second.played).bundle))).toEqual([
      'docs/scripted.md',
      'docs/second.md',
    ])
    const calls = (await (await fetch(new URL('/calls', inject('services').modelUrl))).json()) as {
      asked?: { messages: number }
    }[]
    expect(calls.at(-1)?.asked?.messages).toBeGreaterThan(5)
    const third = run({ prompt: 'script: answer', earlier })
    await third.ended
    expect(resultOf(third.played)).toMatchObject({ bundle: null, baseCommit })
  })

  it('gives the agent one more try at what the checks find', async () => {
    const { gateway, run } = await openScene()
    const broken = { prompt: scripted(write('docs/scripted.md', '# A\n\n[no](gone.md)\n'), { say: 'Done.' }) }
    const mended = run({ ...broken, model: 'scripted/write' }) // plays `write` where a prompt has no script: at the repair
    await mended.ended
    expect(resultOf(mended.played)).toMatchObject({
      title: 'Add the scripted page',
      checks: [{ status: 'passed' }, { status: 'passed' }, { status: 'passed' }],
    })
    expect(mended.played.events).toContainEqual(
      expect.objectContaining({ type: 'notice', text: expect.stringContaining('docs/scripted.md:3') }),
    )
    const left = run(broken)
    await left.ended
    expect(resultOf(left.played).checks).toMatchObject([{}, {}, { status: 'failed' }])
    expect(gateway.repository.changesIn(resultOf(left.played).bundle)).toHaveProperty(['docs/scripted.md'])
  })

  it('works on docs in a folder of a larger repository', async () => {
    const { gateway, run } = await openScene({
      'packages/site/docs/index.md': '# Index\n',
      'packages/code/README.md': '# Code\n',
    })
    const page = 'packages/site/docs/page.md'
    const prompt = scripted(write(page, '# Page\n\n[code](../../code/README.md) [index](./index.md)\n'), {
      say: 'Done.',
    })
    const { ended, played } = run({ prompt, docsFolder: 'packages/site/docs' })
    await ended
    expect(resultOf(played).checks.flatMap(({ findings }) => findings)).toEqual([])
    expect(Object.keys(gateway.repository.changesIn(resultOf(played).bundle))).toEqual([page])
  })

  it('finds no secret in its box, and no way to what is the runner’s', async () => {
    process.env.COLOPHON_RUNNER_TOKEN = runnerToken
    const { run } = await openScene()
    const look = 'cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"; env; ls -la / /run /tmp /state; cat /state/pi/*'
    const paths = ['/runner/result', '/runner/claim', '/git/../runner/result', '/readyz']
    const ask = paths.map(
      (path) => `curl -s --path-as-is -o /dev/null -w "%{http_code} " -X POST http://127.0.0.1:8080${path}`,
    )
    const { ended, played } = run({ prompt: scripted(bash(look), bash(ask.join(';')), { say: 'Done.' }) })
    await ended
    delete process.env.COLOPHON_RUNNER_TOKEN
    const outputs = played.events.flatMap((event) => (event.type === 'tool_result' ? [event.output] : []))
    expect(outputs[0]).toContain('PI_OFFLINE')
    expect(JSON.stringify(played.events)).not.toMatch(/colophon_(runner|attempt)_/)
    expect(outputs[1]?.trim()).toBe('404 404 404 404')
    expect(played.report?.kind).toBe('result')
  })
})

describe('what goes wrong', () => {
  it('sends the same events again when the answer is lost, and shows each once', async () => {
    const { gateway, run } = await openScene()
    gateway.badDays.lostUploadResponses = 2
    const { ended, played } = run({ prompt: 'script: write-and-edit' })
    await expect(ended).resolves.toMatchObject({ delivery: 'kept' })
    expect(gateway.badDays.lostUploadResponses).toBe(0)
    expect(played.events.map(({ type }) => type)).toEqual([
      'text',
      'tool_call',
      'tool_result',
      'text',
      'tool_call',
      'tool_result',
      'text',
    ])
  })

  it('shows signs of life while nothing happens', async () => {
    const { gateway, run } = await openScene()
    const { ended, played } = run({ prompt: scripted(bash('sleep 6'), { say: 'Done.' }), heartbeatSeconds: 1 })
    await ended
    const gaps = played.signsOfLifeMs.slice(1).map((at, place) => at - (played.signsOfLifeMs[place] ?? 0))
    expect(gaps.length).toBeGreaterThan(6)
    expect(Math.max(...gaps)).toBeLessThan(2_000)
    expect(gateway.turns.size).toBe(1)
  })

  it('keeps its result while the gateway is away, and says so when that is refused', async () => {
    const { gateway, run } = await openScene()
    gateway.badDays = { reportFailures: 2 }
    const late = run({ prompt: 'script: answer' })
    await expect(late.ended).resolves.toEqual({ report: 'result', delivery: 'kept' })
    gateway.badDays = { refusedReport: 'result' }
    const refused = run({ prompt: 'script: answer' })
    await expect(refused.ended).resolves.toEqual({ report: 'agent_failed', delivery: 'kept' })
  })

  it('waits for a code host that is away for a moment', async () => {
    const { gateway, run } = await openScene()
    gateway.badDays = { gitFailures: 2 }
    const { ended, played } = run({ prompt: 'script: answer' })
    await ended
    expect(played.report?.kind).toBe('result')
  })

  it('tells that the branch is gone', async () => {
    const { run } = await openScene()
    const { ended, played } = run({ prompt: 'script: answer', startBranch: 'gone' })
    await ended
    expect(played.report).toMatchObject({ kind: 'agent_failed', message: expect.stringContaining('refs/heads/gone') })
  })

  it('tells that the model fails', async () => {
    const { run } = await openScene()
    const { ended, played } = run({ prompt: 'script: key-refused' })
    await ended
    expect(played.report).toMatchObject({ kind: 'agent_failed', message: expect.stringContaining('401') })
  })
})

describe('every stop ends the agent and all it started within five seconds', () => {
  let number = 271_828_000
  const badDay =
    (days: BadDays) =>
    ({ gateway }: Scene) =>
      void Object.assign(gateway.badDays, days)
  const stops: [name: string, stop: (scene: Scene) => void, report: TurnReport['kind'] | undefined][] = [
    ['cancelled', badDay({ stop: 'cancelled' }), 'stopped'],
    ['deadline', badDay({ stop: 'deadline' }), 'stopped'],
    ['budget', badDay({ stop: 'budget' }), 'stopped'],
    ['a word from a later version', badDay({ stop: 'eclipse' }), 'stopped'],
    ['paused', badDay({ stop: 'paused' }), 'handed_back'],
    ['shutdown', ({ shutDown }) => shutDown.abort(), 'handed_back'],
    ['not ours', badDay({ isOver: true }), undefined],
  ]
  it.each(stops)('%s', async (_name, stop, report) => {
    const scene = await openScene()
    const word = String(++number)
    const command = `sleep ${word} & (setsid nohup sleep ${word} >/dev/null 2>&1 &) ; sleep ${word}`
    const { ended, played } = scene.run({ prompt: scripted(bash(command)), heartbeatSeconds: 2 })
    await vi.waitFor(() => expect(processesOnHost(word)).toHaveLength(3), 30_000)
    const startedAt = Date.now()
    stop(scene)
    await vi.waitFor(() => expect(processesOnHost(word)).toEqual([]), 5_000)
    await ended
    expect(Date.now() - startedAt).toBeLessThan(5_000)
    expect(played.report?.kind).toBe(report)
  })

  it('while the model is silent', async () => {
    const scene = await openScene()
    const { ended, played } = scene.run({ prompt: `${Math.random()}\nscript: silent` })
    await sleep(3_000)
    const startedAt = Date.now()
    scene.shutDown.abort()
    await ended
    expect(Date.now() - startedAt).toBeLessThan(5_000)
    expect(played.report).toEqual({ kind: 'handed_back' })
  })

  it('while the gateway hangs', async () => {
    const scene = await openScene()
    const { ended, played } = scene.run({ prompt: scripted(bash('sleep 60')) })
    await sleep(3_000)
    scene.gateway.badDays.hangs = true
    await sleep(1_500)
    const startedAt = Date.now()
    scene.shutDown.abort()
    await expect(ended).resolves.toEqual({ report: 'handed_back', delivery: 'given_up' })
    expect(Date.now() - startedAt).toBeLessThan(5_000)
    expect(played.report).toBeUndefined()
  })
})

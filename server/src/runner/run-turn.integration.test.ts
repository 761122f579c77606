import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import type { LoggedModelCall } from '../../../testing/simulators/model/call-log.ts'
import type { Step } from '../../../testing/simulators/model/script.ts'
import { createLog } from '../platform/log.ts'
import type { ClaimedTurn, TurnReport } from '../runner-wire/runner-wire.ts'
import { PiAgent } from './agents/pi/pi-agent.ts'
import { DocsChecks } from './checks/docs-checks.ts'
import { GatewayClient } from './gateway-client.ts'
import { type AttemptOutcome, runTurn } from './run-turn.ts'
import { defaultSandboxLimits } from './sandbox/limits.ts'
import { findHostProcessIds } from './testing/host-processes.ts'
import {
  type GatewayFaults,
  SimulatedGateway,
  type SimulatedTurnRecord,
  simulatedRunnerToken,
} from './testing/simulated-gateway.ts'

const files = {
  'docs/index.md': '# Index\n\nSee [start](start.md).\n',
  'docs/start.md': '# Start\n',
  'README.md': '# Site\n',
}
const agent = new PiAgent()
const docsChecks = new DocsChecks()
const resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of resources.splice(0)) await resource[Symbol.asyncDispose]()
})

interface Setup {
  gateway: SimulatedGateway
  shutDown: AbortController
  run(turn: Partial<ClaimedTurn> & Pick<ClaimedTurn, 'prompt'>): {
    ended: Promise<AttemptOutcome>
    turn: SimulatedTurnRecord
  }
}

async function setUp(repository: Record<string, string> = files): Promise<Setup> {
  const gateway = await SimulatedGateway.start(inject('services').modelUrl, repository)
  resources.push(gateway)
  const log = createLog('test', { level: 'warn' }, { write: () => {} })
  const client = new GatewayClient({ gatewayUrl: gateway.url, token: simulatedRunnerToken })
  const deps = {
    agent,
    docsChecks,
    gateway: client,
    gatewayUrl: gateway.url,
    cgroups: undefined,
    limits: defaultSandboxLimits,
    log,
  }
  const shutDown = new AbortController()
  return {
    gateway,
    shutDown,
    run(change) {
      const { claimed, turn } = gateway.createTurn(change)
      return { ended: runTurn(claimed, deps, shutDown.signal), turn }
    },
  }
}

/** With a random number, because the scripted model counts the failures of a conversation by its text. */
const scripted = (...steps: Step[]): string => `${Math.random()}\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``
const bash = (command: string): Step => ({ call: [{ tool: 'bash', arguments: { command } }] })
const write = (path: string, content: string): Step => ({ call: [{ tool: 'write', arguments: { path, content } }] })

function resultOf({ report }: SimulatedTurnRecord): Extract<TurnReport, { kind: 'result' }> {
  if (report?.kind !== 'result') throw new Error(`expected a result, got ${JSON.stringify(report)}`)
  return report
}

describe('turn', () => {
  it('ends with a bundle on the base commit, texts, check results and a session', async () => {
    const { gateway, run } = await setUp()
    const { ended, turn } = run({ prompt: 'script: write' })
    await expect(ended).resolves.toEqual({ report: 'result', delivery: 'accepted' })
    const result = resultOf(turn)
    expect(result).toMatchObject({
      baseCommit: gateway.repository.head,
      title: 'Add the scripted page',
      summary: 'Adds `docs/scripted.md`.',
      checks: Array(4).fill({ status: 'passed' }),
      session: expect.any(Buffer),
    })
    expect(gateway.repository.changesIn(result.bundle)).toEqual({
      'docs/scripted.md': '# Scripted\n\nWritten by a script.',
    })
    expect(turn.events.map(({ type }) => type)).toEqual(['text', 'tool_call', 'tool_result', 'text'])
  })

  it('has no bundle if nothing changed, and one if the agent made its own commit', async () => {
    const { gateway, run } = await setUp()
    const idle = run({ prompt: 'script: answer' })
    await idle.ended
    expect(resultOf(idle.turn)).toMatchObject({ bundle: null, reply: 'There is nothing to change.' })
    const commit =
      'git checkout -q -b mine && echo "# More" > docs/more.md && git add . && git -c user.name=a -c user.email=a@b commit -qm x'
    const busy = run({ prompt: scripted(bash(`${commit} && touch .git/index.lock`), { say: 'Done.' }) })
    await busy.ended
    expect(gateway.repository.changesIn(resultOf(busy.turn).bundle)).toEqual({ 'docs/more.md': '# More' })
  })

  it('continues the conversation and the unpublished work of previous turns', async () => {
    const { gateway, run } = await setUp()
    const first = run({ prompt: 'script: write' })
    await first.ended
    const { baseCommit, bundle, session } = resultOf(first.turn)
    const unpublishedWork = { baseCommit, bundle: bundle?.toString('base64') ?? '' }
    const model = randomUUID() // other tests call the same scripted model at the same time
    const second = run({
      model,
      prompt: scripted(write('docs/second.md', '# Second\n'), { say: 'Done.' }),
      session: session?.toString('base64') ?? null,
      unpublishedWork,
      failedMessages: [{ prompt: 'Something else.', reason: 'The result was refused.' }],
    })
    await second.ended
    expect(Object.keys(gateway.repository.changesIn(resultOf(second.turn).bundle))).toEqual([
      'docs/scripted.md',
      'docs/second.md',
    ])
    const calls = (await (await fetch(new URL('/calls', inject('services').modelUrl))).json()) as LoggedModelCall[]
    const lastCall = calls.findLast(({ request }) => request?.model === model)
    expect(lastCall?.request?.messages).toBeGreaterThan(5)
    const third = run({ prompt: 'script: answer', unpublishedWork })
    await third.ended
    expect(resultOf(third.turn)).toMatchObject({ bundle: null, baseCommit })
  })

  it('lets the agent repair once what the checks find', async () => {
    const { gateway, run } = await setUp()
    const broken = { prompt: scripted(write('docs/scripted.md', '# A\n\n[no](gone.md)\n'), { say: 'Done.' }) }
    const repaired = run({ ...broken, model: 'scripted/write' }) // runs `write` for a prompt without a script: the repair
    await repaired.ended
    expect(resultOf(repaired.turn)).toMatchObject({
      title: 'Add the scripted page',
      checks: Array(4).fill({ status: 'passed' }),
    })
    expect(repaired.turn.events).toContainEqual(
      expect.objectContaining({ type: 'notice', text: expect.stringContaining('docs/scripted.md:3') }),
    )
    const left = run(broken)
    await left.ended
    expect(resultOf(left.turn).checks).toMatchObject([{}, {}, { status: 'failed' }, { status: 'passed' }])
    expect(gateway.repository.changesIn(resultOf(left.turn).bundle)).toHaveProperty(['docs/scripted.md'])
  })

  it('lets the agent undo what would be refused', async () => {
    const { gateway, run } = await setUp()
    const hostile = write('docs/scripted.md', '# A\n\n<script>x()</script>\n')
    const { turn, ended } = run({ prompt: scripted(hostile, { say: 'Done.' }), model: 'scripted/write' })
    await ended
    expect(turn.events).toContainEqual(
      expect.objectContaining({ type: 'notice', text: expect.stringContaining('(active_content)') }),
    )
    expect(resultOf(turn).checks).toMatchObject(Array(4).fill({ status: 'passed' }))
    expect(gateway.repository.changesIn(resultOf(turn).bundle)).toEqual({
      'docs/scripted.md': '# Scripted\n\nWritten by a script.',
    })
  })

  it('does not ask the agent to repair what is not checked', async () => {
    const { run } = await setUp()
    const { ended, turn } = run({ prompt: scripted(write('docs/llms.txt', 'Pages.\n'), { say: 'Done.' }) })
    await ended
    const notChecked = { status: 'not_checked', findings: ['No pages were changed.'] }
    expect(resultOf(turn).checks).toMatchObject([notChecked, notChecked, notChecked, { status: 'passed' }])
    expect(turn.events.map(({ type }) => type)).not.toContain('notice')
  })

  it('works on a docs folder in a larger repository', async () => {
    const { gateway, run } = await setUp({
      'packages/site/docs/index.md': '# Index\n',
      'packages/code/README.md': '# Code\n',
    })
    const page = 'packages/site/docs/page.md'
    const prompt = scripted(write(page, '# Page\n\n[code](../../code/README.md) [index](./index.md)\n'), {
      say: 'Done.',
    })
    const docsFolders = ['packages/site/docs']
    const changeRules = { docsFolders, allowedPaths: [], siteGenerator: null, activeContent: 'refuse' as const }
    const { ended, turn } = run({ prompt, changeRules })
    await ended
    expect(resultOf(turn).checks.flatMap(({ findings }) => findings)).toEqual([])
    expect(Object.keys(gateway.repository.changesIn(resultOf(turn).bundle))).toEqual([page])
  })

  it('finds no secret in its sandbox and cannot reach the runner API', async () => {
    process.env.COLOPHON_RUNNER_TOKEN = simulatedRunnerToken
    const { run } = await setUp()
    const search =
      'cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"; env; ls -la / /run /tmp /state; cat /state/pi/*'
    const paths = ['/runner/result', '/runner/claim', '/git/../runner/result', '/readyz']
    const requests = paths.map(
      (path) => `curl -s --path-as-is -o /dev/null -w "%{http_code} " -X POST http://127.0.0.1:8080${path}`,
    )
    const { ended, turn } = run({ prompt: scripted(bash(search), bash(requests.join(';')), { say: 'Done.' }) })
    await ended
    delete process.env.COLOPHON_RUNNER_TOKEN
    const outputs = turn.events.flatMap((event) => (event.type === 'tool_result' ? [event.output] : []))
    expect(outputs[0]).toContain('PI_OFFLINE')
    expect(JSON.stringify(turn.events)).not.toMatch(/colophon_(runner|attempt)_/)
    expect(outputs[1]?.trim()).toBe('404 404 404 404')
    expect(turn.report?.kind).toBe('result')
  })
})

describe('turn with failures', () => {
  it('repeats an upload after a lost response, without duplicate events', async () => {
    const { gateway, run } = await setUp()
    gateway.faults.lostUploadResponses = 2
    const { ended, turn } = run({ prompt: 'script: write-and-edit' })
    await expect(ended).resolves.toMatchObject({ delivery: 'accepted' })
    expect(gateway.faults.lostUploadResponses).toBe(0)
    expect(turn.events.map(({ type }) => type)).toEqual([
      'text',
      'tool_call',
      'tool_result',
      'text',
      'tool_call',
      'tool_result',
      'text',
    ])
  })

  it('sends heartbeats while nothing happens', async () => {
    const { gateway, run } = await setUp()
    const { ended, turn } = run({ prompt: scripted(bash('sleep 6'), { say: 'Done.' }), heartbeatSeconds: 1 })
    await ended
    const gaps = turn.heartbeatsAtMs.slice(1).map((at, index) => at - (turn.heartbeatsAtMs[index] ?? 0))
    expect(gaps.length).toBeGreaterThan(6)
    expect(Math.max(...gaps)).toBeLessThan(4_000)
    expect(gateway.turns.size).toBe(1)
  })

  it('retries its report while the gateway is unavailable, and reports a failure if the result is rejected', async () => {
    const { gateway, run } = await setUp()
    gateway.faults = { reportFailures: 2 }
    const late = run({ prompt: 'script: answer' })
    await expect(late.ended).resolves.toEqual({ report: 'result', delivery: 'accepted' })
    gateway.faults = { rejectedReport: 'result' }
    const refused = run({ prompt: 'script: answer' })
    await expect(refused.ended).resolves.toEqual({ report: 'agent_failed', delivery: 'accepted' })
  })

  it('waits for a code host that is briefly unavailable', async () => {
    const { gateway, run } = await setUp()
    gateway.faults = { gitFailures: 2 }
    const { ended, turn } = run({ prompt: 'script: answer' })
    await ended
    expect(turn.report?.kind).toBe('result')
  })

  it('reports that the branch does not exist', async () => {
    const { run } = await setUp()
    const { ended, turn } = run({ prompt: 'script: answer', startBranch: 'gone' })
    await ended
    expect(turn.report).toMatchObject({ kind: 'agent_failed', message: expect.stringContaining('refs/heads/gone') })
  })

  it('reports that the model fails', async () => {
    const { run } = await setUp()
    const { ended, turn } = run({ prompt: 'script: key-refused' })
    await ended
    expect(turn.report).toMatchObject({ kind: 'agent_failed', message: expect.stringContaining('401') })
  })
})

describe('every stop ends the agent and all its processes within five seconds', () => {
  let lastSeconds = 271_828_000
  const fault =
    (faults: GatewayFaults) =>
    ({ gateway }: Setup) =>
      void Object.assign(gateway.faults, faults)
  const stops: [name: string, stop: (setup: Setup) => void, report: TurnReport['kind'] | undefined][] = [
    ['cancelled', fault({ stop: 'cancelled' }), 'stopped'],
    ['deadline', fault({ stop: 'deadline' }), 'stopped'],
    ['budget', fault({ stop: 'budget' }), 'stopped'],
    ['an unknown reason of a later version', fault({ stop: 'eclipse' }), 'stopped'],
    ['paused', fault({ stop: 'paused' }), 'released'],
    ['shutdown', ({ shutDown }) => shutDown.abort(), 'released'],
    ['attempt lost', fault({ attemptLost: true }), undefined],
  ]
  it.each(stops)('%s', async (_name, stop, report) => {
    const setup = await setUp()
    const seconds = String(++lastSeconds)
    const command = `sleep ${seconds} & (setsid nohup sleep ${seconds} >/dev/null 2>&1 &) ; sleep ${seconds}`
    const { ended, turn } = setup.run({ prompt: scripted(bash(command)), heartbeatSeconds: 2 })
    await vi.waitFor(() => expect(findHostProcessIds(seconds)).toHaveLength(3), 30_000)
    const startedAt = Date.now()
    stop(setup)
    await vi.waitFor(() => expect(findHostProcessIds(seconds)).toEqual([]), 20_000)
    await ended
    expect(Date.now() - startedAt).toBeLessThan(20_000)
    expect(turn.report?.kind).toBe(report)
  })

  it('while the model is silent', async () => {
    const setup = await setUp()
    const { ended, turn } = setup.run({ prompt: `${Math.random()}\nscript: silent` })
    await sleep(3_000)
    const startedAt = Date.now()
    setup.shutDown.abort()
    await ended
    expect(Date.now() - startedAt).toBeLessThan(20_000)
    expect(turn.report).toEqual({ kind: 'released' })
  })

  it('while the gateway hangs', async () => {
    const setup = await setUp()
    const { ended, turn } = setup.run({ prompt: scripted(bash('sleep 60')) })
    await sleep(3_000)
    setup.gateway.faults.hangs = true
    await sleep(1_500)
    const startedAt = Date.now()
    setup.shutDown.abort()
    await expect(ended).resolves.toEqual({ report: 'released', delivery: 'abandoned' })
    expect(Date.now() - startedAt).toBeLessThan(20_000)
    expect(turn.report).toBeUndefined()
  })
})

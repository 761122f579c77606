/** The real process, as an operator starts it, before a played gateway. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest'
import { freePort } from '../../../dev-services/free-port.ts'
import { selfSignedCertificate } from '../platform/egress/testing/certificate.ts'
import { PlayedGateway, runnerToken } from '../runner/testing/played-gateway.ts'

const program = join(import.meta.dirname, 'colophon-server.ts')
let gateway: PlayedGateway
const started: ChildProcess[] = []
beforeEach(async () => {
  gateway = await PlayedGateway.start(inject('services').modelUrl, { 'docs/index.md': '# Index\n' })
})
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await gateway[Symbol.asyncDispose]()
})

async function start(settings: Record<string, string> = {}, ...around: string[]) {
  const listen = `127.0.0.1:${await freePort()}`
  const commandLine = [...around, process.execPath, program, 'runner']
  const [command = '', ...args] = commandLine
  const child = spawn(command, args, {
    env: {
      COLOPHON_GATEWAY_URL: gateway.url,
      COLOPHON_RUNNER_TOKEN: runnerToken,
      COLOPHON_RUNNER_LISTEN: listen,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const until = (words: string) => vi.waitFor(() => expect(said).toContain(words), { timeout: 40_000, interval: 50 })
  return { child, ended, until, said: () => said, url: `http://${listen}` }
}

const script = (...steps: object[]) => `${Math.random()}\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``
const sleepFor = (seconds: number) =>
  script({ call: [{ tool: 'bash', arguments: { command: `sleep ${seconds}` } }] }, { say: 'Done.' })

it('takes turns, several at once, and says how it is', async () => {
  gateway.badDays.claimFailures = 3
  const runner = await start()
  const turns = [1, 2, 3].map(() => gateway.offer({ prompt: 'script: write' }))
  await runner.until('ready: waiting for turns')
  await expect((await fetch(`${runner.url}/readyz`)).json()).resolves.toMatchObject({ status: 'ready' })
  await vi.waitFor(
    () => expect(turns.map(({ report }) => report?.kind)).toEqual(['result', 'result', 'result']),
    60_000,
  )
  runner.child.kill('SIGTERM')
  await expect(runner.ended).resolves.toBe(0)
  expect(runner.said()).toContain('no turns can be claimed')
  expect(runner.said()).toContain('turns can be claimed again')
})

it('finishes the turns in hand when it is told to stop, and takes no new one', async () => {
  const runner = await start()
  const turn = gateway.offer({ prompt: sleepFor(4) })
  await vi.waitFor(() => expect(turn.events).not.toEqual([]), 40_000)
  runner.child.kill('SIGTERM')
  // A turn that is offered before the signal has arrived may be claimed, and is handed back.
  await vi.waitFor(async () => expect((await fetch(`${runner.url}/readyz`)).status).toBe(503), 3_000)
  const late = gateway.offer({ prompt: 'script: answer' })
  await expect(runner.ended).resolves.toBe(0)
  expect(turn.report?.kind).toBe('result')
  expect(late.signsOfLifeMs).toEqual([])
})

it('hands back what does not finish in time', async () => {
  const runner = await start({ COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS: '1' })
  const turn = gateway.offer({ prompt: sleepFor(600) })
  await vi.waitFor(() => expect(turn.events).not.toEqual([]), 40_000)
  const startedAt = Date.now()
  runner.child.kill('SIGTERM')
  await expect(runner.ended).resolves.toBe(0)
  expect(Date.now() - startedAt).toBeLessThan(6_000)
  expect(turn.report).toEqual({ kind: 'handed_back' })
})

it('does not start where a wall is missing, and says what to do', async () => {
  // As in a container that allows no user namespaces.
  const inContainer = [
    'bwrap',
    '--dev-bind',
    '/',
    '/',
    '--unshare-user',
    '--disable-userns',
    '--uid',
    '1000',
    '--gid',
    '1000',
  ]
  const runner = await start({ PATH: '/usr/bin' }, ...inContainer)
  await expect(runner.ended).resolves.toBe(78)
  expect(runner.said()).toMatch(
    /colophon-server runner: this machine is not fit for it yet:\n {2}.*user namespace.*\n$/,
  )
})

it('trusts a gateway by the authority it was given, and by no other', async () => {
  const { key, cert } = await selfSignedCertificate(['localhost'])
  await using secure = await PlayedGateway.start(
    inject('services').modelUrl,
    { 'docs/index.md': '# Index\n' },
    { key, cert },
  )
  const turn = secure.offer({ prompt: 'script: write' })
  const stranger = await start({ COLOPHON_GATEWAY_URL: secure.url })
  await stranger.until('no turns can be claimed')
  stranger.child.kill('SIGTERM')
  expect(turn.signsOfLifeMs).toEqual([])
  await start({ COLOPHON_GATEWAY_URL: secure.url, COLOPHON_GATEWAY_CA_BUNDLE: cert })
  await vi.waitFor(() => expect(turn.report?.kind).toBe('result'), 40_000)
})

it('keeps asking when its token is not known', async () => {
  const runner = await start({ COLOPHON_RUNNER_TOKEN: 'colophon_runner_other' })
  await runner.until('does not know our token')
  runner.child.kill('SIGTERM')
  await expect(runner.ended).resolves.toBe(0)
})

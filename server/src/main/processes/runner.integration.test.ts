/** Runs the real runner process, as an operator starts it, against a simulated gateway. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest'
import { freePort } from '../../../../testing/services/free-port.ts'
import { selfSignedCertificate } from '../../platform/egress/testing/certificate.ts'
import { SimulatedGateway, simulatedRunnerToken } from '../../runner/testing/simulated-gateway.ts'

const program = join(import.meta.dirname, '../colophon-server.ts')
let gateway: SimulatedGateway
const children: ChildProcess[] = []
beforeEach(async () => {
  gateway = await SimulatedGateway.start(inject('services').modelUrl, { 'docs/index.md': '# Index\n' })
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await gateway[Symbol.asyncDispose]()
})

async function start(settings: Record<string, string> = {}, ...wrapper: string[]) {
  const listen = `127.0.0.1:${await freePort()}`
  const commandLine = [...wrapper, process.execPath, program, 'runner']
  const [command = '', ...args] = commandLine
  const child = spawn(command, args, {
    env: {
      COLOPHON_GATEWAY_URL: gateway.url,
      COLOPHON_RUNNER_TOKEN: simulatedRunnerToken,
      COLOPHON_RUNNER_LISTEN: listen,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exitCode = once(child, 'exit').then(([code]) => code as number | null)
  const waitForOutput = (text: string) =>
    vi.waitFor(() => expect(output).toContain(text), { timeout: 90_000, interval: 50 })
  return { child, exitCode, waitForOutput, output: () => output, url: `http://${listen}` }
}

const script = (...steps: object[]) => `${Math.random()}\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``
const sleepFor = (seconds: number) =>
  script({ call: [{ tool: 'bash', arguments: { command: `sleep ${seconds}` } }] }, { say: 'Done.' })

it('runs several turns at once, and reports its readiness', async () => {
  gateway.faults.claimFailures = 3
  const runner = await start()
  const turns = [1, 2, 3].map(() => gateway.enqueue({ prompt: 'script: write' }))
  await runner.waitForOutput('ready: waiting for turns')
  await expect((await fetch(`${runner.url}/readyz`)).json()).resolves.toMatchObject({ status: 'ready' })
  await vi.waitFor(
    () => expect(turns.map(({ report }) => report?.kind)).toEqual(['result', 'result', 'result']),
    60_000,
  )
  runner.child.kill('SIGTERM')
  await expect(runner.exitCode).resolves.toBe(0)
  expect(runner.output()).toContain('cannot claim turns')
  expect(runner.output()).toContain('claiming turns again')
})

it('finishes claimed turns on SIGTERM, and claims no new one', async () => {
  const runner = await start()
  const turn = gateway.enqueue({ prompt: sleepFor(10) })
  await vi.waitFor(() => expect(turn.events).not.toEqual([]), 40_000)
  runner.child.kill('SIGTERM')
  // A turn that is queued before the signal arrives may still be claimed; it is then released.
  await vi.waitFor(async () => expect((await fetch(`${runner.url}/readyz`)).status).toBe(503), 9_000)
  const late = gateway.enqueue({ prompt: 'script: answer' })
  await expect(runner.exitCode).resolves.toBe(0)
  expect(turn.report?.kind).toBe('result')
  expect(late.heartbeatsAtMs).toEqual([])
})

it('releases turns that do not finish within the grace period', async () => {
  const runner = await start({ COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS: '1' })
  const turn = gateway.enqueue({ prompt: sleepFor(600) })
  await vi.waitFor(() => expect(turn.events).not.toEqual([]), 40_000)
  const startedAt = Date.now()
  runner.child.kill('SIGTERM')
  await expect(runner.exitCode).resolves.toBe(0)
  expect(Date.now() - startedAt).toBeLessThan(30_000)
  expect(turn.report).toEqual({ kind: 'released' })
})

it('does not start without a working sandbox, and says what to do', async () => {
  // Like a container that does not allow user namespaces.
  const container = [
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
  const runner = await start({ PATH: '/usr/bin' }, ...container)
  await expect(runner.exitCode).resolves.toBe(78)
  expect(runner.output()).toMatch(
    /colophon-server runner: this machine does not meet the requirements:\n {2}.*user namespace.*\n$/,
  )
})

it('does not start without cgroups if it serves all projects, unless the operator accepts that', async () => {
  gateway.isRunnerShared = true
  const refused = await start()
  await expect(refused.exitCode).resolves.toBe(78)
  expect(refused.output()).toMatch(
    /this machine does not meet the requirements:\n.*Delegate=yes.*COLOPHON_RUNNER_CGROUPS=optional/,
  )
  const turn = gateway.enqueue({ prompt: 'script: write' })
  await start({ COLOPHON_RUNNER_CGROUPS: 'optional' })
  await vi.waitFor(() => expect(turn.report?.kind).toBe('result'), 60_000)
})

it('does not start without cgroups if they are required', async () => {
  const runner = await start({ COLOPHON_RUNNER_CGROUPS: 'required' })
  await expect(runner.exitCode).resolves.toBe(78)
  expect(runner.output()).toContain('no delegated cgroup')
})

it('trusts only the given CA of a gateway', async () => {
  const { key, cert } = await selfSignedCertificate(['localhost'])
  await using secure = await SimulatedGateway.start(
    inject('services').modelUrl,
    { 'docs/index.md': '# Index\n' },
    { key, cert },
  )
  const turn = secure.enqueue({ prompt: 'script: write' })
  const untrusting = await start({ COLOPHON_GATEWAY_URL: secure.url })
  await untrusting.waitForOutput('cannot claim turns')
  untrusting.child.kill('SIGTERM')
  expect(turn.heartbeatsAtMs).toEqual([])
  await start({ COLOPHON_GATEWAY_URL: secure.url, COLOPHON_GATEWAY_CA_BUNDLE: cert })
  await vi.waitFor(() => expect(turn.report?.kind).toBe('result'), 90_000)
})

it('keeps running when the gateway does not know its token', async () => {
  const runner = await start({ COLOPHON_RUNNER_TOKEN: 'colophon_runner_other' })
  await runner.waitForOutput('gateway rejected the runner token')
  runner.child.kill('SIGTERM')
  await expect(runner.exitCode).resolves.toBe(0)
})

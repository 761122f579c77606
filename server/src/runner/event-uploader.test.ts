import { afterEach, beforeEach, expect, it } from 'vitest'
import { EventUploader } from './event-uploader.ts'
import { GatewayClient } from './gateway-client.ts'
import { SimulatedGateway, type SimulatedTurnRecord, simulatedRunnerToken } from './testing/simulated-gateway.ts'

let gateway: SimulatedGateway
let turn: SimulatedTurnRecord
beforeEach(async () => {
  gateway = await SimulatedGateway.start('http://127.0.0.1:9', { 'README.md': '# Site\n' })
  turn = gateway.createTurn({ prompt: '' }).turn
})
afterEach(() => gateway[Symbol.asyncDispose]())

const startUploader = () =>
  new EventUploader({
    gateway: new GatewayClient({ gatewayUrl: gateway.url, token: simulatedRunnerToken }),
    attemptToken: turn.attemptToken,
    heartbeatSeconds: 60,
    onStop: () => {},
    onLost: () => {},
  })

it('uploads many events in batches, in order, up to a limit', async () => {
  await using events = startUploader()
  const text = 'x'.repeat(50_000)
  for (let number = 0; number < 600; number++) events.add({ kind: 'text', text: `${number} ${text}` })
  await events.flush(AbortSignal.timeout(20_000))
  const numbers = turn.events.map((event) => ('text' in event ? Number(event.text.split(' ')[0]) : -1))
  expect(numbers.slice(0, -1)).toEqual(numbers.slice(0, -1).map((_, index) => index))
  expect(numbers.length).toBeGreaterThan(400)
  expect(turn.events.at(-1)).toMatchObject({ type: 'notice', text: expect.stringContaining('limit') })
  expect(turn.heartbeatsAtMs.length).toBeGreaterThan(10)
})

it('truncates texts that are longer than the gateway accepts', async () => {
  await using events = startUploader()
  const long = 'long'.repeat(30_000)
  events.add({ kind: 'tool_call', callId: long, tool: long, arguments: { command: long } })
  events.add({ kind: 'tool_result', callId: long, tool: long, isError: false, output: long })
  await events.flush(AbortSignal.timeout(10_000))
  expect(turn.events.map(({ type }) => type)).toEqual(['tool_call', 'tool_result'])
})

it('gives up on the last events when the gateway hangs', async () => {
  await using events = startUploader()
  gateway.faults.hangs = true
  events.add({ kind: 'text', text: 'This is never received.' })
  const startedAt = Date.now()
  await events.flush(AbortSignal.timeout(300))
  expect(Date.now() - startedAt).toBeLessThan(3_000)
})

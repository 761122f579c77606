import { afterEach, beforeEach, expect, it } from 'vitest'
import { GatewayClient } from './gateway-client.ts'
import { LiveEvents } from './live-events.ts'
import { PlayedGateway, type PlayedTurn, runnerToken } from './testing/played-gateway.ts'

let gateway: PlayedGateway
let played: PlayedTurn
beforeEach(async () => {
  gateway = await PlayedGateway.start('http://127.0.0.1:9', { 'README.md': '# Site\n' })
  played = gateway.turn({ prompt: '' }).played
})
afterEach(() => gateway[Symbol.asyncDispose]())

const follow = () =>
  new LiveEvents({
    gateway: new GatewayClient({ gatewayUrl: gateway.url, token: runnerToken }),
    attemptToken: played.attemptToken,
    heartbeatSeconds: 60,
    onStop: () => {},
    onLost: () => {},
  })

it('sends much in pieces, in order, and stops somewhere', async () => {
  await using events = follow()
  const text = 'x'.repeat(50_000)
  for (let number = 0; number < 600; number++) events.add({ kind: 'text', text: `${number} ${text}` })
  await events.flush(AbortSignal.timeout(20_000))
  const numbers = played.events.map((event) => ('text' in event ? Number(event.text.split(' ')[0]) : -1))
  expect(numbers.slice(0, -1)).toEqual(numbers.slice(0, -1).map((_, place) => place))
  expect(numbers.length).toBeGreaterThan(400)
  expect(played.events.at(-1)).toMatchObject({ type: 'notice', text: expect.stringContaining('too long') })
  expect(played.signsOfLifeMs.length).toBeGreaterThan(10)
})

it('cuts what is longer than the gateway takes', async () => {
  await using events = follow()
  const long = 'long'.repeat(30_000)
  events.add({ kind: 'tool_call', callId: long, tool: long, arguments: { command: long } })
  events.add({ kind: 'tool_result', callId: long, tool: long, isError: false, output: long })
  await events.flush(AbortSignal.timeout(10_000))
  expect(played.events.map(({ type }) => type)).toEqual(['tool_call', 'tool_result'])
})

it('leaves the last of the story when the gateway hangs', async () => {
  await using events = follow()
  gateway.badDays.hangs = true
  events.add({ kind: 'text', text: 'Nobody hears this.' })
  const startedAt = Date.now()
  await events.flush(AbortSignal.timeout(300))
  expect(Date.now() - startedAt).toBeLessThan(3_000)
})

/** Runners are replaced after the workers, and before them in a rollback, so a runner meets gateways of the last release. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { GatewayClient } from './gateway-client.ts'

async function startGateway(handle: (request: object, response: ServerResponse) => void): Promise<GatewayClient> {
  const server = createServer(
    (incoming: IncomingMessage, response) => void json(incoming).then((request) => handle(request as object, response)),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const gatewayUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return new GatewayClient({ gatewayUrl, token: 'colophon_runner_test' })
}

const turnOfFirstRelease = {
  turnId: 'trn_1',
  attemptToken: 'colophon_attempt_1',
  prompt: 'Fix it.',
  failedCheck: null,
  model: 'a-model',
  modelSettings: { format: 'anthropic-messages', contextTokens: 1, maxOutputTokens: 1 },
  docsFolder: 'handbook',
  instructions: null,
  session: null,
  failedMessages: [],
  startBranch: 'main',
  unpublishedWork: null,
  deadlineAt: new Date(Date.now() + 60_000).toISOString(),
  heartbeatSeconds: 2,
}

test('claims a turn of a gateway of 0.1.0, which rejects fields that it does not know', async () => {
  const requests: object[] = []
  const gateway = await startGateway((request, response) => {
    requests.push(request)
    response.statusCode = 'processId' in request ? 400 : 200
    response.end(JSON.stringify('processId' in request ? {} : turnOfFirstRelease))
  })
  const turn = await gateway.claim(AbortSignal.timeout(10_000))
  expect(requests).toEqual([{ waitSeconds: 20, processId: expect.any(String) }, { waitSeconds: 20 }])
  expect(turn).toMatchObject({
    changeRules: { docsFolders: ['handbook'], allowedPaths: [], siteGenerator: null, activeContent: 'refuse' },
    mergeBranch: null,
  })
  expect(turn?.secondsLeft).toBeGreaterThan(50)
  expect(turn?.secondsLeft).toBeLessThanOrEqual(60)
})

test('a gateway whose response it does not understand has another version', async () => {
  const gateway = await startGateway((_request, response) => response.end('{}'))
  await expect(gateway.claim(AbortSignal.timeout(10_000))).rejects.toThrow('different versions')
})

/** A test runner that uploads events like an agent at work, then executes the script of the prompt. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentEvent, ClaimedTurn, EventUpload } from '../../server/src/runner-wire/runner-wire.ts'
import {
  createGatewayRemoteResolver,
  createPromptScriptExecutor,
  releaseAttemptOnError,
} from '../../testing/harness/scripted-work.ts'
import { startTestRunner, type TestRunner } from '../../testing/harness/test-runner.ts'
import { eventUploadsPerTurn } from './prefill-jobs.ts'

const uploadEveryMs = 300

export function startEventfulRunner(gatewayUrl: string, token: string, name: string): TestRunner {
  const executeScript = createPromptScriptExecutor(createGatewayRemoteResolver(gatewayUrl), name)
  const work = releaseAttemptOnError(async (turn, stopped) => {
    await uploadEvents(gatewayUrl, turn)
    return executeScript(turn, stopped)
  })
  return startTestRunner(gatewayUrl, token, work)
}

async function uploadEvents(gatewayUrl: string, { attemptToken }: ClaimedTurn): Promise<void> {
  for (let upload = 0; upload < eventUploadsPerTurn; upload++) {
    const at = new Date().toISOString()
    const events: AgentEvent[] = [
      { type: 'text', at, text: 'I read the page. '.repeat(8) },
      { type: 'notice', at, text: `Page ${upload}` },
    ]
    const body: EventUpload = { firstIndex: upload * events.length, events }
    const response = await fetch(`${gatewayUrl}/runner/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${attemptToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    if (!response.ok) throw new Error(`events: ${response.status} ${await response.text()}`)
    await response.body?.cancel()
    await sleep(uploadEveryMs)
  }
}

/**
 * A test runner with several slots, in a process of its own. A poison prompt kills the process, as an agent that uses up the memory
 * of its machine does, and a talkative one uploads as many events as it is told to.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedTurn, EventUploadResponse } from '../../server/src/runner-wire/runner-wire.ts'
import {
  createGiteaRemoteResolver,
  createPromptScriptExecutor,
  releaseAttemptOnError,
  type TurnScript,
} from '../../testing/harness/scripted-work.ts'
import { type ExecuteTurn, startTestRunner } from '../../testing/harness/test-runner.ts'

export interface RunnerProcessSettings {
  gatewayUrl: string
  token: string
  name: string
  slots: number
  gitea: { url: string; adminName: string; adminToken: string }
}

export interface NoisyScript extends TurnScript {
  /** Kills the runner that claims the turn. */
  isPoison?: boolean
  /** Before the result, at an even rate. */
  events?: { uploads: number; seconds: number }
}

/** The longest that the gateway accepts, in uploads of almost a megabyte: 21 of them are just below the limit of a turn. */
const eventsPerUpload = 15
const event = { type: 'text', at: new Date().toISOString(), text: 'x'.repeat(64 * 1024) }
const uploadedEvents = JSON.stringify(Array.from({ length: eventsPerUpload }, () => event))

const { gatewayUrl, token, name, slots, gitea } = JSON.parse(
  process.env.NOISY_NEIGHBOR_RUNNER ?? '{}',
) as RunnerProcessSettings
const executeScript = createPromptScriptExecutor(createGiteaRemoteResolver(gitea), name)
const work: ExecuteTurn = async (turn, stopped) => {
  const { isPoison, events } = JSON.parse(turn.prompt) as NoisyScript
  if (isPoison) process.kill(process.pid, 'SIGKILL')
  if (events) await uploadEvents(turn, events, stopped)
  return executeScript(turn, stopped)
}
const processId = randomUUID()
for (let slot = 0; slot < slots; slot++) startTestRunner(gatewayUrl, token, releaseAttemptOnError(work), { processId })
process.stdout.write('ready\n')

async function uploadEvents(
  { attemptToken }: ClaimedTurn,
  { uploads, seconds }: { uploads: number; seconds: number },
  stopped: AbortSignal,
): Promise<void> {
  const startedAtMs = performance.now()
  for (let upload = 0; upload < uploads && !stopped.aborted; upload++) {
    const dueAtMs = startedAtMs + (upload * seconds * 1000) / uploads
    await sleep(Math.max(0, dueAtMs - performance.now()))
    const response = await fetch(`${gatewayUrl}/runner/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${attemptToken}`, 'content-type': 'application/json' },
      body: `{"firstIndex":${upload * eventsPerUpload},"events":${uploadedEvents}}`,
      signal: AbortSignal.timeout(60_000),
    })
    if (!response.ok) return // the attempt is lost, which the heartbeat notices as well
    if (((await response.json()) as EventUploadResponse).stop) return
  }
}

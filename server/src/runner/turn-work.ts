/** The work of one turn, from the fetch to the result. All that is not trusted happens in a box that is gone afterwards. */
import type { ClaimedTurn, TurnReport } from '../runner-wire/runner-wire.ts'
import type { AgentRunEvent, AgentRunResult, AgentStopReason, CodingAgent } from './agents/coding-agent.ts'
import { Checkout } from './checkout.ts'
import { type CheckResults, checkMounts, checkPages } from './checks/check-pages.ts'
import { docsPrompt, failedCheckNote, notDoneNote, repairPrompt } from './docs-prompt.ts'
import { pullRequestWords } from './pull-request-words.ts'
import { Box } from './sandbox/box.ts'
import type { ReadOnlyMount } from './sandbox/bubblewrap.ts'
import type { BoxGroups } from './sandbox/cgroup.ts'
import { openWayOut, type WayOut } from './sandbox/way-out.ts'

export interface WorkDeps {
  engine: CodingAgent
  gatewayUrl: string
  groups: BoxGroups | undefined
}

/** This machine cannot make a box now: no fault of the turn, which another runner, or this one later, can do. */
export class HostError extends Error {
  override name = 'HostError'
}

export const turnMounts = (engine: CodingAgent): ReadOnlyMount[] => [...engine.mounts, ...checkMounts()]

const checksWithinMs = 3 * 60_000
const maxMessageCharacters = 2_000

/**
 * Nothing of a turn that is stopped is kept, so `signal` simply ends its box, with everything in it, whatever step it is
 * at. What this returns or throws then means nothing.
 */
export async function workOnTurn(
  turn: ClaimedTurn,
  { engine, gatewayUrl, groups }: WorkDeps,
  onEvent: (event: AgentRunEvent) => void,
  signal: AbortSignal,
): Promise<TurnReport> {
  const paths = ['/git/', '/model/v1/']
  await using wayOut = await onHost(openWayOut({ gatewayUrl, token: turn.attemptToken, paths }))
  await using box = await onHost(openBox(engine, wayOut, groups))
  const endBox = () => void box.close().catch(() => {}) // what is wrong with it is seen again when it is disposed of
  signal.addEventListener('abort', endBox)
  if (signal.aborted) endBox()

  const checkout = await Checkout.fetch(box, turn, signal)
  const ask = createAsk(turn, engine, { box, onEvent, signal })
  let result = await ask(firstPrompt(turn), turn.session === null ? null : Buffer.from(turn.session, 'base64'))
  if (result.stop.kind !== 'finished') return failed(result.stop)

  let checks = await check(box, checkout, signal)
  const findings = checks.flatMap((one) => one.findings)
  if (findings.length > 0) {
    onEvent({ kind: 'notice', text: `The checks found something:\n${findings.join('\n')}` })
    const repaired = await ask(repairPrompt(findings), result.session)
    // A repair that breaks off leaves words and conversation of the first try, and of the files what the checks then say.
    if (repaired.stop.kind === 'finished') result = repaired
    checks = await check(box, checkout, signal)
  }

  const bundle = await checkout.bundle()
  return {
    kind: 'result',
    baseCommit: checkout.baseCommit,
    bundle,
    session: result.session,
    ...pullRequestWords(result.reply),
    checks,
  }
}

const openBox = (engine: CodingAgent, { directory }: WayOut, groups: BoxGroups | undefined) =>
  Box.open({ mounts: turnMounts(engine), gatewayDirectory: directory, groups })

async function onHost<Part>(opening: Promise<Part>): Promise<Part> {
  try {
    return await opening
  } catch (error) {
    throw new HostError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

type Ask = (prompt: string, session: Buffer | null) => Promise<AgentRunResult>

function createAsk(
  { model, modelSettings, docsFolder, instructions }: ClaimedTurn,
  engine: CodingAgent,
  scene: { box: Box; onEvent: (event: AgentRunEvent) => void; signal: AbortSignal },
): Ask {
  const systemPrompt = docsPrompt({ docsFolder: docsFolder || null, instructions })
  return (prompt, session) =>
    engine.run({ ...scene, systemPrompt, prompt, session, model: { ...modelSettings, id: model, path: '/model' } })
}

const firstPrompt = ({ prompt, failedCheck, notDone }: ClaimedTurn) =>
  [prompt, ...(failedCheck ? [failedCheckNote(failedCheck)] : []), ...notDone.map(notDoneNote)].join('\n\n')

/** Checks that break say so in the result: they are for people, and no reason to throw away the work. */
async function check(box: Box, { baseCommit }: Checkout, signal: AbortSignal): Promise<CheckResults> {
  try {
    return await checkPages(box, baseCommit, AbortSignal.any([signal, AbortSignal.timeout(checksWithinMs)]))
  } catch (error) {
    return [{ name: 'Checks', status: 'failed', findings: [String(error).slice(0, maxMessageCharacters)] }]
  }
}

function failed(stop: AgentStopReason): TurnReport {
  const message = 'message' in stop ? stop.message : `The agent's work was ${stop.kind.replaceAll('_', ' ')}.`
  return { kind: 'agent_failed', message: message.slice(0, maxMessageCharacters) }
}

/** Executes one turn, from the fetch to the result. Everything that is not trusted runs in a sandbox that is closed afterwards. */
import type { ClaimedTurn, TurnReport } from '../runner-wire/runner-wire.ts'
import {
  createFailedCheckNote,
  createFailedMessageNote,
  createMergeNote,
  createRepairPrompt,
  createSystemPrompt,
} from './agent-prompts.ts'
import type { AgentRunEvent, AgentRunResult, AgentStopReason, CodingAgent } from './agents/coding-agent.ts'
import { Checkout } from './checkout.ts'
import {
  type CheckedRepository,
  type CheckResults,
  type DescribedSite,
  type DocsChecks,
  listDocsCheckMounts,
} from './checks/docs-checks.ts'
import { parseFinalMessage } from './parse-final-message.ts'
import type { ReadOnlyMount } from './sandbox/bubblewrap.ts'
import type { SandboxCgroupFactory } from './sandbox/cgroup.ts'
import { type EgressSocket, openEgressSocket } from './sandbox/egress-socket.ts'
import type { SandboxLimits } from './sandbox/limits.ts'
import { Sandbox } from './sandbox/sandbox.ts'

export interface ExecuteTurnDeps {
  agent: CodingAgent
  docsChecks: DocsChecks
  gatewayUrl: string
  cgroups: SandboxCgroupFactory | undefined
  limits: SandboxLimits
}

/** This machine cannot open a sandbox now. The turn is released, so that another runner, or this one later, can execute it. */
export class SandboxUnavailableError extends Error {
  override name = 'SandboxUnavailableError'
}

export const listSandboxMounts = (agent: CodingAgent): ReadOnlyMount[] => [...agent.mounts, ...listDocsCheckMounts()]

const checksTimeoutMs = 3 * 60_000
const maxMessageCharacters = 2_000

/**
 * Nothing of a stopped turn is kept, so aborting `signal` closes the sandbox with everything in it, at any step. The return value
 * or error is then meaningless.
 */
export async function executeTurn(
  turn: ClaimedTurn,
  deps: ExecuteTurnDeps,
  onEvent: (event: AgentRunEvent) => void,
  signal: AbortSignal,
): Promise<TurnReport> {
  const { agent, docsChecks, gatewayUrl } = deps
  const paths = ['/git/', '/model/v1/']
  await using egress = await orSandboxUnavailable(
    openEgressSocket({ gatewayUrl, token: turn.attemptToken, allowedPaths: paths }),
  )
  await using sandbox = await orSandboxUnavailable(openSandbox(egress, deps))
  const closeSandbox = () => void sandbox.close().catch(() => {}) // an error occurs again when it is disposed of
  signal.addEventListener('abort', closeSandbox)
  if (signal.aborted) closeSandbox()

  const checkout = await Checkout.fetch(sandbox, turn, signal)
  const repository = { bases: checkout.comparedWith, rules: turn.changeRules }
  const site = await docsChecks.describeSite(sandbox, repository, withTimeout(signal)).catch(() => undefined) // the agent can do without it
  const runAgent = createRunAgent(turn, site, agent, { sandbox, onEvent, signal })
  let result = await runAgent(
    firstPrompt(turn, checkout),
    turn.session === null ? null : Buffer.from(turn.session, 'base64'),
  )
  if (result.stop.kind !== 'finished') return toFailure(result.stop)

  let checks = await runChecks(docsChecks, sandbox, repository, signal)
  const findings = checks.filter(({ status }) => status === 'failed').flatMap((check) => check.findings)
  if (findings.length > 0) {
    onEvent({ kind: 'notice', text: `The docs checks found problems:\n${findings.join('\n')}` })
    const repaired = await runAgent(createRepairPrompt(findings), result.session)
    // If the repair fails, the reply and the session of the first run are kept, and the checks report the files as they are now.
    if (repaired.stop.kind === 'finished') result = repaired
    checks = await runChecks(docsChecks, sandbox, repository, signal)
  }

  const bundle = await checkout.bundle()
  return {
    kind: 'result',
    baseCommit: checkout.baseCommit,
    ...(checkout.merge && { mergedCommit: checkout.merge.commit }), // a gateway of 0.1.0 rejects the field
    bundle,
    session: result.session,
    ...parseFinalMessage(result.reply),
    checks,
  }
}

const openSandbox = ({ directory }: EgressSocket, { agent, cgroups, limits }: ExecuteTurnDeps) =>
  Sandbox.open({ mounts: listSandboxMounts(agent), gatewayDirectory: directory, cgroups, limits })

async function orSandboxUnavailable<Resource>(resource: Promise<Resource>): Promise<Resource> {
  try {
    return await resource
  } catch (error) {
    throw new SandboxUnavailableError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

type RunAgent = (prompt: string, session: Buffer | null) => Promise<AgentRunResult>

function createRunAgent(
  { model, modelSettings, changeRules: rules, instructions }: ClaimedTurn,
  site: DescribedSite | undefined,
  agent: CodingAgent,
  context: { sandbox: Sandbox; onEvent: (event: AgentRunEvent) => void; signal: AbortSignal },
): RunAgent {
  const systemPrompt = createSystemPrompt({ rules, instructions, site: site ?? null })
  return (prompt, session) =>
    agent.run({ ...context, systemPrompt, prompt, session, model: { ...modelSettings, id: model, path: '/model' } })
}

const firstPrompt = ({ prompt, mergeBranch, failedCheck, failedMessages }: ClaimedTurn, { merge }: Checkout) =>
  [
    prompt,
    ...(mergeBranch === null ? [] : [createMergeNote(mergeBranch, merge?.conflicts)]),
    ...(failedCheck ? [createFailedCheckNote(failedCheck)] : []),
    ...failedMessages.map(createFailedMessageNote),
  ].join('\n\n')

const withTimeout = (signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(checksTimeoutMs)])

/** If the checks themselves fail, the result says so. They inform reviewers; the work is kept in any case. */
async function runChecks(
  docsChecks: DocsChecks,
  sandbox: Sandbox,
  repository: CheckedRepository,
  signal: AbortSignal,
): Promise<CheckResults> {
  try {
    return await docsChecks.checkPages(sandbox, repository, withTimeout(signal))
  } catch (error) {
    return [{ name: 'Docs checks', status: 'failed', findings: [String(error).slice(0, maxMessageCharacters)] }]
  }
}

function toFailure(stop: AgentStopReason): TurnReport {
  return { kind: 'agent_failed', message: describeStop(stop).slice(0, maxMessageCharacters) }
}

function describeStop(stop: AgentStopReason): string {
  if ('message' in stop) return stop.message
  if (stop.kind === 'length_limit') return "The model's response reached its maximum length."
  return `The agent was ${stop.kind}.`
}

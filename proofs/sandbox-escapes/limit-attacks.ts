/** Too much of what is allowed: output, terminal escape sequences, tokens. Each must first succeed without its limit. */

import { defaultSandboxLimits } from '../../server/src/runner/sandbox/limits.ts'
import { Sandbox } from '../../server/src/runner/sandbox/sandbox.ts'
import type { ProjectWithClient } from '../../testing/harness/colophon.ts'
import { formatFinalAgentReply, listModelCalls, promptWithScript } from '../../testing/harness/scripted-model.ts'
import { operator } from '../../testing/harness/test-instance.ts'
import type { Script } from '../../testing/simulators/model/script.ts'
import type { ProofRun } from '../proof.ts'
import { runAttackJob } from './attack-job.ts'
import type { AttackOutcome } from './attacks-with-layers.ts'
import type { SandboxFixture } from './fixture.ts'
import { startOpenGateway } from './open-gateway.ts'

const floodBytes = 50 * 1024 * 1024
const maxEventBytes = 1024 * 1024
const floodCommand = `yes 'a lot of output' | head -c ${floodBytes}`
const escapeCommand = "printf '\\033]0;hijacked\\007\\033[2J\\033[31mred\\033[0m\\n'"
const escapeCharacter = '\u001b'

/** Returns how many of the three attacks succeeded without their limit, and the outcome with it. */
export async function attackLimits(
  run: ProofRun,
  fixture: SandboxFixture,
): Promise<{ withoutLimit: number; outcome: AttackOutcome }> {
  const raw = await readRawOutput()
  run.check(raw.bytes >= floodBytes, `without a limit all ${floodBytes} bytes are read, got ${raw.bytes}`)
  run.check(raw.hasEscapes, 'without neutralization the output contains escape sequences')
  const unbounded = await exceedBudget(fixture, fixture.project)
  run.check(
    unbounded.job.outcome === 'no_changes',
    `without a budget the job completes with no_changes, got ${unbounded.job.outcome}`,
  )
  const succeededWithoutLimit = [raw.bytes >= floodBytes, raw.hasEscapes, unbounded.job.outcome === 'no_changes']

  const flooded = await runAttackJob(fixture.project, floodPrompt)
  const eventBytes = Buffer.byteLength(JSON.stringify(flooded.events))
  const [results = []] = flooded.outputs
  run.check(results.length === 2, `the turn continues after the flood with 2 tool results, got ${results.length}`)
  run.check(
    eventBytes <= maxEventBytes,
    `events of a turn with ${floodBytes} bytes of output take at most ${maxEventBytes} bytes, got ${eventBytes}`,
  )
  const { client, projectId, repository } = fixture.project
  const shown: unknown[] = [flooded.job, flooded.events, await client.jobs.diff(projectId, flooded.job.id)]
  const number = flooded.job.pullRequest?.number
  run.check(number !== undefined, `the job opens a pull request, got ${JSON.stringify(flooded.job.error)}`)
  if (number !== undefined) shown.push(await repository.callAsAdmin('GET', `/pulls/${number}`))
  const hasEscapes = collectStrings(shown).some((text) => text.includes(escapeCharacter))
  run.check(!hasEscapes, 'events, job, diff and pull request contain no escape sequences')
  run.log(`output of ${floodBytes} bytes became events of ${eventBytes} bytes, without escape sequences`)

  const budget = { maxTokensPerJob: budgetTokens, maxTokensPerMonth: null, maxUsdPerMonth: null }
  await fixture.colophon.stores.budgets.set(fixture.others.projectId, budget, operator)
  const limited = await exceedBudget(fixture, fixture.others)
  const { error } = limited.job
  run.check(
    error?.code === 'budget_exhausted',
    `with a budget the job fails with budget_exhausted, got ${JSON.stringify(error)}`,
  )
  run.check(limited.calls === 1, `the provider gets only the first call, got ${limited.calls}`)
  run.log(`model calls: ${unbounded.calls} without a budget, ${limited.calls} with one`)

  const breaches = [eventBytes > maxEventBytes, hasEscapes, limited.calls > 1].filter(Boolean).length
  return {
    withoutLimit: succeededWithoutLimit.filter(Boolean).length,
    outcome: { breaches, jobs: [unbounded, flooded, limited] },
  }
}

/** Collects strings instead of serializing: the prompt contains the script as JSON, in which an escape is six harmless letters. */
function collectStrings(shown: unknown): string[] {
  if (typeof shown === 'string') return [shown]
  return typeof shown === 'object' && shown !== null ? Object.values(shown).flatMap(collectStrings) : []
}

async function readRawOutput() {
  await using egress = await startOpenGateway([])
  await using sandbox = await Sandbox.open({
    mounts: [],
    gatewayDirectory: egress.directory,
    cgroups: undefined,
    limits: defaultSandboxLimits,
  })
  let bytes = 0
  const onOutput = (chunk: Buffer) => {
    bytes += chunk.length
  }
  const flood = sandbox.start(
    { command: ['bash', '-c', floodCommand], maxOutputBytes: Number.POSITIVE_INFINITY },
    { onOutput, onErrorOutput: () => {} },
  )
  await flood.ended
  const { output } = await sandbox.run({ command: ['bash', '-c', escapeCommand], maxOutputBytes: 1_000 })
  return { bytes, hasEscapes: output.includes(escapeCharacter) }
}

const floodPrompt = promptWithScript('Print a lot.', [
  {
    say: `I say ${escapeCharacter}]0;hijacked\u0007${escapeCharacter}[2Jmuch.`,
    call: [{ tool: 'bash', arguments: { command: floodCommand } }],
  },
  { call: [{ tool: 'bash', arguments: { command: `${escapeCommand}; echo '# Red' > docs/red.md` } }] },
  {
    say: formatFinalAgentReply(`Write ${escapeCharacter}[31mred`, `A page ${escapeCharacter}]0;hijacked\u0007in red.`),
  },
])

const budgetTokens = 150_000

async function exceedBudget({ colophon, budgetModel: spentModel }: SandboxFixture, project: ProjectWithClient) {
  const before = (await listModelCalls(colophon)).at(-1)?.sequence ?? 0
  const usage = { inputTokens: budgetTokens - 1_000, outputTokens: 10 }
  const script: Script = [
    ...Array.from({ length: 3 }, () => ({ call: [{ tool: 'bash', arguments: { command: 'ls' } }], usage })),
    { say: 'Nothing has to change.', usage },
  ]
  const result = await runAttackJob(project, promptWithScript('Use many tokens.', script), spentModel)
  const calls = (await listModelCalls(colophon, before)).filter(({ request }) => request?.model === spentModel).length
  return { ...result, calls }
}

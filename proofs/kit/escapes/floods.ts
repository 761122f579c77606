/** Too much of what is allowed: output, what a terminal obeys, tokens. Each is first seen to do its harm. */
import { runColophon } from '../../../dev-services/colophon.ts'
import type { Script } from '../../../dev-services/model/script.ts'
import { Box } from '../../../server/src/runner/sandbox/box.ts'
import type { ProofRun } from '../../proof.ts'
import { type AgentProject, closing, played } from '../agents/agent-service.ts'
import { playJob } from './attacked-jobs.ts'
import { openGateway } from './open-gateway.ts'
import type { Stage } from './stage.ts'
import type { Outcome } from './walls-up.ts'

const floodBytes = 50 * 1024 * 1024
const maxEventBytes = 1024 * 1024
const floodCommand = `yes 'much to read' | head -c ${floodBytes}`
const escapeCommand = "printf '\\033]0;taken\\007\\033[2J\\033[31mred\\033[0m\\n'"
const escapeCharacter = '\u001b'

/** Returns how many of the three did harm without their wall, and what became of them with it. */
export async function floods(run: ProofRun, stage: Stage): Promise<{ withoutWall: number; outcome: Outcome }> {
  const raw = await printedInBox()
  run.check(raw.bytes >= floodBytes, `without a bound all of it comes: ${raw.bytes} bytes`)
  run.check(raw.hasEscapes, 'what a terminal obeys is in the output')
  const unbounded = await spend(stage, stage.project)
  run.check(unbounded.job.outcome === 'no_changes', `without a budget the spender goes on: ${unbounded.job.outcome}`)
  const withoutWall = [raw.bytes >= floodBytes, raw.hasEscapes, unbounded.job.outcome === 'no_changes']

  const talker = await playJob(stage.project, talkative)
  const told = Buffer.byteLength(JSON.stringify(talker.events))
  const [results = []] = talker.outputs
  run.check(results.length === 2, `after the flood the turn goes on: ${results.length} results`)
  run.check(told <= maxEventBytes, `of ${floodBytes} bytes ${told} are told`)
  const { client, projectId, repository } = stage.project
  const shown: unknown[] = [talker.job, talker.events, await client.jobs.diff(projectId, talker.job.id)]
  const number = talker.job.pullRequest?.number
  run.check(number !== undefined, `a pull request comes of it: ${JSON.stringify(talker.job.error)}`)
  if (number !== undefined) shown.push(await repository.asPerson('GET', `/pulls/${number}`))
  const escapes = textsIn(shown).some((text) => text.includes(escapeCharacter))
  run.check(!escapes, 'nothing that a terminal obeys is in events, job or pull request')
  run.say(`of ${floodBytes} bytes ${told} are told, and no escape of a terminal`)

  const budget = ['--project', stage.others.projectId, '--job-tokens', String(budgetTokens)]
  await runColophon(['admin', 'model', 'budget', ...budget], stage.service)
  const spender = await spend(stage, stage.others)
  const { error } = spender.job
  run.check(error?.code === 'budget_exhausted', `with a budget it ends: ${JSON.stringify(error)}`)
  run.check(spender.calls === 1, `the vendor saw no more than the first call: ${spender.calls}`)
  run.say(`more tokens than the budget: ${unbounded.calls} calls without one, ${spender.calls} with one`)

  const breaches = [told > maxEventBytes, escapes, spender.calls > 1].filter(Boolean).length
  return {
    withoutWall: withoutWall.filter(Boolean).length,
    outcome: { breaches, jobs: [unbounded, talker, spender] },
  }
}

/** Not the JSON of it: the prompt that is shown holds the script as JSON, in which an escape is six harmless letters. */
function textsIn(shown: unknown): string[] {
  if (typeof shown === 'string') return [shown]
  return typeof shown === 'object' && shown !== null ? Object.values(shown).flatMap(textsIn) : []
}

async function printedInBox() {
  await using toNobody = await openGateway([])
  await using box = await Box.open({ mounts: [], gatewayDirectory: toNobody.directory, groups: undefined })
  let bytes = 0
  const onOutput = (chunk: Buffer) => {
    bytes += chunk.length
  }
  const flood = box.start(
    { command: ['bash', '-c', floodCommand], maxOutputBytes: Number.POSITIVE_INFINITY },
    { onOutput, onErrorOutput: () => {} },
  )
  await flood.ended
  const { output } = await box.run({ command: ['bash', '-c', escapeCommand], maxOutputBytes: 1_000 })
  return { bytes, hasEscapes: output.includes(escapeCharacter) }
}

const talkative = played('Talk.', [
  {
    say: `I say ${escapeCharacter}]0;taken\u0007${escapeCharacter}[2Jmuch.`,
    call: [{ tool: 'bash', arguments: { command: floodCommand } }],
  },
  { call: [{ tool: 'bash', arguments: { command: `${escapeCommand}; echo '# Red' > docs/red.md` } }] },
  { say: closing(`Write ${escapeCharacter}[31mred`, `A page ${escapeCharacter}]0;taken\u0007in red.`) },
])

const budgetTokens = 150_000

async function spend({ service, spentModel }: Stage, project: AgentProject) {
  const before = (await service.modelCalls()).at(-1)?.sequence ?? 0
  const usage = { inputTokens: budgetTokens - 1_000, outputTokens: 10 }
  const script: Script = [
    ...Array.from({ length: 3 }, () => ({ call: [{ tool: 'bash', arguments: { command: 'ls' } }], usage })),
    { say: 'Nothing has to change.', usage },
  ]
  const ended = await playJob(project, played('Spend.', script), spentModel)
  const calls = (await service.modelCalls(before)).filter(({ asked }) => asked?.model === spentModel).length
  return { ...ended, calls }
}

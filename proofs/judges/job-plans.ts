/** Plans of jobs: what each turn writes, how it must end, and when the client cancels. */
import type { TurnScript } from '../../testing/harness/scripted-work.ts'

export interface TurnPlan {
  script: Omit<TurnScript, 'repository'>
  expectedOutcome: 'pull_request' | 'no_changes' | 'agent_failed' | 'result_refused'
}

export interface JobPlan {
  /** Of the create request. The keys of the messages start with it. */
  idempotencyKey: string
  turns: readonly [TurnPlan, ...TurnPlan[]]
  /** Whether follow-ups are sent when the job has ended, or at once, so that they queue up. */
  followUps: 'when_ended' | 'at_once'
  /** Counted from when the last message was accepted. Undefined: not cancelled. */
  cancelAfterSeconds: number | undefined
}

export function planJobs(count: number, random: () => number): JobPlan[] {
  return Array.from({ length: count }, (_, index): JobPlan => {
    const kind = kinds[index % kinds.length] ?? kinds[0]
    const [first, ...followUps] = kind.turns.map((outcome, turn) =>
      planTurn(outcome, `${index + 1}-${turn + 1}`, random),
    )
    if (!first) throw new Error('a job needs at least one turn')
    return {
      idempotencyKey: `job-${index + 1}`,
      turns: [first, ...followUps],
      followUps: random() < 0.5 ? 'when_ended' : 'at_once',
      cancelAfterSeconds: kind.isCancelled ? random() * 8 : undefined,
    }
  })
}

interface Kind {
  turns: readonly TurnPlan['expectedOutcome'][]
  isCancelled?: boolean
}

const simple: Kind = { turns: ['pull_request'] }
const followedUp: Kind = { turns: ['pull_request', 'pull_request'] }
const followedUpTwice: Kind = { turns: ['pull_request', 'pull_request', 'pull_request'] }
const cancelled: Kind = { ...simple, isCancelled: true }
const followedUpAndCancelled: Kind = { ...followedUp, isCancelled: true }
const noChanges: Kind = { turns: ['no_changes'] }
const followUpWithoutChanges: Kind = { turns: ['pull_request', 'no_changes'] }
const agentFails: Kind = { turns: ['agent_failed'] }
const refused: Kind = { turns: ['result_refused'] }
const refusedThenAccepted: Kind = { turns: ['result_refused', 'pull_request'] }

/** The mix of fifteen jobs; larger runs repeat it. */
const kinds: readonly [Kind, ...Kind[]] = [
  simple,
  followedUp,
  cancelled,
  simple,
  noChanges,
  followedUpTwice,
  agentFails,
  simple,
  refused,
  followedUpAndCancelled,
  simple,
  followUpWithoutChanges,
  cancelled,
  refusedThenAccepted,
  agentFails,
]

function planTurn(outcome: TurnPlan['expectedOutcome'], name: string, random: () => number): TurnPlan {
  const seconds = Math.round(random() * 20) / 10
  switch (outcome) {
    case 'pull_request':
      return {
        expectedOutcome: outcome,
        script: { seconds, write: { [`docs/${name}.md`]: `# ${name}\n`, 'docs/index.md': `By ${name}.\n` } },
      }
    case 'no_changes':
      return { expectedOutcome: outcome, script: { seconds } }
    case 'agent_failed':
      return { expectedOutcome: outcome, script: { seconds: seconds / 4, endAs: outcome } }
    case 'result_refused':
      return {
        expectedOutcome: outcome,
        script: { seconds, write: { '.gitea/workflows/own.yaml': `on: push # ${name}\n` } },
      }
  }
}

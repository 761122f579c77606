/** Jobs as their clients mean them: what each turn writes, how it has to end, when the client changes its mind. */
import type { TurnScript } from './scripted-work.ts'

export interface TurnPlan {
  script: Omit<TurnScript, 'repository'>
  ends: 'pull_request' | 'no_changes' | 'agent_failed' | 'result_refused'
}

export interface JobPlan {
  /** Of the create; those of its messages begin with it. */
  idempotencyKey: string
  turns: readonly [TurnPlan, ...TurnPlan[]]
  /** Follow-ups wait until the job has ended, or come while it is active and queue up. */
  followUps: 'when_ended' | 'at_once'
  /** After the last turn was accepted. */
  cancelAfterSeconds: number | undefined
}

export function planJobs(count: number, random: () => number): JobPlan[] {
  return Array.from({ length: count }, (_, index): JobPlan => {
    const kind = kinds[index % kinds.length] ?? kinds[0]
    const [first, ...others] = kind.turns.map((ends, turn) => planTurn(ends, `${index + 1}-${turn + 1}`, random))
    if (!first) throw new Error('a job has a turn')
    return {
      idempotencyKey: `job-${index + 1}`,
      turns: [first, ...others],
      followUps: random() < 0.5 ? 'when_ended' : 'at_once',
      cancelAfterSeconds: kind.isCancelled ? random() * 8 : undefined,
    }
  })
}

interface Kind {
  turns: readonly TurnPlan['ends'][]
  isCancelled?: boolean
}

const simple: Kind = { turns: ['pull_request'] }
const followedUp: Kind = { turns: ['pull_request', 'pull_request'] }
const followedUpTwice: Kind = { turns: ['pull_request', 'pull_request', 'pull_request'] }
const cancelled: Kind = { ...simple, isCancelled: true }
const cancelledLate: Kind = { ...followedUp, isCancelled: true }
const nothingToDo: Kind = { turns: ['no_changes'] }
const nothingMore: Kind = { turns: ['pull_request', 'no_changes'] }
const breaks: Kind = { turns: ['agent_failed'] }
const hostile: Kind = { turns: ['result_refused'] }
const betterAfterwards: Kind = { turns: ['result_refused', 'pull_request'] }

/** Of fifteen jobs. */
const kinds: readonly [Kind, ...Kind[]] = [
  simple,
  followedUp,
  cancelled,
  simple,
  nothingToDo,
  followedUpTwice,
  breaks,
  simple,
  hostile,
  cancelledLate,
  simple,
  nothingMore,
  cancelled,
  betterAfterwards,
  breaks,
]

function planTurn(ends: TurnPlan['ends'], name: string, random: () => number): TurnPlan {
  const seconds = Math.round(random() * 20) / 10
  switch (ends) {
    case 'pull_request':
      return {
        ends,
        script: { seconds, write: { [`docs/${name}.md`]: `# ${name}\n`, 'docs/index.md': `By ${name}.\n` } },
      }
    case 'no_changes':
      return { ends, script: { seconds } }
    case 'agent_failed':
      return { ends, script: { seconds: seconds / 4, ends } }
    case 'result_refused':
      return { ends, script: { seconds, write: { '.gitea/workflows/own.yaml': `on: push # ${name}\n` } } }
  }
}

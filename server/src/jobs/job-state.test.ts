import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  apply,
  type JobEvent,
  type JobState,
  jobStatuses,
  maxQueuedMessages,
  newJob,
  queuedTurns,
  turnInHand,
} from './job-state.ts'

const anyEvent: fc.Arbitrary<JobEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<JobEvent>({ type: 'message' }) },
  { weight: 6, arbitrary: fc.constant<JobEvent>({ type: 'take' }) },
  ...(['publish', 'perform_again', 'finish', 'fail'] as const).map((type) => ({
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((turn): JobEvent => ({ type, turn })),
  })),
  { weight: 1, arbitrary: fc.constant<JobEvent>({ type: 'cancel' }) },
  { weight: 1, arbitrary: fc.constant<JobEvent>({ type: 'archive' }) },
)

/** Half of the events speak of the turn in hand, or most sequences would be refused for ever. */
const aimed = (state: JobState, event: JobEvent, aim: boolean): JobEvent =>
  aim && 'turn' in event ? { ...event, turn: turnInHand(state)?.number ?? event.turn } : event

function walk(
  events: readonly [JobEvent, boolean][],
  visit: (before: JobState, event: JobEvent, after: JobState, refused: boolean) => void,
): void {
  let state = newJob
  for (const [event, aim] of events) {
    const told = aimed(state, event, aim)
    const transition = apply(state, told)
    const after = 'state' in transition ? transition.state : state
    visit(state, told, after, 'refused' in transition)
    state = after
  }
}

const sequences = fc.array(fc.tuple(anyEvent, fc.boolean()), { maxLength: 200 })

test('no sequence of events leads outside the contract', () => {
  fc.assert(
    fc.property(sequences, (events) => {
      walk(events, (_before, _event, after) => {
        const open = after.turns.filter(
          ({ status }) => status === 'queued' || status === 'running' || status === 'publishing',
        )
        expect(jobStatuses).toContain(after.status)
        expect(after.status === 'active').toBe(open.length > 0) // active exactly while there is something to do
        expect(open.filter(({ status }) => status !== 'queued').length).toBeLessThanOrEqual(1) // one turn at a time
        expect(queuedTurns(after).length).toBeLessThanOrEqual(maxQueuedMessages)
        if (after.pendingStop) expect(turnInHand(after)).toBeDefined() // or it would never happen
        expect(after.turns.map(({ number }) => number)).toEqual(after.turns.map((_turn, index) => index + 1))
      })
    }),
    { numRuns: 2_000 },
  )
})

test('archived is final, and no turn is worked on twice', () => {
  fc.assert(
    fc.property(sequences, (events) => {
      walk(events, (before, event, after, refused) => {
        if (before.status === 'archived') expect(after).toEqual(before)
        if (before.status === 'archived' && event.type === 'message') expect(refused).toBe(true)
        for (const [index, turn] of before.turns.entries()) {
          const now = after.turns[index]?.status
          if (['completed', 'failed', 'dropped'].includes(turn.status)) expect(now).toBe(turn.status)
        }
      })
    }),
    { numRuns: 1_000 },
  )
})

test('turns are taken in order', () => {
  fc.assert(
    fc.property(sequences, (events) => {
      walk(events, (before, event, after) => {
        if (event.type !== 'take' || turnInHand(before)) return
        expect(turnInHand(after)?.number).toBe(queuedTurns(before)[0]?.number)
      })
    }),
    { numRuns: 1_000 },
  )
})

test('taking, publishing, archiving twice is as good as once', () => {
  fc.assert(
    fc.property(sequences, (events) => {
      walk(events, (_before, event, after, refused) => {
        if (refused || !['take', 'publish', 'archive'].includes(event.type)) return
        expect(apply(after, event)).toEqual({ state: after })
      })
    }),
    { numRuns: 1_000 },
  )
})

const after = (...events: JobEvent[]): JobState =>
  events.reduce((state, event) => {
    const transition = apply(state, event)
    if ('refused' in transition) throw new Error(`${event.type} was refused: ${transition.refused}`)
    return transition.state
  }, newJob)

test('an active job that is archived is never seen as failed', () => {
  const archiving = after({ type: 'take' }, { type: 'archive' })
  expect(archiving).toMatchObject({ status: 'active', pendingStop: 'archive' })
  expect(apply(archiving, { type: 'fail', turn: 1 })).toMatchObject({ state: { status: 'archived' } })
  expect(after({ type: 'archive' }).status).toBe('archived')
})

test('a turn that publishes finishes, whatever is asked for', () => {
  for (const type of ['cancel', 'archive'] as const) {
    const stopping = after({ type: 'take' }, { type: 'message' }, { type: 'publish', turn: 1 }, { type })
    expect(stopping.status).toBe('active')
    expect(apply(stopping, { type: 'finish', turn: 1 })).toMatchObject({
      state: {
        status: type === 'cancel' ? 'completed' : 'archived',
        turns: [{ status: 'completed' }, { status: 'dropped' }],
      },
    })
  }
})

test('after a cancel nothing is published', () => {
  expect(apply(after({ type: 'take' }, { type: 'cancel' }), { type: 'publish', turn: 1 })).toEqual({
    refused: 'stop_requested',
  })
})

test('a turn whose branch moved is performed again, unless a stop was asked for', () => {
  const publishing = [{ type: 'take' }, { type: 'publish', turn: 1 }] as const
  const again: JobEvent = { type: 'perform_again', turn: 1 }
  expect(apply(after(...publishing), again)).toMatchObject({ state: { turns: [{ status: 'running' }] } })
  expect(apply(after(...publishing, { type: 'cancel' }), again)).toEqual({ refused: 'stop_requested' })
  expect(apply(after({ type: 'take' }), again)).toEqual({ refused: 'not_that_turn' })
})

test('a message makes an ended job active again', () => {
  const done = after({ type: 'take' }, { type: 'publish', turn: 1 }, { type: 'finish', turn: 1 })
  expect(done.status).toBe('completed')
  expect(apply(done, { type: 'message' })).toMatchObject({
    state: { status: 'active', turns: [{ number: 1 }, { number: 2, status: 'queued' }] },
  })
})

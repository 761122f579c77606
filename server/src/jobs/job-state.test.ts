import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  applyEvent,
  findCurrentTurn,
  initialJobState,
  type JobState,
  type JobTransitionEvent,
  jobStatuses,
  listQueuedTurns,
  maxQueuedMessages,
} from './job-state.ts'

const anyEvent: fc.Arbitrary<JobTransitionEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<JobTransitionEvent>({ type: 'message' }) },
  { weight: 6, arbitrary: fc.constant<JobTransitionEvent>({ type: 'take' }) },
  ...(['publish', 'restart', 'pause', 'finish', 'fail', 'approve'] as const).map((type) => ({
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((turn): JobTransitionEvent => ({ type, turn })),
  })),
  { weight: 1, arbitrary: fc.constant<JobTransitionEvent>({ type: 'cancel' }) },
  { weight: 1, arbitrary: fc.constant<JobTransitionEvent>({ type: 'archive' }) },
)

/** Half of the events refer to the current turn, or to the last one. Otherwise almost every event would be rejected. */
const atCurrentTurn = (state: JobState, event: JobTransitionEvent, retarget: boolean): JobTransitionEvent => {
  const target = event.type === 'approve' ? state.turns.at(-1) : findCurrentTurn(state)
  return retarget && 'turn' in event ? { ...event, turn: target?.number ?? event.turn } : event
}

function walk(
  events: readonly [JobTransitionEvent, boolean][],
  visit: (before: JobState, event: JobTransitionEvent, after: JobState, isRejected: boolean) => void,
): void {
  let state = initialJobState
  for (const [generated, retarget] of events) {
    const event = atCurrentTurn(state, generated, retarget)
    const transition = applyEvent(state, event)
    const after = 'state' in transition ? transition.state : state
    visit(state, event, after, 'rejected' in transition)
    state = after
  }
}

const sequences = fc.array(fc.tuple(anyEvent, fc.boolean()), { maxLength: 200 })

test('keeps the invariants of the state in every sequence of events', () => {
  fc.assert(
    fc.property(sequences, (events) => {
      walk(events, (_before, _event, after) => {
        const open = after.turns.filter(
          ({ status }) => status === 'queued' || status === 'running' || status === 'publishing',
        )
        expect(jobStatuses).toContain(after.status)
        expect(after.status === 'active').toBe(open.length > 0) // active exactly while there is work
        expect(open.filter(({ status }) => status !== 'queued').length).toBeLessThanOrEqual(1) // one turn at a time
        expect(listQueuedTurns(after).length).toBeLessThanOrEqual(maxQueuedMessages)
        if (after.pendingStop) expect(findCurrentTurn(after)).toBeDefined() // otherwise the stop would never take effect
        expect(after.turns.map(({ number }) => number)).toEqual(after.turns.map((_turn, index) => index + 1))
      })
    }),
    { numRuns: 2_000 },
  )
})

test('never leaves the archived status and never reopens an ended turn, unless its result is approved', () => {
  fc.assert(
    fc.property(sequences, (events) => {
      walk(events, (before, event, after, isRejected) => {
        if (before.status === 'archived') expect(after).toEqual(before)
        if (before.status === 'archived' && event.type === 'message') expect(isRejected).toBe(true)
        for (const [index, turn] of before.turns.entries()) {
          if (event.type === 'approve' && turn.number === event.turn) continue
          const status = after.turns[index]?.status
          if (['completed', 'failed', 'dropped'].includes(turn.status)) expect(status).toBe(turn.status)
        }
      })
    }),
    { numRuns: 1_000 },
  )
})

test('takes turns in order', () => {
  fc.assert(
    fc.property(sequences, (events) => {
      walk(events, (before, event, after) => {
        if (event.type !== 'take' || findCurrentTurn(before)) return
        expect(findCurrentTurn(after)?.number).toBe(listQueuedTurns(before)[0]?.number)
      })
    }),
    { numRuns: 1_000 },
  )
})

test('is idempotent for take, publish, pause and archive', () => {
  fc.assert(
    fc.property(sequences, (events) => {
      walk(events, (_before, event, after, isRejected) => {
        if (isRejected || !['take', 'publish', 'pause', 'archive'].includes(event.type)) return
        expect(applyEvent(after, event)).toEqual({ state: after })
      })
    }),
    { numRuns: 1_000 },
  )
})

const after = (...events: JobTransitionEvent[]): JobState =>
  events.reduce((state, event) => {
    const transition = applyEvent(state, event)
    if ('rejected' in transition) throw new Error(`${event.type} was rejected: ${transition.rejected}`)
    return transition.state
  }, initialJobState)

test('archives an active job without passing through failed', () => {
  const archiving = after({ type: 'take' }, { type: 'archive' })
  expect(archiving).toMatchObject({ status: 'active', pendingStop: 'archive' })
  expect(applyEvent(archiving, { type: 'fail', turn: 1 })).toMatchObject({ state: { status: 'archived' } })
  expect(after({ type: 'archive' }).status).toBe('archived')
})

test('lets a publishing turn finish in spite of a cancel or archive', () => {
  for (const type of ['cancel', 'archive'] as const) {
    const stopping = after({ type: 'take' }, { type: 'message' }, { type: 'publish', turn: 1 }, { type })
    expect(stopping.status).toBe('active')
    expect(applyEvent(stopping, { type: 'finish', turn: 1 })).toMatchObject({
      state: {
        status: type === 'cancel' ? 'completed' : 'archived',
        turns: [{ status: 'completed' }, { status: 'dropped' }],
      },
    })
  }
})

test('rejects publishing after a cancel', () => {
  expect(applyEvent(after({ type: 'take' }, { type: 'cancel' }), { type: 'publish', turn: 1 })).toEqual({
    rejected: 'stop_requested',
  })
})

test('restarts a publishing turn unless a stop was requested', () => {
  const publishing = [{ type: 'take' }, { type: 'publish', turn: 1 }] as const
  const restart: JobTransitionEvent = { type: 'restart', turn: 1 }
  expect(applyEvent(after(...publishing), restart)).toMatchObject({ state: { turns: [{ status: 'running' }] } })
  expect(applyEvent(after(...publishing, { type: 'cancel' }), restart)).toEqual({ rejected: 'stop_requested' })
  expect(applyEvent(after({ type: 'take' }), restart)).toEqual({ rejected: 'not_current_turn' })
})

test('can stop a publishing turn again after a pause', () => {
  const publishing = [{ type: 'take' }, { type: 'publish', turn: 1 }] as const
  const pause: JobTransitionEvent = { type: 'pause', turn: 1 }
  expect(after(...publishing, pause)).toMatchObject({ status: 'active', turns: [{ status: 'running' }] })
  expect(after(...publishing, pause, { type: 'publish', turn: 1 })).toEqual(after(...publishing))
  const stopping = after(...publishing, pause, { type: 'cancel' })
  expect(applyEvent(stopping, { type: 'publish', turn: 1 })).toEqual({ rejected: 'stop_requested' })
  expect(applyEvent(after(...publishing, { type: 'cancel' }), pause)).toEqual({ rejected: 'stop_requested' })
  expect(applyEvent(initialJobState, pause)).toEqual({ rejected: 'not_current_turn' })
})

test('queues the last completed turn again when its result is approved', () => {
  const held = after({ type: 'take' }, { type: 'publish', turn: 1 }, { type: 'finish', turn: 1 })
  const approve: JobTransitionEvent = { type: 'approve', turn: 1 }
  expect(applyEvent(held, approve)).toMatchObject({
    state: { status: 'active', turns: [{ number: 1, status: 'queued' }] },
  })
  const rejected = { rejected: 'not_current_turn' }
  expect(applyEvent(initialJobState, approve)).toEqual(rejected)
  expect(applyEvent(after({ type: 'take' }, { type: 'fail', turn: 1 }), approve)).toEqual(rejected)
  const archived = applyEvent(held, { type: 'archive' })
  expect('state' in archived && applyEvent(archived.state, approve)).toEqual(rejected)
  const continued = applyEvent(held, { type: 'message' })
  expect('state' in continued && applyEvent(continued.state, approve)).toEqual(rejected)
})

test('reactivates an ended job with a message', () => {
  const done = after({ type: 'take' }, { type: 'publish', turn: 1 }, { type: 'finish', turn: 1 })
  expect(done.status).toBe('completed')
  expect(applyEvent(done, { type: 'message' })).toMatchObject({
    state: { status: 'active', turns: [{ number: 1 }, { number: 2, status: 'queued' }] },
  })
})

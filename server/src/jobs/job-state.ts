/**
 * The state machine of a job and its turns, as pure functions. Every change of state goes through `apply`, so that no row can
 * have a state that the API does not document.
 *
 * A job is a list of turns: one for the first prompt, then one per message. They run one at a time, in order.
 */
export const jobStatuses = ['active', 'completed', 'archived', 'failed'] as const
export type JobStatus = (typeof jobStatuses)[number]

/** `dropped`: the turn was queued when the job was cancelled or archived. */
export const turnStatuses = ['queued', 'running', 'publishing', 'completed', 'failed', 'dropped'] as const
export type TurnStatus = (typeof turnStatuses)[number]

/** A stop that was requested during a turn. It takes effect when the turn ends. */
export type PendingStop = 'cancel' | 'archive'

export interface TurnState {
  number: number
  status: TurnStatus
}

export interface JobState {
  status: JobStatus
  pendingStop: PendingStop | null
  /** Those that have not ended, and the last one, ordered by number. */
  turns: readonly TurnState[]
}

export type JobTransitionEvent =
  | { type: 'message' }
  /** Starts the next queued turn. Has no effect while there is a current turn. */
  | { type: 'take' }
  /** The result of the turn is about to be published. */
  | { type: 'publish'; turn: number }
  /** The result cannot be published because the branch moved: a runner has to do the work again. */
  | { type: 'restart'; turn: number }
  /** The project was paused before the turn was published completely. The turn can be stopped until it is published again. */
  | { type: 'pause'; turn: number }
  | { type: 'finish'; turn: number }
  | { type: 'fail'; turn: number }
  /** A person approved the result of the last turn, which was held: the turn is queued again, with its result. */
  | { type: 'approve'; turn: number }
  | { type: 'cancel' }
  | { type: 'archive' }

export type TransitionRejection =
  | 'job_archived'
  | 'queue_full'
  | 'not_cancellable'
  | 'stop_requested'
  | 'not_current_turn'

export type TransitionResult = { state: JobState } | { rejected: TransitionRejection }

export const maxQueuedMessages = 20

export const initialJobState: JobState = {
  status: 'active',
  pendingStop: null,
  turns: [{ number: 1, status: 'queued' }],
}

export function applyEvent(state: JobState, event: JobTransitionEvent): TransitionResult {
  switch (event.type) {
    case 'message':
      return message(state)
    case 'take':
      return take(state)
    case 'publish':
      return publish(state, event.turn)
    case 'restart':
      return restart(state, event.turn)
    case 'pause':
      return pause(state, event.turn)
    case 'finish':
      return end(state, event.turn, 'completed')
    case 'fail':
      return end(state, event.turn, 'failed')
    case 'approve':
      return approve(state, event.turn)
    case 'cancel':
      return state.status === 'active' ? { state: stop(state, 'cancel') } : { rejected: 'not_cancellable' }
    case 'archive':
      return { state: state.status === 'archived' ? state : stop(state, 'archive') }
  }
}

export const findCurrentTurn = ({ turns }: JobState): TurnState | undefined =>
  turns.find(({ status }) => status === 'running' || status === 'publishing')

export const listQueuedTurns = ({ turns }: JobState): readonly TurnState[] =>
  turns.filter(({ status }) => status === 'queued')

function message(state: JobState): TransitionResult {
  if (state.status === 'archived' || state.pendingStop === 'archive') return { rejected: 'job_archived' }
  if (listQueuedTurns(state).length >= maxQueuedMessages) return { rejected: 'queue_full' }
  const number = Math.max(0, ...state.turns.map((turn) => turn.number)) + 1
  return { state: { ...state, status: 'active', turns: [...state.turns, { number, status: 'queued' }] } }
}

function take(state: JobState): TransitionResult {
  if (findCurrentTurn(state)) return { state }
  const [next] = listQueuedTurns(state)
  return { state: next ? withTurn(state, next.number, 'running') : state }
}

function publish(state: JobState, number: number): TransitionResult {
  const turn = findCurrentTurn(state)
  if (turn?.number !== number) return { rejected: 'not_current_turn' }
  if (turn.status === 'publishing') return { state } // repeated after a lost response
  if (state.pendingStop) return { rejected: 'stop_requested' }
  return { state: withTurn(state, number, 'publishing') }
}

function restart(state: JobState, number: number): TransitionResult {
  const turn = findCurrentTurn(state)
  if (turn?.number !== number || turn.status !== 'publishing') return { rejected: 'not_current_turn' }
  if (state.pendingStop) return { rejected: 'stop_requested' } // nothing has been published yet
  return { state: withTurn(state, number, 'running') }
}

function pause(state: JobState, number: number): TransitionResult {
  const turn = findCurrentTurn(state)
  if (turn?.number !== number) return { rejected: 'not_current_turn' }
  if (state.pendingStop) return { rejected: 'stop_requested' }
  return { state: turn.status === 'publishing' ? withTurn(state, number, 'running') : state }
}

function end(state: JobState, number: number, status: 'completed' | 'failed'): TransitionResult {
  if (findCurrentTurn(state)?.number !== number) return { rejected: 'not_current_turn' }
  const ended = withTurn(state, number, status)
  if (state.pendingStop === 'archive') return { state: { ...ended, status: 'archived', pendingStop: null } }
  // A message that was sent after the cancel is new work, and the job continues with it.
  if (listQueuedTurns(ended).length > 0) return { state: { ...ended, status: 'active', pendingStop: null } }
  return { state: { ...ended, status: status === 'completed' ? 'completed' : 'failed', pendingStop: null } }
}

function approve(state: JobState, number: number): TransitionResult {
  const last = state.turns.at(-1)
  if (state.status !== 'completed' || last?.number !== number || last.status !== 'completed')
    return { rejected: 'not_current_turn' }
  return { state: { ...withTurn(state, number, 'queued'), status: 'active' } }
}

/** Drops queued turns; the current turn ends first. Archiving takes precedence over cancelling. */
function stop(state: JobState, kind: PendingStop): JobState {
  const turns = state.turns.map((turn): TurnState => (turn.status === 'queued' ? { ...turn, status: 'dropped' } : turn))
  const pendingStop = state.pendingStop === 'archive' ? 'archive' : kind
  if (findCurrentTurn(state)) return { ...state, turns, pendingStop }
  return { turns, pendingStop: null, status: kind === 'archive' ? 'archived' : 'failed' }
}

function withTurn(state: JobState, number: number, status: TurnStatus): JobState {
  return { ...state, turns: state.turns.map((turn) => (turn.number === number ? { ...turn, status } : turn)) }
}

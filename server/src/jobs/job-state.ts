/**
 * The life of a job and its turns, as pure functions: every change of state anywhere goes through `apply`, so that no row
 * can say what the contract does not know.
 *
 * A job is a list of turns: the first prompt, then each message. One is worked on at a time, in order.
 */
export const jobStatuses = ['active', 'completed', 'archived', 'failed'] as const
export type JobStatus = (typeof jobStatuses)[number]

/** `dropped`: was waiting when the job was cancelled or archived. */
export const turnStatuses = ['queued', 'running', 'publishing', 'completed', 'failed', 'dropped'] as const
export type TurnStatus = (typeof turnStatuses)[number]

/** Asked for while a turn was worked on; happens when that turn ends. */
export type PendingStop = 'cancel' | 'archive'

export interface TurnState {
  number: number
  status: TurnStatus
}

export interface JobState {
  status: JobStatus
  pendingStop: PendingStop | null
  /** At least those that have not ended, by number. */
  turns: readonly TurnState[]
}

export type JobEvent =
  | { type: 'message' }
  /** The next turn is taken up; again, if one is worked on already. */
  | { type: 'take' }
  /** The turn's result is about to leave the house. */
  | { type: 'publish'; turn: number }
  /** It could not be published as it is, because the branch moved: the work is done anew. */
  | { type: 'perform_again'; turn: number }
  | { type: 'finish'; turn: number }
  | { type: 'fail'; turn: number }
  | { type: 'cancel' }
  | { type: 'archive' }

export type Refusal = 'job_archived' | 'queue_full' | 'not_cancellable' | 'stop_requested' | 'not_that_turn'

export type Transition = { state: JobState } | { refused: Refusal }

export const maxQueuedMessages = 20

export const newJob: JobState = { status: 'active', pendingStop: null, turns: [{ number: 1, status: 'queued' }] }

export function apply(state: JobState, event: JobEvent): Transition {
  switch (event.type) {
    case 'message':
      return message(state)
    case 'take':
      return take(state)
    case 'publish':
      return publish(state, event.turn)
    case 'perform_again':
      return performAgain(state, event.turn)
    case 'finish':
      return end(state, event.turn, 'completed')
    case 'fail':
      return end(state, event.turn, 'failed')
    case 'cancel':
      return state.status === 'active' ? { state: stop(state, 'cancel') } : { refused: 'not_cancellable' }
    case 'archive':
      return { state: state.status === 'archived' ? state : stop(state, 'archive') }
  }
}

export const turnInHand = ({ turns }: JobState): TurnState | undefined =>
  turns.find(({ status }) => status === 'running' || status === 'publishing')

export const queuedTurns = ({ turns }: JobState): readonly TurnState[] =>
  turns.filter(({ status }) => status === 'queued')

function message(state: JobState): Transition {
  if (state.status === 'archived' || state.pendingStop === 'archive') return { refused: 'job_archived' }
  if (queuedTurns(state).length >= maxQueuedMessages) return { refused: 'queue_full' }
  const number = Math.max(0, ...state.turns.map((turn) => turn.number)) + 1
  return { state: { ...state, status: 'active', turns: [...state.turns, { number, status: 'queued' }] } }
}

function take(state: JobState): Transition {
  if (turnInHand(state)) return { state }
  const [next] = queuedTurns(state)
  return { state: next ? withTurn(state, next.number, 'running') : state }
}

function publish(state: JobState, number: number): Transition {
  const turn = turnInHand(state)
  if (turn?.number !== number) return { refused: 'not_that_turn' }
  if (turn.status === 'publishing') return { state } // asked again after a lost answer
  if (state.pendingStop) return { refused: 'stop_requested' }
  return { state: withTurn(state, number, 'publishing') }
}

function performAgain(state: JobState, number: number): Transition {
  const turn = turnInHand(state)
  if (turn?.number !== number || turn.status !== 'publishing') return { refused: 'not_that_turn' }
  if (state.pendingStop) return { refused: 'stop_requested' } // nothing has left the house yet
  return { state: withTurn(state, number, 'running') }
}

function end(state: JobState, number: number, status: 'completed' | 'failed'): Transition {
  if (turnInHand(state)?.number !== number) return { refused: 'not_that_turn' }
  const ended = withTurn(state, number, status)
  if (state.pendingStop === 'archive') return { state: { ...ended, status: 'archived', pendingStop: null } }
  // A message that came after the cancel is new work: the job goes on with it.
  if (queuedTurns(ended).length > 0) return { state: { ...ended, status: 'active', pendingStop: null } }
  return { state: { ...ended, status: status === 'completed' ? 'completed' : 'failed', pendingStop: null } }
}

/** What waits is dropped; what is worked on ends first. Archiving outweighs cancelling. */
function stop(state: JobState, kind: PendingStop): JobState {
  const turns = state.turns.map((turn): TurnState => (turn.status === 'queued' ? { ...turn, status: 'dropped' } : turn))
  const pendingStop = state.pendingStop === 'archive' ? 'archive' : kind
  if (turnInHand(state)) return { ...state, turns, pendingStop }
  return { turns, pendingStop: null, status: kind === 'archive' ? 'archived' : 'failed' }
}

function withTurn(state: JobState, number: number, status: TurnStatus): JobState {
  return { ...state, turns: state.turns.map((turn) => (turn.number === number ? { ...turn, status } : turn)) }
}

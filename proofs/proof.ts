/** What every proof is given. One file per promise exports `promise` and `prove(run)`. */
export interface ProofRun {
  /** `ci`: small, for every change. `stated`: the size the promise is made for. `full`: as large as time allows. */
  size: ProofSize
  /** Printed at the start and taken back with `--seed`, so that a failure can be seen again. */
  seed: number
  /** Seeded, in [0, 1). */
  random(): number
  /** The words after a second `--`, for proofs that can be played in several ways. */
  words: readonly string[]
  /** Progress, with the time since the start. */
  say(line: string): void
  /** Printed last, in the order given. */
  figure(name: string, value: string | number): void
  /** A check that does not hold is printed at once and fails the proof at its end: later checks still run. */
  check(holds: boolean, what: string): void
  /** Runs when the proof ends, however it ends; the last one given runs first. */
  cleanUp(stop: () => Promise<unknown>): void
}

export type ProofSize = 'ci' | 'stated' | 'full'

export interface Proof {
  promise: string
  prove(run: ProofRun): Promise<void>
}

/** mulberry32: small, and good enough to choose whom to kill next. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

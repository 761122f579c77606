/** The context of a proof. Each proof in this folder exports a `guarantee` and `prove(run)`. */
export interface ProofRun {
  /** `ci`: small, for every change. `stated`: the size for which the guarantee is given. `full`: as large as time allows. */
  size: ProofSize
  /** Printed at the start and accepted back with `--seed`, so that a failure can be reproduced. */
  seed: number
  /** Seeded, in [0, 1). */
  random(): number
  /** The arguments after the second `--`, for proofs that can run in parts or variants. */
  args: readonly string[]
  /** Prints a line of progress, with the time since the start. */
  log(line: string): void
  /** Figures are printed at the end, in this order, and recorded in the results. A missed target does not fail the proof. */
  figure(label: string, value: string | number, target?: FigureTarget): void
  /**
   * The message says what must hold, then what was observed. A failed check is printed at once and fails the proof at its end;
   * later checks still run.
   */
  check(ok: boolean, message: string): void
  /** Registers a function that runs when the proof ends, also after a failure. The last one registered runs first. */
  cleanUp(stop: () => Promise<unknown>): void
}

export interface FigureTarget {
  /** For example `≤ 1.3×`. */
  goal: string
  isMet: boolean
}

export type ProofSize = 'ci' | 'stated' | 'full'

export interface Proof {
  guarantee: string
  prove(run: ProofRun): Promise<void>
}

/** mulberry32: a small generator, good enough to choose which process to kill next. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

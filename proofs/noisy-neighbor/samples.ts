/** What clients observed in each phase, and how the noisy phases compare with the quiet ones. */

export const requestKinds = ['views', 'beacon', 'create job', 'list jobs', 'read views'] as const
export type RequestKind = (typeof requestKinds)[number]
/** A job lasts from its creation to the end of its turn, by PostgreSQL's clock. */
export type SampleKind = RequestKind | 'job'
export const sampleKinds: readonly SampleKind[] = [...requestKinds, 'job']

export interface Sample {
  kind: SampleKind
  durationMs: number
}

/** The same load for the same time, without and with the noisy project. */
export interface Phase {
  isNoisy: boolean
  samples: Sample[]
}

export interface Comparison {
  kind: SampleKind
  quiet: { count: number; p50Ms: number; p95Ms: number }
  noisy: { count: number; p50Ms: number; p95Ms: number }
  /** The median of the pairs. */
  ratio: number
  pairs: { quietP95Ms: number; noisyP95Ms: number }[]
}

/**
 * The ratio is the median of the ratios of neighboring phases. Pooled, a few seconds in which another process uses the machine would
 * decide the p95 of all phases; and what changes slowly, such as the size of the tables, affects both phases of a pair alike.
 */
export function compare(phases: readonly Phase[], kind: SampleKind): Comparison {
  const quiet = phases.filter(({ isNoisy }) => !isNoisy)
  const noisy = phases.filter(({ isNoisy }) => isNoisy)
  const p95Of = (phase: Phase | undefined) => percentile(durationsOf(phase ? [phase] : [], kind), 95)
  const pairs = noisy.map((phase, index) => ({ quietP95Ms: p95Of(quiet[index]), noisyP95Ms: p95Of(phase) }))
  const ratios = pairs.map(({ quietP95Ms, noisyP95Ms }) => noisyP95Ms / quietP95Ms)
  return { kind, quiet: summarize(quiet, kind), noisy: summarize(noisy, kind), ratio: percentile(ratios, 50), pairs }
}

function summarize(phases: readonly Phase[], kind: SampleKind) {
  const p95s = phases.map((phase) => percentile(durationsOf([phase], kind), 95))
  const all = durationsOf(phases, kind)
  return { count: all.length, p50Ms: percentile(all, 50), p95Ms: percentile(p95s, 50) }
}

const durationsOf = (phases: readonly Phase[], kind: SampleKind) =>
  phases.flatMap(({ samples }) => samples.filter((sample) => sample.kind === kind).map(({ durationMs }) => durationMs))

/** NaN if there are no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}

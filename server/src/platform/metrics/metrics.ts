/**
 * Records metrics. They are process-wide, like those of OpenTelemetry itself: passing them to everything that counts something would
 * add a dependency to most of the code. Until `startRecording` is called, recording does nothing.
 */
import type { Attributes, Counter, Gauge, Histogram, Meter } from '@opentelemetry/api'
import {
  type LabelsOf,
  type MetricDefinition,
  type MetricOfType,
  type MetricProcess,
  metricCatalog,
} from './catalog.ts'

interface Recorder {
  readonly counters: ReadonlyMap<string, Counter>
  readonly gauges: ReadonlyMap<string, Gauge>
  readonly histograms: ReadonlyMap<string, Histogram>
  readonly hasProjectLabels: boolean
  readonly samplers: Set<() => void>
}

let recorder: Recorder | undefined

/** Without `projectLabels`, the project is not a label of any metric: thousands of projects would be thousands of series of each. */
export function startRecording(
  meter: Meter,
  processes: readonly MetricProcess[],
  { projectLabels }: { projectLabels: boolean },
): void {
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  for (const [name, definition] of Object.entries<MetricDefinition>(metricCatalog)) {
    if (!definition.processes.some((process) => processes.includes(process))) continue
    const options = { description: definition.help }
    switch (definition.type) {
      case 'gauge':
        gauges.set(name, meter.createGauge(name, options))
        break
      case 'histogram':
        histograms.set(
          name,
          meter.createHistogram(name, {
            ...options,
            advice: { explicitBucketBoundaries: [...(definition.buckets ?? [])] },
          }),
        )
        break
      case 'counter': {
        const counter = meter.createCounter(name, options)
        // Prometheus sees no increase in a series that begins with its first event.
        for (const labels of combineLabels(definition)) counter.add(0, labels)
        counters.set(name, counter)
      }
    }
  }
  recorder = { counters, gauges, histograms, hasProjectLabels: projectLabels, samplers: new Set() }
}

export const isRecording = (): boolean => recorder !== undefined

/** Every combination of values. */
function combineLabels({ labels }: MetricDefinition): Attributes[] {
  let combinations: Attributes[] = [{}]
  for (const [label, values] of Object.entries(labels))
    combinations = combinations.flatMap((others) => (values ?? []).map((value) => ({ ...others, [label]: value })))
  return combinations
}

/** Adds to a counter. `projectId`: of metrics that have a label for it. */
export function countMetric<Name extends MetricOfType<'counter'>>(
  name: Name,
  labels: LabelsOf<Name>,
  { by = 1, projectId }: { by?: number; projectId?: string } = {},
): void {
  const hasProject = projectId !== undefined && recorder?.hasProjectLabels
  recorder?.counters.get(name)?.add(by, hasProject ? { ...labels, project: projectId } : labels)
}

/** Sets a gauge. `NaN`: unknown. */
export function setMetric<Name extends MetricOfType<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void {
  recorder?.gauges.get(name)?.record(value, labels)
}

/** Adds an observation to a histogram. */
export function observeMetric<Name extends MetricOfType<'histogram'>>(
  name: Name,
  labels: LabelsOf<Name>,
  value: number,
): void {
  recorder?.histograms.get(name)?.record(value, labels)
}

/** Calls `sample` before each scrape, to set gauges. Returns a function that ends this. */
export function sampleBeforeScrapes(sample: () => void): () => void {
  recorder?.samplers.add(sample)
  return () => recorder?.samplers.delete(sample)
}

export function runSamplers(): void {
  for (const sample of recorder?.samplers ?? []) sample()
}

/** Recording does nothing again. Tests start several instances in a process. */
export function stopRecording(): void {
  recorder = undefined
}

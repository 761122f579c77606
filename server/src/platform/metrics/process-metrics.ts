/** What a process uses, and how late its timers run. */
import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { version } from '../version.ts'
import type { NamedProcess } from './catalog.ts'
import { countMetric, sampleBeforeScrapes, setMetric } from './metrics.ts'

/** Longer than that of a scrape, so that several Prometheus servers see the same values. */
const intervalMs = 10_000
const resolutionMs = 10

export function startProcessMetrics(process: NamedProcess): { stop(): void } {
  setMetric('colophon_process_info', { process, version }, 1)
  setMetric('colophon_process_start_timestamp_seconds', {}, Date.now() / 1000 - globalThis.process.uptime())
  const endSampling = sampleBeforeScrapes(createSampler())
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  const readInterval = () => {
    recordDelays(delays)
    void countOpenFiles().then((files) => setMetric('colophon_process_open_files', {}, files))
  }
  readInterval()
  const timer = setInterval(readInterval, intervalMs)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      delays.disable()
      endSampling()
    },
  }
}

function createSampler(): () => void {
  let countedCpuSeconds = 0
  return () => {
    const { user, system } = process.cpuUsage()
    const cpuSeconds = (user + system) / 1e6
    countMetric('colophon_process_cpu_seconds_total', {}, { by: cpuSeconds - countedCpuSeconds })
    countedCpuSeconds = cpuSeconds
    const { rss, heapUsed, external } = process.memoryUsage()
    setMetric('colophon_process_memory_bytes', { kind: 'resident' }, rss)
    setMetric('colophon_process_memory_bytes', { kind: 'heap' }, heapUsed)
    setMetric('colophon_process_memory_bytes', { kind: 'external' }, external)
  }
}

/** The monitor counts the interval of its own timer as delay. */
const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000)

function recordDelays(delays: ReturnType<typeof monitorEventLoopDelay>): void {
  if (delays.count > 0) {
    setMetric('colophon_event_loop_delay_seconds', { quantile: '0.5' }, toSeconds(delays.percentile(50)))
    setMetric('colophon_event_loop_delay_seconds', { quantile: '0.99' }, toSeconds(delays.percentile(99)))
    setMetric('colophon_event_loop_delay_seconds', { quantile: '1' }, toSeconds(delays.max))
  }
  delays.reset()
}

/** NaN where the system does not say. */
const countOpenFiles = (): Promise<number> =>
  readdir('/proc/self/fd').then(
    (files) => files.length,
    () => Number.NaN,
  )

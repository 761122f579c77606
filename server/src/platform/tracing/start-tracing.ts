/** Sends spans to a collector, over OTLP. A slow, silent or missing collector delays nothing: spans are dropped instead. */
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { loggingErrorHandler, setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TracesConfig } from '../config.ts'
import type { Log } from '../log.ts'
import type { NamedProcess } from '../metrics/catalog.ts'
import { version } from '../version.ts'

const exportTimeoutMs = 10_000
const exportEveryMs = 5_000
/** About 2 KB each, while earlier ones are being sent. */
const maxQueuedSpans = 4_096
const stopTimeoutMs = 5_000
const warnEveryMs = 60_000

export interface Tracing {
  /** Sends what is left, for up to 5 seconds. */
  stop(): Promise<void>
}

/** Call it before anything that records. */
export function startTracing(
  { endpoint, headers, samplePercent }: TracesConfig,
  process: NamedProcess,
  log: Log,
): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: exportTimeoutMs,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `colophon-${process}`, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplePercent / 100) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        exportTimeoutMillis: exportTimeoutMs,
        scheduledDelayMillis: exportEveryMs,
        maxQueueSize: maxQueuedSpans,
      }),
    ],
  })
  let nextWarningMs = 0
  setGlobalErrorHandler((error) => {
    if (performance.now() < nextWarningMs) return
    nextWarningMs = performance.now() + warnEveryMs
    log.warn(
      { error: String(error).slice(0, 500) },
      'could not send traces to COLOPHON_TRACES_ENDPOINT: spans are lost',
    )
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  log.info({ endpoint, samplePercent }, 'sending traces')
  return {
    async stop() {
      const stopped = AbortSignal.timeout(stopTimeoutMs)
      const timeout = new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve()))
      await Promise.race([provider.shutdown().catch(() => {}), timeout])
      trace.disable()
      context.disable()
      propagation.disable()
      setGlobalErrorHandler(loggingErrorHandler())
    },
  }
}

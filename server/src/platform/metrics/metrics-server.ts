/** Serves the metrics to Prometheus, on a port of its own. A slow or silent client cannot delay anything else, nor the shutdown. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import type { Log } from '../log.ts'
import type { MetricProcess, NamedProcess } from './catalog.ts'
import { runSamplers, startRecording, stopRecording } from './metrics.ts'
import { startProcessMetrics } from './process-metrics.ts'

const partsOf = (process: NamedProcess): MetricProcess[] => (process === 'serve' ? ['api', 'worker'] : [process])

const timeoutMs = 10_000
const maxConnections = 20

/**
 * With labels for projects, a metric may have this many series for each process; further ones are added up in a series of their own
 * (`otel_metric_overflow`).
 */
const maxSeriesPerMetric = 20_000

export interface MetricsServer {
  readonly port: number
  stop(): Promise<void>
}

/** Call it before anything that records. */
export async function startMetrics(
  { listen, projectLabels }: { listen: { host: string; port: number }; projectLabels: boolean },
  process: NamedProcess,
  log: Log,
): Promise<MetricsServer> {
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true, withoutTargetInfo: true })
  const provider = new MeterProvider({
    readers: [exporter],
    views: [{ instrumentName: '*', aggregationCardinalityLimit: maxSeriesPerMetric }],
  })
  startRecording(provider.getMeter('colophon'), partsOf(process), { projectLabels })
  const processMetrics = startProcessMetrics(process)
  const server = createServer(
    { headersTimeout: timeoutMs, requestTimeout: timeoutMs, connectionsCheckingInterval: timeoutMs / 2 },
    (request, response) => respond(exporter, request, response),
  )
  server.maxConnections = maxConnections
  server.setTimeout(timeoutMs, (socket) => socket.destroy())
  server.unref()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listen, resolve)
  })
  server.on('error', (error) => log.warn({ error: String(error) }, 'metrics server failed'))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : listen.port
  log.info({ host: listen.host, port }, 'serving metrics')
  return {
    port,
    async stop() {
      processMetrics.stop()
      stopRecording()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await provider.shutdown()
    },
  }
}

function respond(exporter: PrometheusExporter, request: IncomingMessage, response: ServerResponse): void {
  const path = request.url?.split('?', 1)[0]
  if (path !== '/metrics') return void response.writeHead(404).end()
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
  runSamplers()
  exporter.getMetricsRequestHandler(request, response)
}

import { version } from '../version.ts'
import type { HttpServer } from './http-server.ts'
import type { Readiness } from './readiness.ts'

/** `/healthz`: the process is alive (restart it when this fails). `/readyz`: what works (send work elsewhere when this fails). */
export function addHealthRoutes(server: HttpServer, readiness: Readiness): void {
  server.get('/healthz', async () => ({ status: 'alive', version }))
  server.get('/readyz', async (_request, reply) => {
    const report = await readiness.report()
    const takesRequests = report.status === 'ready' || report.status === 'degraded'
    return reply
      .code(takesRequests ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ ...report, version })
  })
}

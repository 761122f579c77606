import { version } from '../version.ts'
import type { HttpServer } from './http-server.ts'
import type { Readiness, ReadinessReport } from './readiness.ts'

/** `/healthz`: the process is alive. Restart it when this fails. */
export const healthResponse = () => ({ status: 'alive' as const, version })

/** `/readyz`: which components work. Route traffic elsewhere while this is 503. */
export async function readinessResponse(
  readiness: Readiness,
): Promise<{ status: 200 | 503; body: ReadinessReport & { version: string; newerVersion: string | null } }> {
  const report = await readiness.report()
  const acceptsRequests = report.status === 'ready' || report.status === 'degraded'
  return { status: acceptsRequests ? 200 : 503, body: { ...report, version, newerVersion: readiness.newerVersion } }
}

/** For processes without an API of their own: the gateway and the runner. */
export function addHealthRoutes(server: HttpServer, readiness: Readiness): void {
  const config = { access: 'public' }
  server.get('/healthz', { config }, async () => healthResponse())
  server.get('/readyz', { config }, async (_request, reply) => {
    const { status, body } = await readinessResponse(readiness)
    return reply.code(status).header('cache-control', 'no-store').send(body)
  })
}

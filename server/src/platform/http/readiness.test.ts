import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { ComponentNotReadyError, Readiness } from './readiness.ts'

const quiet = createLog('test', { level: 'error' }, { write: () => {} })
const works = async () => {}
const fails = async () => {
  throw new Error('connect ECONNREFUSED 10.1.2.3:5432')
}

test('is ready when all components work', async () => {
  const readiness = new Readiness({ postgres: { essential: true, check: works } }, quiet)
  expect(await readiness.report()).toEqual({
    status: 'ready',
    components: { postgres: { status: 'ok', latencyMs: expect.any(Number) } },
    warnings: [],
  })
})

test('is degraded without an optional component and not ready without an essential one', async () => {
  const checks = { postgres: { essential: true, check: works }, clickhouse: { essential: false, check: fails } }
  expect((await new Readiness(checks, quiet).report()).status).toBe('degraded')
  expect((await new Readiness({ ...checks, postgres: { essential: true, check: fails } }, quiet).report()).status).toBe(
    'not_ready',
  )
})

test('reports the reason of a failure, but no address', async () => {
  const checks = {
    temporal: { essential: false, check: fails },
    clickhouse: { essential: false, check: async () => Promise.reject(new ComponentNotReadyError('disk_full')) },
  }
  const report = await new Readiness(checks, quiet).report()
  expect(report.components).toEqual({
    temporal: { status: 'failing', reason: 'unreachable' },
    clickhouse: { status: 'failing', reason: 'disk_full' },
  })
})

test('reports a hanging component as failing after two seconds, and checks once for many concurrent requests', async () => {
  let checkCount = 0
  const hangs = () => {
    checkCount++
    return new Promise<void>(() => {})
  }
  const readiness = new Readiness({ temporal: { essential: false, check: hangs } }, quiet)
  const reports = await Promise.all(Array.from({ length: 100 }, () => readiness.report()))
  expect(reports[99]?.components).toEqual({ temporal: { status: 'failing', reason: 'timeout' } })
  expect(checkCount).toBe(1)
})

test('reports that the process is stopping', async () => {
  const readiness = new Readiness({ postgres: { essential: true, check: works } }, quiet)
  readiness.markStopping()
  expect((await readiness.report()).status).toBe('stopping')
})

test('reports a warning, and logs it once', async () => {
  const lines: string[] = []
  const readiness = new Readiness({}, createLog('test', { level: 'warn' }, { write: (line) => void lines.push(line) }))
  readiness.warn('untrusted_proxy', 'Add the proxy.')
  readiness.warn('untrusted_proxy', 'Add the proxy.')
  expect(await readiness.report()).toEqual({ status: 'ready', components: {}, warnings: ['untrusted_proxy'] })
  expect(lines).toHaveLength(1)
})

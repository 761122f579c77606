import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { NotReady, Readiness } from './readiness.ts'

const quiet = createLog('test', { level: 'error' }, { write: () => {} })
const works = async () => {}
const fails = async () => {
  throw new Error('connect ECONNREFUSED 10.1.2.3:5432')
}

test('ready when all parts work', async () => {
  const readiness = new Readiness({ postgres: { essential: true, check: works } }, quiet)
  expect(await readiness.report()).toEqual({
    status: 'ready',
    components: { postgres: { status: 'ok', latencyMs: expect.any(Number) } },
  })
})

test('degraded without a part that can wait, not ready without an essential one', async () => {
  const parts = { postgres: { essential: true, check: works }, clickhouse: { essential: false, check: fails } }
  expect((await new Readiness(parts, quiet).report()).status).toBe('degraded')
  expect((await new Readiness({ ...parts, postgres: { essential: true, check: fails } }, quiet).report()).status).toBe(
    'not_ready',
  )
})

test('a reason is told, an address is not', async () => {
  const parts = {
    away: { essential: false, check: fails },
    full: { essential: false, check: async () => Promise.reject(new NotReady('disk_full')) },
  }
  const report = await new Readiness(parts, quiet).report()
  expect(report.components).toEqual({
    away: { status: 'failing', reason: 'unreachable' },
    full: { status: 'failing', reason: 'disk_full' },
  })
})

test('a part that hangs is failing after two seconds, and a flood of questions is one check', async () => {
  let checks = 0
  const hangs = () => {
    checks++
    return new Promise<void>(() => {})
  }
  const readiness = new Readiness({ temporal: { essential: false, check: hangs } }, quiet)
  const reports = await Promise.all(Array.from({ length: 100 }, () => readiness.report()))
  expect(reports[99]?.components).toEqual({ temporal: { status: 'failing', reason: 'timeout' } })
  expect(checks).toBe(1)
})

test('a process that stops says so', async () => {
  const readiness = new Readiness({ postgres: { essential: true, check: works } }, quiet)
  readiness.stopping()
  expect((await readiness.report()).status).toBe('stopping')
})

import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../../../../testing/harness/own-postgres.ts'
import { reportPostgres } from './report-postgres.ts'

test('reports slow statements without what was in them', async () => {
  const server = await startOwnPostgres({ cleanUp: (stop) => onTestFinished(async () => void (await stop())) })
  const pool = new pg.Pool({ connectionString: server.url, max: 1 })
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  await pool.query("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
  await server.process.stop()
  await server.process.start()
  await pool.query('CREATE EXTENSION pg_stat_statements')

  const mark = 'kestrelmark'
  await pool.query(`SELECT '${mark}' AS "column" -- ${mark}`)
  await pool.query(`SELECT /* ${mark} */ length($1)`, [mark])
  await pool.query(`SET application_name = '${mark}'`)
  await pool.query(`DO $$ BEGIN PERFORM '${mark}'; END $$`)
  const report = await reportPostgres(pool)
  expect(report.slowStatements).toContainEqual(
    expect.objectContaining({ statement: expect.stringMatching(/^SELECT\s+length\(\$1\)$/), calls: '1' }),
  )
  expect(JSON.stringify(report)).not.toContain(mark)
})

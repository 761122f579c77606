import { expect, onTestFinished, test } from 'vitest'
import { openOwnPool, startOwnPostgres } from '../own-postgres.ts'
import { canMountSmallDisk, mountSmallDisk } from './small-disk.ts'

const cleanUp = (stop: () => Promise<unknown>) => onTestFinished(async () => void (await stop()))

test('PostgreSQL reports a full disk, survives it, and continues when there is space again', async ({ skip }) => {
  skip(!(await canMountSmallDisk()), 'needs root and the permission to mount')
  const disk = await mountSmallDisk({ sizeBytes: 200 * 1024 * 1024 })
  cleanUp(disk.stop)
  const postgres = await startOwnPostgres({ cleanUp }, { directory: `${disk.directory}/postgres` })
  const pool = openOwnPool(postgres)
  cleanUp(() => pool.end())
  const insert = (megabytes: number) =>
    pool.query('INSERT INTO page SELECT repeat(md5(i::text), 32) FROM generate_series(1, $1::int * 1024) AS i', [
      megabytes,
    ])
  await pool.query('CREATE TABLE page (body text)')
  await insert(1)

  await disk.fill()
  await expect(insert(8)).rejects.toThrow('No space left on device')
  const countRows = async () => (await pool.query<{ count: string }>('SELECT count(*) FROM page')).rows[0]?.count
  expect(await countRows()).toBe('1024')

  await disk.free()
  await insert(8)
  expect(await countRows()).toBe('9216')
})

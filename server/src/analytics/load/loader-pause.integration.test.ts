import { expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance } from '../../../../testing/harness/empty-test-instance.ts'
import { withPostgresConnection } from '../../platform/postgres.ts'
import { whileNotPaused } from './loader-pause.ts'

test('a failure in a transaction is reported as it is', async () => {
  const instance = await createEmptyTestInstance(inject('services'), 'loader pause')
  onTestFinished(instance.drop)
  const failed = withPostgresConnection({ url: instance.postgresUrl }, 'test', (client) =>
    whileNotPaused(client, async () => {
      await client.query('BEGIN')
      await client.query('SELECT 1 / 0')
    }),
  )
  await expect(failed).rejects.toThrow('division by zero')
})

/** A workflow task fails if the code of a worker does not match the history that another version has written. */
import { Client, Connection } from '@temporalio/client'
import type { Load } from '../machines-vanish/load.ts'
import type { UpgradeFixture } from './fixture.ts'

export async function countFailedWorkflowTasks(
  { addresses, environment }: Pick<UpgradeFixture, 'addresses' | 'environment'>,
  load: Load,
): Promise<number> {
  const connection = await Connection.connect({ address: addresses.temporalAddress })
  try {
    const client = new Client({ connection, namespace: environment.COLOPHON_TEMPORAL_NAMESPACE ?? '' })
    let failed = 0
    for (const { accepted } of load.jobs) {
      if (!accepted) continue
      const { events } = await client.workflow.getHandle(accepted.id).fetchHistory()
      failed += events?.filter((event) => event.workflowTaskFailedEventAttributes).length ?? 0
    }
    return failed
  } finally {
    await connection.close()
  }
}

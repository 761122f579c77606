import { Connection } from '@temporalio/client'
import type { ServicesConfig } from './config.ts'

/** Connects when first used: a process must be able to start, and say what is wrong, while Temporal is away. */
export const createTemporalConnection = (config: ServicesConfig['temporal']): Connection =>
  Connection.lazy({ address: config.address, tls: config.tls, ...(config.apiKey && { apiKey: config.apiKey }) })

type RegisterNamespace = Parameters<Connection['workflowService']['registerNamespace']>[0]

// Temporal's type wants a Long, its encoder takes a plain number as well.
const retention = { seconds: 7 * 24 * 3600 } as unknown as RegisterNamespace['workflowExecutionRetentionPeriod']
const alreadyExists = 6 // gRPC's status code

/** Makes the namespace where it is missing. Workers see it only after Temporal refreshed its cache, up to 10 s later. */
export async function ensureNamespace(connection: Connection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      ...(retention && { workflowExecutionRetentionPeriod: retention }),
    })
  } catch (error) {
    if ((error as { code?: number }).code !== alreadyExists) throw error
  }
}

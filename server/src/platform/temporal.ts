import { Client, Connection } from '@temporalio/client'
import type { ServicesConfig } from './config.ts'
import { traceTemporalClient } from './tracing/trace-temporal-client.ts'

/** A silent connection is replaced after 20 s. Temporal closes connections on which it gets a ping more than every 10 s. */
const keepalive = { 'grpc.keepalive_time_ms': 15_000, 'grpc.keepalive_timeout_ms': 5_000 }

/** Connects on first use: a process must be able to start, and report what is wrong, while Temporal cannot be reached. */
export const createTemporalConnection = (config: ServicesConfig['temporal']): Connection =>
  Connection.lazy({
    address: config.address,
    tls: config.tls,
    channelArgs: keepalive,
    ...(config.apiKey && { apiKey: config.apiKey }),
  })

export const createTemporalClient = (connection: Connection, { namespace }: ServicesConfig['temporal']): Client =>
  new Client({ connection, namespace, interceptors: { workflow: [traceTemporalClient] } })

type RegisterNamespace = Parameters<Connection['workflowService']['registerNamespace']>[0]

// The type requires a Long, but Temporal's encoder accepts a plain number as well.
const retention = { seconds: 7 * 24 * 3600 } as unknown as RegisterNamespace['workflowExecutionRetentionPeriod']
const alreadyExists = 6 // gRPC status code

/**
 * Creates the namespace if it does not exist. Workers see it only when Temporal has refreshed its cache, up to 10 s
 * later.
 */
export async function ensureTemporalNamespace(connection: Connection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      ...(retention && { workflowExecutionRetentionPeriod: retention }),
    })
  } catch (error) {
    if ((error as { code?: number }).code !== alreadyExists) throw error
  }
}

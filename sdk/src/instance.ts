import type { GetInstanceStatusData, InstanceStatus } from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type InstanceCalls = ReturnType<typeof createInstanceCalls>

export const createInstanceCalls = (call: OperationCaller) => ({
  /**
   * Services, queues, and what an operator should look at; for operators.
   * @example
   * const { problems } = await client.instance.status()
   */
  status: (options?: CallOptions) => call<GetInstanceStatusData, InstanceStatus>('GET', { url: '/v2/status' }, options),
})

import type { GetInstanceSpendData, GetProjectSpendData, InstanceSpend, ProjectSpend } from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type SpendCalls = ReturnType<typeof createSpendCalls>

export const createSpendCalls = (call: OperationCaller) => ({
  /**
   * What a project used in a month, by default in the current one.
   * @example
   * const spend = await client.spend.project(projectId, { month: '2026-11' })
   */
  project: (projectId: string, query: NonNullable<GetProjectSpendData['query']> = {}, options?: CallOptions) =>
    call<GetProjectSpendData, ProjectSpend>(
      'GET',
      { url: '/v2/projects/{projectId}/spend', path: { projectId }, query },
      options,
    ),

  /**
   * What all projects used in a month; for operators.
   * @example
   * const spend = await client.spend.instance({ month: '2026-11' })
   */
  instance: (query: NonNullable<GetInstanceSpendData['query']> = {}, options?: CallOptions) =>
    call<GetInstanceSpendData, InstanceSpend>('GET', { url: '/v2/spend', query }, options),
})

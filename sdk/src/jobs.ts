import type {
  AgentJob,
  ArchiveJobData,
  CancelJobData,
  CreateJobData,
  GetDiffData,
  GetDiffResponse,
  GetJobData,
  ListEventsData,
  ListEventsResponse,
  ListJobsData,
  ListJobsResponse,
  ListMessagesData,
  ListMessagesResponse,
  ListModelsData,
  ListModelsResponse,
  ModelTest,
  SendMessageData,
  TestProjectModelData,
} from './generated/types.gen.ts'
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type Jobs = ReturnType<typeof jobs>

export interface WorkOptions extends CallOptions {
  /** With the same key a repeated call gives the first answer again instead of doing the work twice. */
  idempotencyKey?: string
}

const headersOf = ({ idempotencyKey }: WorkOptions) =>
  idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }

export const jobs = (call: CallOperation) => ({
  create: (projectId: string, body: CreateJobData['body'], options: WorkOptions = {}) =>
    call<CreateJobData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job', path: { projectId }, body, ...headersOf(options) },
      options,
    ),

  get: (projectId: string, id: string, options?: CallOptions) =>
    call<GetJobData, AgentJob>('GET', { url: '/v2/agent/{projectId}/job/{id}', path: { projectId, id } }, options),

  /** Waits its turn when the job is active, and makes an ended job active again. */
  message: (projectId: string, id: string, body: SendMessageData['body'], options: WorkOptions = {}) =>
    call<SendMessageData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job/{id}/message', path: { projectId, id }, body, ...headersOf(options) },
      options,
    ),

  /** One page, newest first. While `nextCursor` is not null, it is the `cursor` of the next. */
  list: (projectId: string, query: NonNullable<ListJobsData['query']> = {}, options?: CallOptions) =>
    call<ListJobsData, ListJobsResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/jobs', path: { projectId }, query },
      options,
    ),

  messages: (projectId: string, id: string, options?: CallOptions) =>
    call<ListMessagesData, ListMessagesResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/job/{id}/messages', path: { projectId, id } },
      options,
    ),

  diff: (projectId: string, id: string, options?: CallOptions) =>
    call<GetDiffData, GetDiffResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/job/{id}/diff', path: { projectId, id } },
      options,
    ),

  /** One page of what the agent did, oldest first. While `nextAfter` is not null, it is the `after` of the next. */
  events: (projectId: string, id: string, query: NonNullable<ListEventsData['query']> = {}, options?: CallOptions) =>
    call<ListEventsData, ListEventsResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/job/{id}/events', path: { projectId, id }, query },
      options,
    ),

  cancel: (projectId: string, id: string, options?: CallOptions) =>
    call<CancelJobData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job/{id}/cancel', path: { projectId, id } },
      options,
    ),

  archive: (projectId: string, id: string, options?: CallOptions) =>
    call<ArchiveJobData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job/{id}/archive', path: { projectId, id } },
      options,
    ),

  /** Those that a job can be created with. */
  models: (projectId: string, options?: CallOptions) =>
    call<ListModelsData, ListModelsResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/models', path: { projectId } },
      options,
    ),

  /** With one tiny call, as jobs would make it. */
  testModel: (projectId: string, body: TestProjectModelData['body'], options?: CallOptions) =>
    call<TestProjectModelData, ModelTest>(
      'POST',
      { url: '/v2/agent/{projectId}/models/test', path: { projectId }, body },
      options,
    ),
})

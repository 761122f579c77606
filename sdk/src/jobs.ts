import type {
  AgentJob,
  ApproveResultData,
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
  RejectResultData,
  SendMessageData,
  TestProjectModelData,
} from './generated/types.gen.ts'
import { type IdempotentCallOptions, toIdempotencyHeaders } from './idempotency.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type JobCalls = ReturnType<typeof createJobCalls>

export const createJobCalls = (call: OperationCaller) => ({
  create: (projectId: string, body: CreateJobData['body'], options: IdempotentCallOptions = {}) =>
    call<CreateJobData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job', path: { projectId }, body, ...toIdempotencyHeaders(options) },
      options,
    ),

  get: (projectId: string, id: string, options?: CallOptions) =>
    call<GetJobData, AgentJob>('GET', { url: '/v2/agent/{projectId}/job/{id}', path: { projectId, id } }, options),

  /** The message is queued while the job is active. A job that has ended becomes active again. */
  sendMessage: (projectId: string, id: string, body: SendMessageData['body'], options: IdempotentCallOptions = {}) =>
    call<SendMessageData, AgentJob>(
      'POST',
      {
        url: '/v2/agent/{projectId}/job/{id}/message',
        path: { projectId, id },
        body,
        ...toIdempotencyHeaders(options),
      },
      options,
    ),

  /** One page, newest first. Pass `nextCursor` as `cursor` to get the next page; null means that this is the last one. */
  list: (projectId: string, query: NonNullable<ListJobsData['query']> = {}, options?: CallOptions) =>
    call<ListJobsData, ListJobsResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/jobs', path: { projectId }, query },
      options,
    ),

  /** The newest messages, oldest of them first. Pass `nextBefore` as `before` to get those before them; null means that there are none. */
  messages: (
    projectId: string,
    id: string,
    query: NonNullable<ListMessagesData['query']> = {},
    options?: CallOptions,
  ) =>
    call<ListMessagesData, ListMessagesResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/job/{id}/messages', path: { projectId, id }, query },
      options,
    ),

  diff: (projectId: string, id: string, options?: CallOptions) =>
    call<GetDiffData, GetDiffResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/job/{id}/diff', path: { projectId, id } },
      options,
    ),

  /** One page of the agent's events, oldest first. Pass `nextAfter` as `after` to get the next page; null means that this is the last one. */
  events: (projectId: string, id: string, query: NonNullable<ListEventsData['query']> = {}, options?: CallOptions) =>
    call<ListEventsData, ListEventsResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/job/{id}/events', path: { projectId, id }, query },
      options,
    ),

  /** Approves the result whose diff has this digest (`approval.diffSha256`). It is then published. */
  approve: (projectId: string, id: string, body: ApproveResultData['body'], options?: CallOptions) =>
    call<ApproveResultData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job/{id}/approve', path: { projectId, id }, body },
      options,
    ),

  reject: (projectId: string, id: string, body: RejectResultData['body'], options?: CallOptions) =>
    call<RejectResultData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job/{id}/reject', path: { projectId, id }, body },
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

  /** The models that a job can be created with. */
  models: (projectId: string, options?: CallOptions) =>
    call<ListModelsData, ListModelsResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/models', path: { projectId } },
      options,
    ),

  /** Tests the model with one tiny call, made the way jobs make theirs. */
  testModel: (projectId: string, body: TestProjectModelData['body'], options?: CallOptions) =>
    call<TestProjectModelData, ModelTest>(
      'POST',
      { url: '/v2/agent/{projectId}/models/test', path: { projectId }, body },
      options,
    ),
})

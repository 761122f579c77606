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
import { createPagedList, nextCursorQuery } from './paged-list.ts'
import type { CallOptions } from './request.ts'

export type JobCalls = ReturnType<typeof createJobCalls>

export const createJobCalls = (call: OperationCaller) => ({
  /**
   * Creates a job, which works on the project's repository and ends with a pull request, no changes, or a failure. Returns
   * at once; use `createAndWait` to wait for the result. Retried with one idempotency key.
   * @example
   * const job = await client.jobs.create(projectId, { prompt: 'Fix the dead links.' }, { idempotencyKey: 'docs-ci-4712' })
   */
  create: (projectId: string, body: CreateJobData['body'], options: IdempotentCallOptions = {}) =>
    call<CreateJobData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job', path: { projectId }, body, ...toIdempotencyHeaders(options) },
      options,
    ),

  /**
   * A job with its current state.
   * @example
   * const { status, outcome, prLink } = await client.jobs.get(projectId, jobId)
   */
  get: (projectId: string, id: string, options?: CallOptions) =>
    call<GetJobData, AgentJob>('GET', { url: '/v2/agent/{projectId}/job/{id}', path: { projectId, id } }, options),

  /**
   * The message is queued while the job is active. A job that has ended becomes active again. Retried with one idempotency
   * key.
   * @example
   * await client.jobs.sendMessage(projectId, jobId, { prompt: 'Link to the quickstart, too.' })
   */
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

  /**
   * Jobs, newest first. Awaited, one page; iterated, all of them.
   * @example
   * for await (const job of client.jobs.list(projectId, { status: 'completed' })) console.log(job.id, job.prLink)
   */
  list: (projectId: string, query: NonNullable<ListJobsData['query']> = {}, options?: CallOptions) =>
    createPagedList(
      query,
      (query) =>
        call<ListJobsData, ListJobsResponse>(
          'GET',
          { url: '/v2/agent/{projectId}/jobs', path: { projectId }, query },
          options,
        ),
      (page) => ({ items: page.jobs, next: nextCursorQuery(page) }),
    ),

  /**
   * Messages of a job, each with the state of its turn. Awaited, the newest ones, oldest of them first; iterated, all of
   * them, newest first.
   * @example
   * const { messages } = await client.jobs.messages(projectId, jobId, { limit: 10 })
   */
  messages: (
    projectId: string,
    id: string,
    query: NonNullable<ListMessagesData['query']> = {},
    options?: CallOptions,
  ) =>
    createPagedList(
      query,
      (query) =>
        call<ListMessagesData, ListMessagesResponse>(
          'GET',
          { url: '/v2/agent/{projectId}/job/{id}/messages', path: { projectId, id }, query },
          options,
        ),
      ({ messages, nextBefore }) => ({
        items: [...messages].reverse(),
        next: nextBefore === null ? undefined : { before: nextBefore },
      }),
    ),

  /**
   * The changes of the job against the branch that it works from, as a unified diff. If a result awaits approval, the
   * changes that would be pushed. Null if there are none.
   * @example
   * const { diff } = await client.jobs.diff(projectId, jobId)
   */
  diff: (projectId: string, id: string, options?: CallOptions) =>
    call<GetDiffData, GetDiffResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/job/{id}/diff', path: { projectId, id } },
      options,
    ),

  /**
   * What the agent did so far, oldest first. Awaited, one page; iterated, all of it. Use `follow` for events as they happen.
   * @example
   * for await (const event of client.jobs.events(projectId, jobId)) console.log(event.at, event.type)
   */
  events: (projectId: string, id: string, query: NonNullable<ListEventsData['query']> = {}, options?: CallOptions) =>
    createPagedList(
      query,
      (query) =>
        call<ListEventsData, ListEventsResponse>(
          'GET',
          { url: '/v2/agent/{projectId}/job/{id}/events', path: { projectId, id }, query },
          options,
        ),
      ({ events, nextAfter }) => ({ items: events, next: nextAfter === null ? undefined : { after: nextAfter } }),
    ),

  /**
   * Approves the result whose diff has this digest (`approval.diffSha256`). It is then published.
   * @example
   * const { approval } = await client.jobs.get(projectId, jobId)
   * if (approval) await client.jobs.approve(projectId, jobId, { diffSha256: approval.diffSha256 })
   */
  approve: (projectId: string, id: string, body: ApproveResultData['body'], options?: CallOptions) =>
    call<ApproveResultData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job/{id}/approve', path: { projectId, id }, body },
      options,
    ),

  /**
   * Rejects the result whose diff has this digest (`approval.diffSha256`). It is not published.
   * @example
   * await client.jobs.reject(projectId, jobId, { diffSha256 })
   */
  reject: (projectId: string, id: string, body: RejectResultData['body'], options?: CallOptions) =>
    call<RejectResultData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job/{id}/reject', path: { projectId, id }, body },
      options,
    ),

  /**
   * Stops an active job, which becomes `failed` with the outcome `cancelled`.
   * @example
   * await client.jobs.cancel(projectId, jobId)
   */
  cancel: (projectId: string, id: string, options?: CallOptions) =>
    call<CancelJobData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job/{id}/cancel', path: { projectId, id } },
      options,
    ),

  /**
   * Archives a job for good: it accepts no more messages, and an active job stops first. Its pull request is not changed.
   * @example
   * await client.jobs.archive(projectId, jobId)
   */
  archive: (projectId: string, id: string, options?: CallOptions) =>
    call<ArchiveJobData, AgentJob>(
      'POST',
      { url: '/v2/agent/{projectId}/job/{id}/archive', path: { projectId, id } },
      options,
    ),

  /**
   * The models that a job can be created with.
   * @example
   * const { models } = await client.jobs.models(projectId)
   */
  models: (projectId: string, options?: CallOptions) =>
    call<ListModelsData, ListModelsResponse>(
      'GET',
      { url: '/v2/agent/{projectId}/models', path: { projectId } },
      options,
    ),

  /**
   * Tests the model with one tiny call, made the way jobs make theirs.
   * @example
   * const test = await client.jobs.testModel(projectId, { model: 'default' })
   */
  testModel: (projectId: string, body: TestProjectModelData['body'], options?: CallOptions) =>
    call<TestProjectModelData, ModelTest>(
      'POST',
      { url: '/v2/agent/{projectId}/models/test', path: { projectId }, body },
      options,
    ),
})

import Type, { type Static } from 'typebox'
import { jobOutcomes } from '../../jobs/job-outcome.ts'
import { turnStatuses } from '../../jobs/job-state.ts'
import { defaultMessageLimit, type JobStore } from '../../jobs/job-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, nullable } from '../schemas.ts'
import { JobParams, TurnError } from './agent-job.ts'

const JobMessage = Type.Object(
  {
    number: Type.Integer({
      description: 'Number of the message in the job. 1 is the prompt that the job was created with.',
    }),
    prompt: Type.String({ description: 'Text of the message.' }),
    failedCheck: nullable(Type.String(), {
      description: 'Name of the failed CI check whose log the agent got with the message. Null if there was none.',
    }),
    comment: nullable(
      Type.Object({
        author: Type.String({ description: 'Name of the author on the code host.' }),
        url: Type.String({ format: 'uri', description: 'Page of the comment on the code host.' }),
      }),
      { description: 'Comment on the pull request that became this message. Null if it was sent through the API.' },
    ),
    resolvesConflicts: Type.Boolean({
      description: 'Whether the message asked to resolve the conflicts of the pull request with its base branch.',
    }),
    isAutomatic: Type.Boolean({
      description:
        'Whether Colophon sent the message itself, because a CI check of the pull request failed and the publishing rules ask for it.',
    }),
    status: Type.Enum(turnStatuses, {
      description:
        'State of the turn that works on the message. `dropped` if the message was still queued when the job was cancelled or archived.',
    }),
    outcome: nullable(Type.Enum(jobOutcomes), {
      description: 'How the turn ended. Null until it has ended, and if it was dropped.',
    }),
    error: nullable(TurnError, { description: 'Why the turn failed. Null unless `outcome` is `error`.' }),
    reply: nullable(Type.String(), {
      description: 'Final message of the agent in this turn. Null until the turn has completed, and if it failed.',
    }),
    createdAt: DateTime('Time at which the message was sent.'),
    startedAt: nullable(DateTime('Time at which the turn started. Null while the message is queued.')),
    claimedAt: nullable(DateTime('Time at which a runner first claimed the turn. Null until then.')),
    publishingStartedAt: nullable(
      DateTime('Time at which publishing of the result began. Null until then, and if there is nothing to publish.'),
    ),
    endedAt: nullable(DateTime('Time at which the turn ended. Null until then.')),
  },
  {
    $id: 'JobMessage',
    description: 'A message of a job and the turn that works on it.',
    examples: [
      {
        number: 1,
        prompt: 'Explain in the quickstart how to use a proxy.',
        failedCheck: null,
        comment: null,
        resolvesConflicts: false,
        isAutomatic: false,
        status: 'completed',
        outcome: 'pull_request',
        error: null,
        reply: 'I added a section about HTTPS_PROXY to docs/install.md and linked it from the quickstart.',
        createdAt: '2026-01-31T12:00:00.000Z',
        startedAt: '2026-01-31T12:00:00.000Z',
        claimedAt: '2026-01-31T12:00:02.000Z',
        publishingStartedAt: '2026-01-31T12:04:11.000Z',
        endedAt: '2026-01-31T12:04:17.000Z',
      },
    ],
  },
)

export function listMessagesRoute({ jobs }: { jobs: JobStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id/messages',
    access: 'agent:read',
    name: 'listMessages',
    tag: 'Agent jobs',
    summary: 'List messages of an agent job',
    description:
      'Returns the newest messages of the job, each with the state of its turn. If `nextBefore` is not null, send it as `before` ' +
      'to get the messages before them.',
    schemas: {
      params: JobParams,
      query: Type.Object(
        {
          before: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 2_147_483_647,
              description: 'Return only messages with a smaller number.',
              examples: [101],
            }),
          ),
          limit: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 200,
              default: defaultMessageLimit,
              description: 'Maximum number of messages in the response.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      responses: {
        200: Type.Object({
          messages: Type.Array(JobMessage, { description: 'Messages, in the order in which they were sent.' }),
          nextBefore: nullable(Type.Integer(), {
            description: '`before` for the messages before these. Null if these include the first one.',
            examples: [null],
          }),
        }),
      },
    },
    async handle({ projectId, params, query }) {
      const { before, limit = defaultMessageLimit } = query
      const messages = await jobs.messages(projectId, params.id, { limit, before })
      const first = messages.at(0)?.number ?? 1
      return createResponse(200, {
        nextBefore: first > 1 ? first : null,
        messages: messages.map((message) => ({
          ...message,
          error: message.error as Static<typeof JobMessage>['error'],
          createdAt: message.createdAt.toISOString(),
          startedAt: message.startedAt?.toISOString() ?? null,
          claimedAt: message.claimedAt?.toISOString() ?? null,
          publishingStartedAt: message.publishingStartedAt?.toISOString() ?? null,
          endedAt: message.endedAt?.toISOString() ?? null,
        })),
      })
    },
  })
}

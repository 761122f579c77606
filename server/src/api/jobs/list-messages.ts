import Type from 'typebox'
import { turnStatuses } from '../../jobs/job-state.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { jobOutcomes } from '../../jobs/outcome.ts'
import { type Route, respond, route } from '../route.ts'
import { DateTime, nullable } from '../schemas.ts'
import { JobParams } from './agent-job.ts'

const JobMessage = Type.Object(
  {
    number: Type.Integer({ description: '1 is the prompt that the job was created with.' }),
    prompt: Type.String(),
    failedCheck: nullable(Type.String(), { description: 'The failed check that the agent was given with it.' }),
    comment: nullable(Type.Object({ author: Type.String(), url: Type.String({ format: 'uri' }) }), {
      description: 'On the pull request, that it was read from.',
    }),
    status: Type.Enum(turnStatuses, {
      description: '`dropped`: it was waiting when the job was cancelled or archived.',
    }),
    outcome: nullable(Type.Enum(jobOutcomes)),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    reply: nullable(Type.String(), { description: "The agent's words at the end of this turn." }),
    createdAt: DateTime('When it was sent.'),
    startedAt: nullable(DateTime('When its turn came.')),
    claimedAt: nullable(DateTime('When a runner first took it up: the agent works from here on.')),
    publishingStartedAt: nullable(DateTime('When the result began to be published; null when nothing was.')),
    endedAt: nullable(DateTime('When it ended.')),
  },
  { $id: 'JobMessage' },
)

export function listMessagesRoute({ jobs }: { jobs: JobStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id/messages',
    access: 'agent:read',
    name: 'listMessages',
    tag: 'Agent jobs',
    summary: 'The conversation of an agent job',
    schemas: { params: JobParams, responses: { 200: Type.Object({ messages: Type.Array(JobMessage) }) } },
    async handle({ projectId, params }) {
      const messages = await jobs.messages(projectId, params.id)
      return respond(200, {
        messages: messages.map((message) => ({
          ...message,
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

/** Whether a project requires a second factor of its members. */
import Type from 'typebox'
import type { MemberStore } from '../../people/member-store.ts'
import { hasPassedSecondFactor } from '../../people/session.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'

export interface RequiredSecondFactorDeps {
  members: MemberStore
}

const required = Type.Boolean({
  description: 'Whether members who sign in with a password need a second factor to use the project. API keys do not.',
})

const RequiredSecondFactor = Type.Object(
  {
    required,
    membersWithout: Type.Integer({
      description: 'How many members have joined and have no second factor.',
    }),
  },
  { $id: 'RequiredSecondFactor', description: 'Whether the project requires a second factor.' },
)

const url = '/v2/projects/:projectId/second-factor'

export const requiredSecondFactorRoutes = ({ members }: RequiredSecondFactorDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url,
    access: 'project:read',
    name: 'getRequiredSecondFactor',
    tag: 'People',
    summary: 'Get the second factor rule',
    description: 'Returns whether the project requires a second factor of its members.',
    schemas: { params: ProjectParams, responses: { 200: RequiredSecondFactor } },
    handle: async ({ projectId }) => createResponse(200, await members.readSecondFactorRule(projectId)),
  }),
  defineRoute({
    method: 'PATCH',
    url,
    access: 'project:write',
    requiresRecentSignIn: true,
    name: 'requireSecondFactor',
    tag: 'People',
    summary: 'Require a second factor',
    description:
      'Sets whether members need a second factor to use the project. Only a person can change it, not an API key, and only ' +
      'a person who has a second factor can require one.',
    schemas: {
      params: ProjectParams,
      body: Type.Object({ required }, { additionalProperties: false, examples: [{ required: true }] }),
      responses: { 200: RequiredSecondFactor },
    },
    async handle({ projectId, caller, body, actor }) {
      if (caller.kind !== 'person')
        throw new Problem('insufficient_scope', 'An API key cannot change this. Sign in as an owner.')
      if (body.required && !hasPassedSecondFactor(caller.session))
        throw new Problem(
          'invalid_request',
          'Set up a second factor on your account page first. Otherwise you would lose access to the project.',
        )
      return createResponse(200, await members.requireSecondFactor(projectId, body.required, actor))
    },
  }),
]

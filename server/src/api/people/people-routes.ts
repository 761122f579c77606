/** The people of the instance, for operators. `member-routes.ts` is for the members of a project. */
import Type, { type Static } from 'typebox'
import type { Account, AccountStore } from '../../people/account-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, IdParam, nullable } from '../schemas.ts'
import { CreatedAccessSchema, Keep, toCreatedAccessResponse } from './created-access.ts'

const PersonSchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the person.' }),
    email: Type.String({ description: 'Email address that the person signs in with.' }),
    name: Type.String({ description: 'Display name of the person.' }),
    isOperator: Type.Boolean({ description: 'Whether the person is an operator of this instance.' }),
    createdAt: DateTime('Time at which the account was created.'),
    disabledAt: nullable(DateTime('Time at which the person was disabled. Null if they can sign in.')),
    lastSignInAt: nullable(
      DateTime('Start of the newest session of the person that has not ended. Null if there is none.'),
    ),
    projectCount: Type.Integer({ description: 'Number of projects in which the person has a role.' }),
    soleOwnerOf: Type.Array(
      Type.Object({
        id: Type.String({ description: 'ID of the project.' }),
        name: Type.String({ description: 'Name of the project.' }),
      }),
      { description: 'Projects that have no other owner who can sign in.' },
    ),
  },
  {
    $id: 'Person',
    description: 'A person with an account on this instance.',
    examples: [
      {
        id: 'per_01m7ehpvk8eg2t3q9d4x5w0r7a',
        email: 'writer@example.com',
        name: 'A Writer',
        isOperator: false,
        createdAt: '2026-01-31T12:00:00.000Z',
        disabledAt: null,
        lastSignInAt: '2026-02-02T08:15:00.000Z',
        projectCount: 2,
        soleOwnerOf: [],
      },
    ],
  },
)

const toPersonResponse = (account: Account): Static<typeof PersonSchema> => ({
  ...account,
  createdAt: account.createdAt.toISOString(),
  disabledAt: account.disabledAt?.toISOString() ?? null,
  lastSignInAt: account.lastSignInAt?.toISOString() ?? null,
  soleOwnerOf: [...account.soleOwnerOf],
})

const PersonParams = Type.Object({ personId: IdParam('ID of the person.', 'per_01m7ehpvk8eg2t3q9d4x5w0r7a') })

export interface PeopleRouteDeps {
  accounts: AccountStore
}

export const peopleRoutes = ({ accounts }: PeopleRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/people',
    access: 'operator',
    name: 'listPeople',
    tag: 'People',
    summary: 'List people',
    description: 'Returns the people who have an account on this instance, newest first.',
    schemas: {
      query: CursorQuery('per'),
      responses: {
        200: Type.Object({
          people: Type.Array(PersonSchema, { description: 'People, newest first.' }),
          nextCursor: NextCursor,
        }),
      },
    },
    async handle({ query }) {
      const page = await readCursorPage(query, (range) => accounts.list(range))
      return createResponse(200, { people: page.items.map(toPersonResponse), nextCursor: page.nextCursor })
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/v2/people/:personId/created',
    access: 'operator',
    name: 'listPersonCreatedAccess',
    tag: 'People',
    summary: 'List what a person created',
    description:
      'Returns the API keys, runners and open invitations, of all projects, that are revoked by default when the person is ' +
      'disabled or deleted.',
    schemas: {
      params: PersonParams,
      responses: {
        200: Type.Object({
          created: Type.Array(CreatedAccessSchema, { description: 'What is revoked, oldest first.' }),
        }),
      },
    },
    problems: ['not_found'],
    handle: async ({ params }) =>
      createResponse(200, {
        created: (await accounts.listCreatedAccess(params.personId)).map(toCreatedAccessResponse),
      }),
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/people/:personId/disable',
    access: 'operator',
    name: 'disablePerson',
    tag: 'People',
    summary: 'Disable a person',
    description:
      'Ends all sessions of the person immediately and keeps them from signing in. API keys, runners and open invitations that ' +
      'they created, also with API keys, are revoked in all projects, except what you `keep`. They stay a member of their ' +
      'projects, without access. The last operator cannot be disabled, nor can you disable yourself.',
    requiresRecentSignIn: true,
    schemas: {
      params: PersonParams,
      body: Type.Object({ keep: Type.Optional(Keep) }, { additionalProperties: false, examples: [{}] }),
      responses: { 200: PersonSchema },
    },
    problems: ['not_found'],
    handle: async ({ params, body, actor }) =>
      createResponse(200, toPersonResponse(await accounts.disable(params.personId, actor, body.keep))),
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/people/:personId/enable',
    access: 'operator',
    name: 'enablePerson',
    tag: 'People',
    summary: 'Enable a person',
    description: 'Lets a disabled person sign in again, with the roles that they have. What was revoked stays revoked.',
    requiresRecentSignIn: true,
    schemas: { params: PersonParams, responses: { 200: PersonSchema } },
    problems: ['not_found'],
    handle: async ({ params, actor }) =>
      createResponse(200, toPersonResponse(await accounts.enable(params.personId, actor))),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/v2/people/:personId',
    access: 'operator',
    name: 'deletePerson',
    tag: 'People',
    summary: 'Delete a person',
    description:
      'Deletes the account, all its sessions and roles. API keys, runners and open invitations that the person created are ' +
      'revoked in all projects. In audit entries, their email address is replaced by their ID. If the person is the only ' +
      'owner of a project, name a new owner. Returns the person that was deleted.',
    requiresRecentSignIn: true,
    schemas: {
      params: PersonParams,
      query: Type.Object(
        {
          newOwnerId: Type.Optional(
            IdParam('ID of the person who becomes owner of the projects whose only owner is deleted.'),
          ),
        },
        { additionalProperties: false },
      ),
      responses: { 200: PersonSchema },
    },
    problems: ['not_found'],
    handle: async ({ params, query, actor }) =>
      createResponse(200, toPersonResponse(await accounts.delete(params.personId, actor, query.newOwnerId))),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/v2/people/:personId/sessions',
    access: 'operator',
    name: 'endSessions',
    tag: 'People',
    summary: 'End all sessions of a person',
    description: 'The person has to sign in again, on every device. Takes effect immediately.',
    requiresRecentSignIn: true,
    schemas: {
      params: PersonParams,
      responses: {
        200: Type.Object(
          { endedSessions: Type.Integer({ description: 'Number of sessions that were ended.' }) },
          { examples: [{ endedSessions: 2 }] },
        ),
      },
    },
    problems: ['not_found'],
    handle: async ({ params, actor }) =>
      createResponse(200, { endedSessions: await accounts.endSessions(params.personId, actor) }),
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/people/:personId/operator',
    access: 'operator',
    name: 'addOperator',
    tag: 'People',
    summary: 'Make a person an operator',
    description: 'Operators administer the instance: people, projects, models and GitHub Apps.',
    requiresRecentSignIn: true,
    schemas: { params: PersonParams, responses: { 200: PersonSchema } },
    problems: ['not_found'],
    handle: async ({ params, actor }) =>
      createResponse(200, toPersonResponse(await accounts.setOperator(params.personId, true, actor))),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/v2/people/:personId/operator',
    access: 'operator',
    name: 'revokeOperator',
    tag: 'People',
    summary: 'Take the operator right away',
    description: 'The person keeps their roles in projects. The last operator keeps the right.',
    requiresRecentSignIn: true,
    schemas: { params: PersonParams, responses: { 200: PersonSchema } },
    problems: ['not_found'],
    handle: async ({ params, actor }) =>
      createResponse(200, toPersonResponse(await accounts.setOperator(params.personId, false, actor))),
  }),
]

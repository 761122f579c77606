import Type, { type Static } from 'typebox'
import {
  drainNotFound,
  type LogDrain,
  type LogDrainDay,
  type LogDrainStore,
  signsDeliveries,
} from '../../analytics/log-drains/log-drain-store.ts'
import { logFormats } from '../../analytics/log-formats/log-format.ts'
import { generateKey, hashKey } from '../../keys/key-format.ts'
import { createResponse } from '../../platform/http/route.ts'
import { type Id, isId } from '../../platform/ids.ts'
import { defineRoute, type Route } from '../route.ts'
import { CreatedBy, DateTime, IdParam, nullable, ProjectParams } from '../schemas.ts'

const drainExample = {
  id: 'drn_01k5p7q8r9s0t1v2w3x4y5z6a7',
  name: 'Docs on Vercel',
  format: 'vercel',
  host: 'docs.example.com',
  url: 'https://colophon.example.com/v1/log-drains/drn_01k5p7q8r9s0t1v2w3x4y5z6a7',
  verification: null,
  createdBy: 'owner@example.com',
  createdAt: '2026-11-18T09:00:00.000Z',
  firstEventAt: '2026-11-18T09:04:00.000Z',
  lastEventAt: '2026-11-19T10:15:00.000Z',
  days: [{ day: '2026-11-19', counted: 5120, repeated: 0, dropped: 30744, ignored: 12, unreadable: 0 }],
} as const

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Name for people.',
  examples: [drainExample.name],
})
const Host = nullable(Type.String({ minLength: 1, maxLength: 253, pattern: '^[^\\s/:]+$' }), {
  description:
    'Host name of the site. Requests for other hosts are ignored, and lines without a host cannot be read. Null: requests for any ' +
    'host are counted.',
  examples: [drainExample.host],
})
const Verification = nullable(Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' }), {
  description:
    'What proves to the host that the URL belongs to you. Vercel: the value of `x-vercel-verify` that it shows when you add the URL. ' +
    'Fastly: the ID of the service. Null for other hosts.',
  examples: [null],
})

const count = (description: string) => Type.Integer({ minimum: 0, description })

const DaySchema = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'Day on which the logs arrived.' }),
    counted: count('Page views that were counted.'),
    repeated: count('Page views that were delivered again, and counted once.'),
    dropped: count('Requests that are not page views, or not counted for another reason.'),
    ignored: count('Lines that are not requests of visitors, and requests for other hosts.'),
    unreadable: count(
      'Lines that are not in the format of the log drain, or have no host although the log drain has one.',
    ),
  },
  { $id: 'LogDrainDay', description: 'What arrived at a log drain on a day.', examples: [drainExample.days[0]] },
)

const LogDrainSchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the log drain.', examples: [drainExample.id] }),
    name: Name,
    format: Type.Enum(logFormats, { description: 'Format of the logs.', examples: [drainExample.format] }),
    host: Host,
    url: Type.String({ description: 'URL that the logs are sent to.', examples: [drainExample.url] }),
    verification: Verification,
    createdBy: CreatedBy('log drain'),
    createdAt: DateTime('Time at which the log drain was created.'),
    firstEventAt: nullable(DateTime('Time of the first delivery.'), {
      description: 'Time at which logs that could be read arrived for the first time. Null: none have arrived yet.',
      examples: [drainExample.firstEventAt],
    }),
    lastEventAt: nullable(DateTime('Time of the last delivery.'), {
      description: 'Time at which logs that could be read arrived last, to a few seconds. Null: none have arrived yet.',
      examples: [drainExample.lastEventAt],
    }),
    days: Type.Array(DaySchema, {
      description:
        'The last 30 days (UTC) on which logs arrived, newest first. The days that are missing were not measured.',
    }),
  },
  { $id: 'LogDrain', description: 'Where a host or CDN sends the access logs of a site.', examples: [drainExample] },
)

const CreatedLogDrain = Type.Object(
  {
    logDrain: LogDrainSchema,
    secret: Type.String({
      description:
        'Secret that authenticates the sender: as `Authorization: Bearer …`, as the password of `Authorization: Basic …`, as `token` in ' +
        'the query of the URL, or as the secret that Vercel signs with. Only this response contains it.',
    }),
  },
  {
    $id: 'CreatedLogDrain',
    description: 'A new log drain, with its secret.',
    examples: [{ logDrain: drainExample, secret: 'colophon_drain_…' }],
  },
)

const LogDrains = Type.Object(
  { logDrains: Type.Array(LogDrainSchema, { description: 'Log drains of the project, oldest first.' }) },
  { examples: [{ logDrains: [drainExample] }] },
)

const DrainParams = Type.Object({
  ...ProjectParams.properties,
  logDrainId: IdParam('ID of the log drain.', drainExample.id),
})

export interface LogDrainRouteDeps {
  logDrains: LogDrainStore
  publicUrl: string
}

export const logDrainRoutes = ({ logDrains, publicUrl }: LogDrainRouteDeps): Route[] => {
  const toResponse = (drain: LogDrain, days: readonly LogDrainDay[]): Static<typeof LogDrainSchema> => ({
    id: drain.id,
    name: drain.name,
    format: drain.format,
    host: drain.host,
    url: new URL(`/v1/log-drains/${drain.id}`, publicUrl).href,
    verification: drain.verification,
    createdBy: drain.createdBy,
    createdAt: drain.createdAt.toISOString(),
    firstEventAt: drain.firstEventAt?.toISOString() ?? null,
    lastEventAt: drain.lastEventAt?.toISOString() ?? null,
    days: [...days],
  })
  const list = async (projectId: Id<'prj'>) => {
    const [drains, days] = await Promise.all([logDrains.list(projectId), logDrains.listDays(projectId)])
    return { logDrains: drains.map((drain) => toResponse(drain, days.get(drain.id) ?? [])) }
  }
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/analytics/:projectId/log-drains',
      access: 'analytics:read',
      name: 'listLogDrains',
      tag: 'Page views',
      summary: 'List log drains',
      description: 'Returns the log drains of the project, oldest first, and what arrived on the last days.',
      schemas: { params: ProjectParams, responses: { 200: LogDrains } },
      handle: async ({ projectId }) => createResponse(200, await list(projectId)),
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/analytics/:projectId/log-drains',
      access: 'project:write',
      name: 'createLogDrain',
      tag: 'Page views',
      summary: 'Create a log drain',
      description:
        'Creates a URL that a host or CDN can send the access logs of your site to. Lines that it delivers again within a day are counted ' +
        'once. Only this response contains the secret. A project can have 100 log drains.',
      schemas: {
        params: ProjectParams,
        body: Type.Object(
          {
            name: Name,
            format: Type.Enum(logFormats, { description: 'Format of the logs.', examples: [drainExample.format] }),
            host: Type.Optional(Host),
          },
          {
            additionalProperties: false,
            examples: [{ name: drainExample.name, format: drainExample.format, host: drainExample.host }],
          },
        ),
        responses: { 201: CreatedLogDrain },
      },
      async handle({ projectId, body: { name, format, host = null }, actor }) {
        const secret = generateKey('colophon_drain_')
        const signingSecret = signsDeliveries(format) ? secret : null
        const drain = { name, format, host: normalize(host), secretHash: hashKey(secret), signingSecret }
        const created = await logDrains.create(projectId, drain, actor)
        return createResponse(201, { logDrain: toResponse(created, []), secret })
      },
    }),
    defineRoute({
      method: 'PATCH',
      url: '/v1/analytics/:projectId/log-drains/:logDrainId',
      access: 'project:write',
      name: 'changeLogDrain',
      tag: 'Page views',
      summary: 'Change a log drain',
      description: 'Takes effect immediately. Page views that were counted before do not change.',
      schemas: {
        params: DrainParams,
        body: Type.Object(
          {
            name: Type.Optional(Name),
            host: Type.Optional(Host),
            verification: Type.Optional(Verification),
          },
          { additionalProperties: false, minProperties: 1, examples: [{ verification: 'f2a9c1' }] },
        ),
        responses: { 200: LogDrainSchema },
      },
      async handle({ projectId, params, body: { host, ...changes }, actor }) {
        const changed = { ...changes, ...(host !== undefined && { host: normalize(host) }) }
        const drain = await logDrains.change(projectId, idOf(params), changed, actor)
        const days = await logDrains.listDays(projectId)
        return createResponse(200, toResponse(drain, days.get(drain.id) ?? []))
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v1/analytics/:projectId/log-drains/:logDrainId',
      access: 'project:write',
      name: 'deleteLogDrain',
      tag: 'Page views',
      summary: 'Delete a log drain',
      description:
        'Returns the remaining log drains. Logs that arrive afterwards are refused. Page views that were counted are kept.',
      schemas: { params: DrainParams, responses: { 200: LogDrains } },
      async handle({ projectId, params, actor }) {
        await logDrains.delete(projectId, idOf(params), actor)
        return createResponse(200, await list(projectId))
      },
    }),
  ]
}

function idOf({ logDrainId }: { logDrainId: string }): Id<'drn'> {
  if (!isId('drn', logDrainId)) throw drainNotFound()
  return logDrainId
}

const normalize = (host: string | null) => host?.toLowerCase() ?? null

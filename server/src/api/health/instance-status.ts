/** What an operator sees of the instance: services, queues, and what to do something about. */
import Type, { type Static } from 'typebox'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { instanceProblemCodes } from './find-instance-problems.ts'
import { ComponentStatus } from './health-routes.ts'
import { InstanceQueues } from './instance-queues.ts'

const ServiceStatus = Type.Object(
  {
    component: ComponentStatus,
    version: Type.Union([Type.String(), Type.Null()], {
      description: 'Version of the server. `null`: it could not be read.',
    }),
    usedBytes: Type.Union([Type.Integer(), Type.Null()], {
      description: "Size of Colophon's database. `null`: not known, or not reported by this service.",
    }),
    freeBytes: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Free disk space. `null`: not known, or not reported by this service.',
    }),
  },
  { $id: 'ServiceStatus', description: 'A service that the instance runs on.' },
)

export const InstanceStatusSchema = Type.Object(
  {
    version: Type.String({ description: 'Version of Colophon.', examples: ['0.2.0'] }),
    readAt: Type.String({
      format: 'date-time',
      description: 'When this was read. It is read at most every ten seconds.',
    }),
    services: Type.Object(
      { postgres: ServiceStatus, temporal: ServiceStatus, clickhouse: ServiceStatus },
      { description: 'The services that the instance runs on.' },
    ),
    queues: Type.Union([InstanceQueues, Type.Null()], { description: '`null`: PostgreSQL did not respond in time.' }),
    lastBackup: Type.Union(
      [
        Type.Object({
          moment: Type.String({ format: 'date-time', description: 'The backup has everything as it was then.' }),
          finishedAt: Type.String({ format: 'date-time', description: 'When it was complete.' }),
        }),
        Type.Null(),
      ],
      {
        description:
          'The last backup that `colophon-server backup` wrote. `null`: there is none, other tools write them, or it could not be read.',
      },
    ),
    problems: Type.Array(
      Type.Object({
        code: Type.Enum(instanceProblemCodes, { description: 'What is wrong.' }),
        severity: Type.Enum(['critical', 'warning'], {
          description: '`critical`: something does not work now. `warning`: something has to be done before that.',
        }),
      }),
      { description: 'What an operator should look at, the most severe first.' },
    ),
  },
  {
    $id: 'InstanceStatus',
    description: 'The state of the instance, for operators.',
    examples: [
      {
        version: '0.2.0',
        readAt: '2026-11-19T09:00:00.000Z',
        services: {
          postgres: {
            component: { status: 'ok', latencyMs: 2 },
            version: '17.6',
            usedBytes: 73400320,
            freeBytes: null,
          },
          temporal: { component: { status: 'ok', latencyMs: 4 }, version: '1.32.1', usedBytes: null, freeBytes: null },
          clickhouse: {
            component: { status: 'ok', latencyMs: 3 },
            version: '26.7.2.1',
            usedBytes: 52428800,
            freeBytes: 85899345920,
          },
        },
        queues: {
          turns: {
            queued: { count: 0, oldestAgeSeconds: 0 },
            running: { count: 1, oldestAgeSeconds: 42 },
            publishing: { count: 0, oldestAgeSeconds: 0 },
          },
          waitingAttempts: { count: 0, oldestAgeSeconds: 0 },
          runners: { registered: 2, online: 2 },
          views: {
            waitingBytes: 4096,
            deliveryIdBytes: 65536,
            maxBytes: 1073741824,
            oldestAgeSeconds: 0.4,
            quarantinedBatches: 0,
          },
          deliveries: { waiting: 0, oldestDueAgeSeconds: 0 },
        },
        lastBackup: { moment: '2026-11-19T02:00:00.000Z', finishedAt: '2026-11-19T02:04:10.000Z' },
        problems: [],
      },
    ],
  },
)

export type InstanceStatus = Static<typeof InstanceStatusSchema>

export interface InstanceStatusDeps {
  readInstanceStatus(): Promise<InstanceStatus>
}

export const instanceStatusRoutes = ({ readInstanceStatus }: InstanceStatusDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/status',
    access: 'operator',
    name: 'getInstanceStatus',
    tag: 'Service',
    summary: 'Get the instance status',
    description:
      'Returns versions and sizes of the services, the work that waits, the last backup, and what an operator should look at.',
    schemas: { responses: { 200: InstanceStatusSchema } },
    handle: async () => createResponse(200, await readInstanceStatus()),
  }),
]

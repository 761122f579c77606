import Type, { type Static } from 'typebox'
import type { ProjectRunner } from '../../jobs/runner-store.ts'
import { DateTime, nullable } from '../schemas.ts'

export const runnerExample = {
  id: 'run_01m7ej3d2me9ytw4x6b8k0s5qh',
  name: 'build machine 1',
  isShared: false,
  isOnline: true,
  createdAt: '2026-01-31T12:00:00.000Z',
  lastSeenAt: '2026-01-31T12:34:56.000Z',
}

export const RunnerSchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the runner.' }),
    name: Type.String({ description: 'Name of the runner.' }),
    isShared: Type.Boolean({
      description:
        'Whether the runner also works for other projects. A shared runner can be revoked only with `colophon-server admin runner revoke`.',
    }),
    isOnline: Type.Boolean({
      description: 'Whether the runner is working on a turn, or polled for one within the last minute.',
    }),
    createdAt: DateTime('Time at which the runner was created.'),
    lastSeenAt: nullable(DateTime('Time at which the runner last polled for a turn. Null if it never has.')),
  },
  {
    $id: 'Runner',
    description: 'A process that runs the agents of a project in sandboxes.',
    examples: [runnerExample],
  },
)

export const toRunnerResponse = ({ createdAt, lastSeenAt, ...runner }: ProjectRunner): Static<typeof RunnerSchema> => ({
  ...runner,
  createdAt: createdAt.toISOString(),
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
})

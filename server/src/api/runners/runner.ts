import Type, { type Static } from 'typebox'
import type { ProjectRunner } from '../../jobs/runner-store.ts'
import { CreatedBy, DateTime, nullable, TakenOverBy } from '../schemas.ts'

export const runnerExample = {
  id: 'run_01m7ej3d2me9ytw4x6b8k0s5qh',
  name: 'build machine 1',
  isShared: false,
  isOnline: true,
  createdBy: 'owner@example.com',
  takenOverBy: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  expiresAt: '2027-01-31T12:00:00.000Z',
  previousTokenExpiresAt: null,
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
    createdBy: CreatedBy('runner'),
    takenOverBy: TakenOverBy('runner'),
    createdAt: DateTime('Time at which the runner was created.'),
    expiresAt: nullable(DateTime('Time at which the token expires. Null if it never expires.')),
    previousTokenExpiresAt: nullable(
      DateTime('Time until which the token before the last rotation is valid. Null if it is not valid.'),
    ),
    lastSeenAt: nullable(DateTime('Time at which the runner last polled for a turn. Null if it never has.')),
  },
  {
    $id: 'Runner',
    description: 'A process that runs the agents of a project in sandboxes.',
    examples: [runnerExample],
  },
)

export const toRunnerResponse = (runner: ProjectRunner): Static<typeof RunnerSchema> => ({
  ...runner,
  createdAt: runner.createdAt.toISOString(),
  expiresAt: runner.expiresAt?.toISOString() ?? null,
  previousTokenExpiresAt: runner.previousTokenExpiresAt?.toISOString() ?? null,
  lastSeenAt: runner.lastSeenAt?.toISOString() ?? null,
})

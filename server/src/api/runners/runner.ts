import Type, { type Static } from 'typebox'
import type { ProjectRunner } from '../../jobs/runner-store.ts'
import { DateTime, nullable } from '../schemas.ts'

export const RunnerSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    isShared: Type.Boolean({ description: 'It works for other projects too, and is not this one to revoke.' }),
    isOnline: Type.Boolean({ description: 'It works on a turn, or asked for one within the last minute.' }),
    createdAt: DateTime('When the runner was made.'),
    lastSeenAt: nullable(DateTime('When it last asked for a turn.')),
  },
  { $id: 'Runner' },
)

export const toResponse = ({ createdAt, lastSeenAt, ...runner }: ProjectRunner): Static<typeof RunnerSchema> => ({
  ...runner,
  createdAt: createdAt.toISOString(),
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
})

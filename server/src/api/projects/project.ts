import Type, { type Static } from 'typebox'
import type { Project } from '../../projects/project-store.ts'
import { DateTime, nullable, OneLine } from '../schemas.ts'

export const ProjectName = OneLine({ minLength: 1, maxLength: 100 })

export const ProjectSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    createdAt: DateTime('When the project was made.'),
    pausedAt: nullable(DateTime('Since when jobs wait because the operator paused the project.')),
  },
  { $id: 'Project' },
)

export const toResponse = ({ id, name, createdAt, pausedAt }: Project): Static<typeof ProjectSchema> => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  pausedAt: pausedAt?.toISOString() ?? null,
})

import Type, { type Static } from 'typebox'
import type { Project } from '../../projects/project-store.ts'
import { DateTime, nullable, SingleLineText } from '../schemas.ts'

export const ProjectName = SingleLineText({ minLength: 1, maxLength: 100, description: 'Name of the project.' })

export const ProjectSchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the project.', examples: ['prj_01m7ehrhx0fk5b0axvny9mpndf'] }),
    name: Type.String({ description: 'Name of the project.', examples: ['Product docs'] }),
    createdAt: DateTime('Time at which the project was created.'),
    pausedAt: nullable(DateTime('Time at which the project was paused. Null if it is not paused.'), {
      examples: [null],
    }),
  },
  {
    $id: 'Project',
    description:
      'A project: a docs repository and everything that belongs to it, such as members, API keys, jobs and page views.',
  },
)

export const toProjectResponse = ({ id, name, createdAt, pausedAt }: Project): Static<typeof ProjectSchema> => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  pausedAt: pausedAt?.toISOString() ?? null,
})

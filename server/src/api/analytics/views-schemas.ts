/** Schemas that questions about views share. */
import Type from 'typebox'

export const aiQuery = {
  aiScope: Type.Optional(
    Type.Enum(['all', 'assistants'], {
      description:
        'Whom `ai` means: every AI client, or those alone that read for somebody who asked. Left out: as the project has it.',
    }),
  ),
}

export const pathQuery = {
  path: Type.Optional(
    Type.String({ maxLength: 1024, description: 'Of this page alone: its path, as it stands in the list of pages.' }),
  ),
}

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const viewCounts = {
  human: Count('By people.'),
  ai: Count('By AI clients.'),
  total: Count('`human` + `ai`. Search engines and other bots are in neither.'),
}

const Measured = (description: string) => Type.Enum(['measured', 'not_measured'], { description })

export const CoverageSchema = Type.Object(
  {
    human: Measured('`not_measured`: no source that counts people told of this range, so that 0 says nothing.'),
    ai: Measured('`not_measured`: no server told of this range; the browser script cannot see AI clients.'),
  },
  { $id: 'ViewsCoverage', description: 'Whether anybody looked who could have seen.' },
)

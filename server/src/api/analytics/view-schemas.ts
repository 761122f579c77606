/** Schemas that several routes about page views share. */
import Type from 'typebox'

export const aiScopeQueryFields = {
  aiScope: Type.Optional(
    Type.Enum(['all', 'assistants'], {
      description:
        'Which clients count as AI: `all`, or only `assistants`, which read on behalf of a user. Defaults to the setting of the project.',
    }),
  ),
}

export const pathQueryFields = {
  path: Type.Optional(
    Type.String({
      maxLength: 1024,
      description: 'Return only views of the page with this path, as it is in the list of pages.',
      examples: ['/docs/install'],
    }),
  ),
}

const Count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })

export const viewCountFields = {
  human: Count('Number of page views by humans.', 1290),
  ai: Count('Number of page views by AI clients.', 417),
  total: Count('Sum of `human` and `ai`. Search engines and other bots are not included.', 1707),
}

const Measured = (description: string) => Type.Enum(['measured', 'not_measured'], { description })

export const CoverageSchema = Type.Object(
  {
    human: Measured(
      '`not_measured` if no source that counts humans reported views in this range. A count of 0 is then meaningless.',
    ),
    ai: Measured(
      '`not_measured` if no server reported views in this range, because the browser script cannot see AI clients. A count of 0 is then meaningless.',
    ),
  },
  { $id: 'ViewsCoverage', description: 'Whether any source could have seen human and AI traffic in the range.' },
)

export const ClientName = Type.String({
  description: 'Name of the client from the list of known clients, or `browser`, or `unknown`.',
  examples: ['ChatGPT-User'],
})

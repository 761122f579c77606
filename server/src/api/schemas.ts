/** Schemas that several routes share. A schema with an `$id` has that name in the OpenAPI document and in the SDK. */
import type { Readable } from 'node:stream'
import Type from 'typebox'
import { type ProblemCode, problemDefinitions } from '../platform/http/problem.ts'

/** The description of the schema becomes that of the union: generated clients show only the outer one. */
export const nullable = <const Schema extends Type.TSchema>(schema: Schema, options: Type.TSchemaOptions = {}) => {
  const { description } = schema as { description?: string }
  return Type.Union([schema, Type.Null()], { ...(description !== undefined && { description }), ...options })
}

export const DateTime = (description: string) => Type.String({ format: 'date-time', description })

/** Formatted as the actor of an audit entry. */
export const CreatedBy = (what: string) =>
  nullable(Type.String(), {
    description:
      `Who created the ${what}: the email address of a person, the ID of an API key or of a federated identity, or ` +
      '`operator` for `colophon-server admin`. The ID of the person if their account was deleted. Null if it is not known.',
  })

export const TakenOverBy = (what: string) =>
  nullable(Type.String(), {
    description:
      `Who kept the ${what} when its creator lost access, and has taken it over. Null if nobody has. It is revoked when ` +
      'that person loses access.',
  })

/** Text that is shown in lists: without line breaks and control characters, which could fake a row or control a terminal. */
export const SingleLineText = (options: {
  minLength: number
  maxLength: number
  description?: string
  examples?: string[]
}) => Type.String({ ...options, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$' })

/** A response body that is streamed, and not JSON. The route has to send the same `content-type`. */
export const StreamedBody = (contentMediaType: string, description: string) =>
  Type.Unsafe<Readable>({ type: 'string', contentMediaType, description })

export const ProjectParams = Type.Object({
  projectId: Type.String({
    maxLength: 100,
    description: 'ID of the project.',
    examples: ['prj_01m7ehrhx0fk5b0axvny9mpndf'],
  }),
})

/** IDs in paths are plain text on purpose: an ID that is malformed gets the same 404 as one that does not exist. */
export const IdParam = (description: string, example?: string) =>
  Type.String({ maxLength: 100, description, ...(example !== undefined && { examples: [example] }) })

const problemExample = {
  type: 'urn:colophon:problem:invalid_request',
  title: problemDefinitions.invalid_request.title,
  status: 400,
  detail: 'body/prompt is missing.',
  code: 'invalid_request',
  requestId: 'req_01m7hvgt44f20ss3rjjczm5hry',
  error: 'body/prompt is missing.',
  errors: [{ path: 'body/prompt', message: 'is missing' }],
}

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'URI of the kind of error. It ends with the `code`.' }),
    title: Type.String({ description: 'Short name of the kind of error.' }),
    status: Type.Integer({ description: 'HTTP status of the response.' }),
    detail: Type.String({ description: 'What is wrong in this request and what to do next, as a sentence.' }),
    code: Type.Enum(Object.keys(problemDefinitions) as ProblemCode[], {
      description: 'Code of the error, from a closed list. `GET /errors/{code}` explains it.',
    }),
    requestId: Type.String({ description: 'ID of the request. Include it when you report a problem to an operator.' }),
    error: Type.String({ description: 'Copy of `detail`, for clients that read only this field.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({
            description: 'Location of the invalid value, for example `body/prompt` or `query/limit`.',
          }),
          message: Type.String({ description: 'What is wrong with the value, to be read after its `path`.' }),
        }),
        { description: 'The invalid values of the request. Absent if the error is not about a value.' },
      ),
    ),
  },
  { $id: 'Problem', description: 'An error as RFC 9457 problem details.', examples: [problemExample] },
)

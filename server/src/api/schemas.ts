/** Schemas that several routes share. One with an `$id` has that name in the OpenAPI document and in the client. */
import type { Readable } from 'node:stream'
import Type from 'typebox'
import { type ProblemCode, problemCodes } from '../platform/http/problem.ts'

export const nullable = <const Schema extends Type.TSchema>(schema: Schema, options: Type.TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)

export const DateTime = (description: string) => Type.String({ format: 'date-time', description })

/** Text that people see in lists: nothing that could look like a second row or steer a terminal. */
export const OneLine = (options: { minLength: number; maxLength: number; description?: string }) =>
  Type.String({ ...options, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$' })

/** An answer that is sent as it comes, and not as JSON; its route says the same in `content-type`. */
export const StreamOf = (contentMediaType: string, description: string) =>
  Type.Unsafe<Readable>({ type: 'string', contentMediaType, description })

/** An answer without a body. */
export const NoContent = Type.Undefined()

export const ProjectParams = Type.Object({
  projectId: Type.String({ maxLength: 100, description: "The project's id, like `prj_…`." }),
})

/** Ids in paths are plain text on purpose: one that cannot exist is answered with 404 like one that does not. */
export const idParam = (description: string) => Type.String({ maxLength: 100, description })

export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'One plain sentence that says what to do next.' }),
    code: Type.Enum(Object.keys(problemCodes) as ProblemCode[], { description: 'A closed list.' }),
    requestId: Type.String({ description: 'To be told to the operator; it is in the log.' }),
    error: Type.String({ description: 'The detail once more, for clients that read only this.' }),
    errors: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
        description: 'What is wrong, field by field.',
      }),
    ),
  },
  { $id: 'Problem', description: 'An error, as RFC 9457 has it.' },
)

/**
 * The declaration of an endpoint, as `api` and the gateway use it: who may call it, the schemas of its requests and responses, and
 * a handler that knows nothing of HTTP but what the schemas describe. Each of the two servers has its own kinds of access.
 */
import Type, { type Static, type TObject, type TSchema } from 'typebox'

export interface RouteSchemas {
  params?: TObject
  query?: TObject
  body?: TSchema
  /** Header names in lower case. */
  headers?: TObject
  /** By status. The problems that the route can respond with are added. */
  responses: Readonly<Record<number, TSchema>>
}

/** The schema of a response without a body. */
export const NoContent = Type.Undefined()

export type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined

export interface ValidatedRequest<Schemas extends RouteSchemas> {
  params: StaticOf<Schemas['params']>
  query: StaticOf<Schemas['query']>
  body: StaticOf<Schemas['body']>
  headers: StaticOf<Schemas['headers']>
}

export type ResponseHeaders = Record<string, string | string[]>

export type RouteResponse<Schemas extends RouteSchemas> = {
  [Status in keyof Schemas['responses']]: {
    status: Status
    body: StaticOf<Schemas['responses'][Status]>
    headers?: ResponseHeaders
  }
}[keyof Schemas['responses']]

/** `Request` is what the handler gets: the validated request, and what the check of the caller found. */
export interface RouteDeclaration<Schemas extends RouteSchemas, Access extends string, Request> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With parameters as `:name`. */
  url: string
  access: Access
  schemas: Schemas
  /** Called too often to log every successful request. */
  quiet?: true
  /** Called too often to trace, although successful requests are logged. */
  untraced?: true
  handle(request: Request): Promise<RouteResponse<Schemas>>
}

export const createResponse = <const Status extends number, Body>(
  status: Status,
  body: Body,
  headers: ResponseHeaders = {},
) => ({ status, body, headers })

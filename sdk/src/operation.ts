import type { Target } from './address.ts'
import { isObject } from './read-response.ts'
import { type CallOptions, type Connection, type Method, request } from './request.ts'

/** What the generated types say of an operation. */
interface OperationData extends Target {
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

/**
 * Calls an operation of the contract by its generated types: an address, a parameter or a field that the contract does
 * not have does not compile. (A wrong method does: the types do not know it, the tests do.)
 */
export type CallOperation = <Data extends OperationData, Answer>(
  method: Method,
  data: Data,
  options?: CallOptions,
) => Promise<Answer>

export const operationsOver =
  (connection: Connection): CallOperation =>
  <Data extends OperationData, Answer>(
    method: Method,
    { url, path, query, body, headers }: Data,
    options: CallOptions = {},
  ) =>
    // Whether it is an object tells our answers from somebody else's page; its fields are the contract's business.
    request(connection, {
      method,
      url,
      path,
      query,
      body,
      headers,
      ...options,
      isResponse: (response): response is Answer => isObject(response),
    })

import { isObject } from './read-response.ts'
import { type CallOptions, type ConnectionSettings, type RequestMethod, request } from './request.ts'
import type { RequestTarget } from './request-url.ts'

/** The part of an operation's generated type that describes its request. */
interface OperationData extends RequestTarget {
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

/**
 * Calls an operation of the API contract by its generated types: a path, parameter or field that is not in the contract
 * does not compile. (A wrong method does compile, because the generated types do not contain it; the tests catch it.)
 */
export type OperationCaller = <Data extends OperationData, ResponseBody>(
  method: RequestMethod,
  data: Data,
  options?: CallOptions,
) => Promise<ResponseBody>

export const createOperationCaller =
  (connection: ConnectionSettings): OperationCaller =>
  <Data extends OperationData, ResponseBody>(
    method: RequestMethod,
    { url, path, query, body, headers }: Data,
    options: CallOptions = {},
  ) =>
    // That the body is an object distinguishes our responses from another site's pages. The fields are left to the contract.
    request(connection, {
      method,
      url,
      path,
      query,
      body,
      headers,
      ...options,
      isExpectedBody: (responseBody): responseBody is ResponseBody => isObject(responseBody),
    })

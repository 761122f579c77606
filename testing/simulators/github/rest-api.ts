/** GitHub's REST API: authenticates the caller, validates the request, runs the operation, and validates its response. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { requirePermission, requireVisible } from './access.ts'
import type { Operation, OperationCall } from './api-call.ts'
import type { ApiDescription, MatchedOperation } from './api-description.ts'
import { ApiError, type ApiResponse } from './api-error.ts'
import { authenticate } from './authenticate.ts'
import { affectedAccount, type FaultInjector } from './fault-injector.ts'
import { allOperations } from './operations/all-operations.ts'
import type { DescriptionViolation, LoggedApiCall, Repository, State } from './state.ts'
import type { SimulatorContext } from './webhook-event-emitter.ts'

export const apiPath = '/api/v3'

const userAgentRequired = 'Please make sure your request has a User-Agent header'
const knownVersions = new Set(['2022-11-28', '2026-03-10'])

export interface ApiRequest {
  request: IncomingMessage
  url: URL
  body: Buffer
}

export class RestApi {
  readonly #simulator: SimulatorContext
  readonly #description: ApiDescription
  readonly #faults: FaultInjector

  constructor(simulator: SimulatorContext, description: ApiDescription, faults: FaultInjector) {
    this.#simulator = simulator
    this.#description = description
    this.#faults = faults
  }

  get #state(): State {
    return this.#simulator.state
  }

  /** `isLost` means that the operation was performed, but its response must not be sent. */
  async handle({ request, url, body }: ApiRequest): Promise<{ response: ApiResponse; isLost: boolean }> {
    const call: LoggedApiCall = {
      at: new Date().toISOString(),
      method: request.method ?? 'GET',
      path: url.pathname + url.search,
      operation: null,
      status: 0,
      isLost: false,
      account: null,
    }
    this.#state.calls.push(call)
    const response = await this.#respondWithFaults(request, url, body, call).catch((error: unknown) => {
      if (error instanceof ApiError) return error.response
      console.error(error)
      return this.#violation('response', call, [error instanceof Error ? error.message : String(error)])
    })
    call.status = response.status
    return {
      response: { ...response, headers: { ...this.#commonHeaders(), ...response.headers } },
      isLost: call.isLost,
    }
  }

  /** Applies injected faults. */
  async #respondWithFaults(
    request: IncomingMessage,
    url: URL,
    body: Buffer,
    call: LoggedApiCall,
  ): Promise<ApiResponse> {
    const path = url.pathname.slice(apiPath.length)
    const matched = this.#description.find(call.method, this.#resolveRepositoryId(path))
    if (!matched) return this.#violation('request', call, ['the description has no such operation'])
    call.operation = matched.operation.id
    const account = affectedAccount(this.#state, path, request.headers.authorization)
    call.account = account?.login ?? null
    const fault = this.#faults.next(account, call.operation)
    const errorResponse = fault && this.#faults.errorResponse(fault, account)
    if (errorResponse) return errorResponse
    if (fault === 'slow') await sleep(this.#faults.slowMs(account))
    call.isLost = fault === 'lost_response'
    return this.#respond(request, url, body, call, matched)
  }

  async #respond(
    request: IncomingMessage,
    url: URL,
    body: Buffer,
    call: LoggedApiCall,
    matched: MatchedOperation,
  ): Promise<ApiResponse> {
    const { operation, pathParameters } = matched
    if (!request.headers['user-agent'])
      throw new ApiError(403, `Request forbidden by administrative rules. ${userAgentRequired}`)
    const version = request.headers['x-github-api-version']
    if (version !== undefined && !knownVersions.has(String(version))) {
      throw new ApiError(400, `Version "${version}" is not a supported version`)
    }
    const caller = authenticate(this.#state, request.headers)
    const parsed = parseBody(body)
    if (parsed === undefined) throw new ApiError(400, 'Problems parsing JSON')
    const { problems, query } = this.#description.validateRequest(matched, url.searchParams, parsed.json)
    if (problems.length > 0) return this.#violation('request', call, problems)
    const implementation = allOperations[operation.id]
    if (!implementation) {
      return this.#violation('response', call, [`the simulator does not implement ${operation.id}`])
    }

    const input = { ...this.#simulator, caller, params: pathParameters, query, url, body: toObject(parsed.json) }
    const response = await this.#callOperation(implementation, input, url, call.method).catch((error: unknown) => {
      if (error instanceof ApiError) return error.response
      throw error
    })
    const reasons = this.#checkResponse(matched, response)
    return reasons.length > 0 ? this.#violation('response', call, reasons) : response
  }

  async #callOperation(operation: Operation, call: OperationCall, url: URL, method: string): Promise<ApiResponse> {
    if (operation.by === 'anyone') return operation.handle(call)
    const { owner = '', repo = '' } = call.params
    const former = this.#state.repositoryFormerlyNamed(owner, repo)
    const current = this.#state.repositoryNamed(owner, repo)
    const { repository, permissions } = requireVisible(this.#state, call.caller, current ?? former)
    if (!current) return redirectToId(this.#state, repository, url, method)
    requirePermission(operation.needs, permissions, call.caller)
    if (repository.isArchived && operation.needs.some((need) => !need.endsWith(':read'))) {
      throw new ApiError(403, 'Repository was archived so is read-only.')
    }
    return operation.handle({ ...call, repository })
  }

  /** GitHub redirects from an old name to `/repositories/{id}…`, but its description has only `/repos/{owner}/{repo}…`. */
  #resolveRepositoryId(path: string): string {
    const [, id, rest = ''] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? []
    const repository = id === undefined ? undefined : this.#state.repositories.get(Number(id))
    if (id !== undefined && !repository) throw new ApiError(404, 'Not Found')
    return repository ? `/repos/${repository.owner.login}/${repository.name}${rest}` : path
  }

  #checkResponse({ operation }: MatchedOperation, { status, body }: ApiResponse): string[] {
    const asSent: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body))
    return this.#description.validateResponse(operation, status, asSent)
  }

  #violation(source: DescriptionViolation['source'], call: LoggedApiCall, reasons: string[]): ApiResponse {
    this.#state.violations.push({ source, what: `${call.method} ${call.path}`, reasons })
    return { status: 500, body: { message: `This ${source} does not fit GitHub's API description`, errors: reasons } }
  }

  #commonHeaders(): Record<string, string> {
    return {
      'access-control-allow-origin': '*',
      'x-github-media-type': 'github.v3; format=json',
      'x-github-request-id': randomBytes(8).toString('hex').toUpperCase(),
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3600),
      'x-ratelimit-resource': 'core',
      'x-ratelimit-used': '1',
    }
  }
}

function redirectToId({ apiUrl }: State, { id }: Repository, url: URL, method: string): ApiResponse {
  const rest = url.pathname.slice(apiPath.length).replace(/^\/repos\/[^/]+\/[^/]+/, '')
  const location = `${apiUrl}/repositories/${id}${rest}${url.search}`
  const body = {
    message: 'Moved Permanently',
    url: location,
    documentation_url: 'https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects',
  }
  return { status: method === 'GET' ? 301 : 307, body, headers: { location } }
}

function parseBody(body: Buffer): { json: unknown } | undefined {
  if (body.length === 0) return { json: undefined }
  try {
    return { json: JSON.parse(body.toString()) }
  } catch {
    return undefined
  }
}

const toObject = (json: unknown): Record<string, unknown> =>
  typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}

/** GitHub's REST API: who calls, whether the request is one that GitHub knows, the work, whether the answer is one too. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { refuseWithout, seen } from './access.ts'
import type { Call, Operation } from './api-call.ts'
import type { ApiDescription, MatchedOperation } from './api-description.ts'
import { type Answer, ApiError } from './api-error.ts'
import { authenticate, type Caller } from './authenticate.ts'
import type { World } from './events.ts'
import { accountConcerned, type Faults } from './faults.ts'
import { allOperations } from './operations/all-operations.ts'
import type { ApiCall, Repository, State, Violation } from './state.ts'

export const apiPath = '/api/v3'

const userAgent = 'Please make sure your request has a User-Agent header'
const knownVersions = new Set(['2022-11-28', '2026-03-10'])

export interface ApiRequest {
  request: IncomingMessage
  url: URL
  body: Buffer
}

export class RestApi {
  readonly #world: World
  readonly #description: ApiDescription
  readonly #faults: Faults

  constructor(world: World, description: ApiDescription, faults: Faults) {
    this.#world = world
    this.#description = description
    this.#faults = faults
  }

  get #state(): State {
    return this.#world.state
  }

  /** A call that is lost was answered, but nobody is to see it. */
  async handle({ request, url, body }: ApiRequest): Promise<{ response: Answer; isLost: boolean }> {
    const call: ApiCall = {
      sequence: this.#state.calls.length + 1,
      at: new Date().toISOString(),
      method: request.method ?? 'GET',
      path: url.pathname + url.search,
      operation: null,
      status: 0,
      isLost: false,
      caller: 'nobody',
      account: null,
    }
    this.#state.calls.push(call)
    const response = await this.#befall(request, url, body, call).catch((error: unknown) => {
      if (error instanceof ApiError) return error.response
      console.error(error)
      return this.#violation('answer', call, [error instanceof Error ? error.message : String(error)])
    })
    call.status = response.status
    return { response: { ...response, headers: { ...this.#everyHeader(), ...response.headers } }, isLost: call.isLost }
  }

  /** Whatever goes wrong goes wrong here. */
  async #befall(request: IncomingMessage, url: URL, body: Buffer, call: ApiCall): Promise<Answer> {
    const asked = url.pathname.slice(apiPath.length)
    const matched = this.#description.find(call.method, this.#byName(asked))
    if (!matched) return this.#violation('request', call, ['no operation of the description'])
    call.operation = matched.operation.id
    const account = accountConcerned(this.#state, asked, request.headers.authorization)
    call.account = account?.login ?? null
    const fault = this.#faults.take(account, call.operation)
    const refusal = fault && this.#faults.refusal(fault, account)
    if (refusal) return refusal
    if (fault === 'slow') await sleep(this.#faults.slowMs(account))
    call.isLost = fault === 'lost_response'
    return this.#work(request, url, body, call, matched)
  }

  async #work(
    request: IncomingMessage,
    url: URL,
    body: Buffer,
    call: ApiCall,
    matched: MatchedOperation,
  ): Promise<Answer> {
    const { operation, pathParameters } = matched
    if (!request.headers['user-agent'])
      throw new ApiError(403, `Request forbidden by administrative rules. ${userAgent}`)
    const version = request.headers['x-github-api-version']
    if (version !== undefined && !knownVersions.has(String(version))) {
      throw new ApiError(400, `Version "${version}" is not a supported version`)
    }
    const caller = authenticate(this.#state, request.headers)
    call.caller = nameOf(caller)
    const parsed = parseBody(body)
    if (parsed === undefined) throw new ApiError(400, 'Problems parsing JSON')
    const { faults, query } = this.#description.readRequest(matched, url.searchParams, parsed.json)
    if (faults.length > 0) return this.#violation('request', call, faults)
    const ours = allOperations[operation.id]
    if (!ours) return this.#violation('answer', call, [`the stand-in does not serve ${operation.id}`])

    const given = { ...this.#world, caller, params: pathParameters, query, url, body: asObject(parsed.json) }
    const response = await this.#perform(ours, given, url, call.method).catch((error: unknown) => {
      if (error instanceof ApiError) return error.response
      throw error
    })
    const reasons = this.#checkResponse(matched, response)
    return reasons.length > 0 ? this.#violation('answer', call, reasons) : response
  }

  async #perform(operation: Operation, call: Call, url: URL, method: string): Promise<Answer> {
    if (operation.by === 'anyone') return operation.handle(call)
    const { owner = '', repo = '' } = call.params
    const former = this.#state.repositoryFormerlyNamed(owner, repo)
    const current = this.#state.repositoryNamed(owner, repo)
    const { repository, permissions } = seen(this.#state, call.caller, current ?? former)
    if (!current) return moved(this.#state, repository, url, method)
    refuseWithout(operation.needs, permissions, call.caller)
    if (repository.isArchived && operation.needs.some((need) => !need.endsWith(':read'))) {
      throw new ApiError(403, 'Repository was archived so is read-only.')
    }
    return operation.handle({ ...call, repository })
  }

  /** `/repositories/{number}…` is where GitHub leads from an old name; its description has only `/repos/{owner}/{repo}…`. */
  #byName(path: string): string {
    const [, number, rest = ''] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? []
    const repository = number === undefined ? undefined : this.#state.repositories.get(Number(number))
    if (number !== undefined && !repository) throw new ApiError(404, 'Not Found')
    return repository ? `/repos/${repository.owner.login}/${repository.name}${rest}` : path
  }

  #checkResponse({ operation }: MatchedOperation, { status, body }: Answer): string[] {
    const asSent: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body))
    return this.#description.checkResponse(operation, status, asSent)
  }

  #violation(of: Violation['of'], call: ApiCall, reasons: string[]): Answer {
    this.#state.violations.push({ of, what: `${call.method} ${call.path}`, reasons })
    return { status: 500, body: { message: `GitHub's description does not know this ${of}`, errors: reasons } }
  }

  #everyHeader(): Record<string, string> {
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

function moved({ apiUrl }: State, { id }: Repository, url: URL, method: string): Answer {
  const rest = url.pathname.slice(apiPath.length).replace(/^\/repos\/[^/]+\/[^/]+/, '')
  const location = `${apiUrl}/repositories/${id}${rest}${url.search}`
  const body = {
    message: 'Moved Permanently',
    url: location,
    documentation_url: 'https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects',
  }
  return { status: method === 'GET' ? 301 : 307, body, headers: { location } }
}

const nameOf = (caller: Caller): string => {
  switch (caller.kind) {
    case 'nobody':
      return 'nobody'
    case 'token':
      return caller.token.kind
    case 'app':
    case 'client':
      return caller.kind
  }
}

function parseBody(body: Buffer): { json: unknown } | undefined {
  if (body.length === 0) return { json: undefined }
  try {
    return { json: JSON.parse(body.toString()) }
  } catch {
    return undefined
  }
}

const asObject = (json: unknown): Record<string, unknown> =>
  typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}

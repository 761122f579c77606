/**
 * Simulates the gateway for tests of the runner, over real HTTP. It validates uploads and reports like the real gateway, and
 * simulates faults on demand. Git is `git http-backend` on a bare repository; the model is the scripted one.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Compile } from 'typebox/compile'
import {
  type AgentEvent,
  type ClaimedTurn,
  decodeReport,
  EventUpload,
  ReportHeader,
  type TurnReport,
} from '../../runner-wire/runner-wire.ts'

export const simulatedRunnerToken = 'colophon_runner_simulated'

/** A turn of the simulated gateway, with what the runner sent for it. */
export interface SimulatedTurnRecord {
  attemptToken: string
  events: AgentEvent[]
  /** When each heartbeat arrived. */
  heartbeatsAtMs: number[]
  report: TurnReport | undefined
}

export interface GatewayFaults {
  /** The stop reason in the response to every upload. */
  stop?: string
  /** Number of uploads that are stored, but whose connection is closed before the response. */
  lostUploadResponses?: number
  /** Number of failed responses before the first success. */
  gitFailures?: number
  reportFailures?: number
  claimFailures?: number
  /** Reports of this kind are rejected. */
  rejectedReport?: TurnReport['kind']
  /** Uploads and reports get no response. */
  hangs?: boolean
  /** The attempt is no longer valid, as if another runner had the turn. */
  attemptLost?: boolean
}

interface Certificate {
  key: string
  cert: string
}

interface SimulatedResponse {
  status: number
  body?: object
}

const uploadValidator = Compile(EventUpload)
const reportValidator = Compile(ReportHeader)

export class SimulatedGateway implements AsyncDisposable {
  /** Whether the runner is told that it serves all projects. */
  isRunnerShared = false
  readonly repository: SimulatedRepository
  readonly turns = new Map<string, SimulatedTurnRecord>()
  faults: GatewayFaults = {}
  url = ''
  readonly #queue: ClaimedTurn[] = []
  readonly #modelUrl: string
  readonly #server: Server

  static async start(modelUrl: string, files: Record<string, string>, tls?: Certificate): Promise<SimulatedGateway> {
    const gateway = new SimulatedGateway(modelUrl, files, tls)
    gateway.#server.listen(0, '127.0.0.1')
    await once(gateway.#server, 'listening')
    const { port } = gateway.#server.address() as AddressInfo
    gateway.url = tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
    return gateway
  }

  private constructor(modelUrl: string, files: Record<string, string>, tls: Certificate | undefined) {
    this.#modelUrl = modelUrl
    this.repository = new SimulatedRepository(files)
    const listener = (incoming: IncomingMessage, response: ServerResponse) =>
      void this.#handle(incoming, response).catch(() => response.destroy())
    this.#server = tls ? createSecureServer(tls, listener) : createServer(listener)
  }

  /** Creates a turn like the response to a claim. */
  createTurn(change: Partial<ClaimedTurn> & Pick<ClaimedTurn, 'prompt'>): {
    claimed: ClaimedTurn
    turn: SimulatedTurnRecord
  } {
    const attemptToken = `colophon_attempt_${this.turns.size + 1}`
    const turn: SimulatedTurnRecord = { attemptToken, events: [], heartbeatsAtMs: [], report: undefined }
    this.turns.set(attemptToken, turn)
    const claimed: ClaimedTurn = {
      turnId: `trn_${this.turns.size}`,
      attemptToken,
      model: 'scripted/answer',
      modelSettings: { format: 'anthropic-messages', contextTokens: 200_000, maxOutputTokens: 8_000 },
      changeRules: { docsFolders: [''], allowedPaths: [], siteGenerator: null, activeContent: 'refuse' },
      failedCheck: null,
      instructions: null,
      session: null,
      failedMessages: [],
      unpublishedWork: null,
      startBranch: 'main',
      mergeBranch: null,
      deadlineAt: new Date(Date.now() + 600_000).toISOString(),
      secondsLeft: 600,
      heartbeatSeconds: 2,
      ...change,
    }
    return { claimed, turn }
  }

  /** Queues a turn for the next claim. */
  enqueue(change: Partial<ClaimedTurn> & Pick<ClaimedTurn, 'prompt'>): SimulatedTurnRecord {
    const { claimed, turn } = this.createTurn(change)
    this.#queue.push(claimed)
    return turn
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    this.repository.remove()
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = incoming.url ?? ''
    const token = incoming.headers.authorization?.replace('Bearer ', '')
    const rejection = this.#reject(url, token)
    if (rejection === undefined && url.startsWith('/git/')) this.repository.serve(incoming, response)
    else if (rejection === undefined && url.startsWith('/model/v1/')) this.#forward(incoming, response)
    else {
      const { status, body } = rejection ?? (await this.#handleRunnerCall(url, token, await buffer(incoming), response))
      response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
    }
  }

  #reject(url: string, token: string | undefined): SimulatedResponse | undefined {
    if (url === '/runner/self') return token === simulatedRunnerToken ? undefined : { status: 401 }
    if (url === '/runner/claim') {
      if (this.#hasFault('claimFailures')) return { status: 503 }
      return token === simulatedRunnerToken ? undefined : { status: 401 }
    }
    if (url === '/readyz') return { status: 200, body: { status: 'ready' } }
    const turn = this.turns.get(token ?? '')
    if (!turn) return { status: 401 }
    if (this.faults.attemptLost || turn.report) return { status: 404 }
    return url.startsWith('/git/') && this.#hasFault('gitFailures') ? { status: 503 } : undefined
  }

  async #handleRunnerCall(url: string, token = '', body: Buffer, response: ServerResponse): Promise<SimulatedResponse> {
    const turn = this.turns.get(token)
    if (url === '/runner/self') return { status: 200, body: { isShared: this.isRunnerShared } }
    if (url === '/runner/claim') return this.#claim(response)
    if (this.faults.hangs) await once(response, 'close')
    if (url === '/runner/events' && turn) return this.#receiveEvents(turn, body)
    if (url === '/runner/result' && turn) return this.#receiveReport(turn, body)
    return { status: 404 }
  }

  async #claim(response: ServerResponse): Promise<SimulatedResponse> {
    for (let attempt = 0; attempt < 20 && !response.destroyed; attempt++) {
      const turn = this.#queue.shift()
      if (turn) return { status: 200, body: turn }
      await sleep(50)
    }
    return { status: 204 }
  }

  #receiveEvents(turn: SimulatedTurnRecord, bytes: Buffer): SimulatedResponse {
    const body: unknown = JSON.parse(bytes.toString('utf8'))
    if (!uploadValidator.Check(body)) return { status: 400 }
    turn.heartbeatsAtMs.push(Date.now())
    if (body.firstIndex === turn.events.length) turn.events.push(...body.events)
    else if (body.firstIndex + body.events.length > turn.events.length) return { status: 404 }
    if (body.events.length > 0 && this.#hasFault('lostUploadResponses')) throw new Error('simulated lost connection')
    return { status: 200, body: { stop: this.faults.stop ?? null } }
  }

  #receiveReport(turn: SimulatedTurnRecord, bytes: Buffer): SimulatedResponse {
    const end = bytes.indexOf('\n')
    const header: unknown = JSON.parse(bytes.toString('utf8', 0, end))
    if (this.#hasFault('reportFailures')) return { status: 503 }
    if (!reportValidator.Check(header) || header.kind === this.faults.rejectedReport) return { status: 400 }
    turn.report = decodeReport(header, bytes.subarray(end + 1))
    return { status: turn.report ? 204 : 400 }
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url = '' } = incoming
    const outer = request(new URL(url.replace('/model', ''), this.#modelUrl), { method, headers }, (modelResponse) => {
      response.writeHead(modelResponse.statusCode ?? 502, modelResponse.headers)
      pipeline(modelResponse, response, () => {})
    })
    response.once('close', () => outer.destroy())
    pipeline(incoming, outer, () => {})
  }

  /** Counts down the number of simulated failures. */
  #hasFault(name: 'lostUploadResponses' | 'gitFailures' | 'reportFailures' | 'claimFailures'): boolean {
    const remaining = this.faults[name] ?? 0
    this.faults[name] = Math.max(0, remaining - 1)
    return remaining > 0
  }
}

const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']

/** A bare repository behind `git http-backend`. */
class SimulatedRepository {
  readonly #directory = mkdtempSync(join(tmpdir(), 'colophon-simulated-repository-'))
  readonly #bare = join(this.#directory, 'repository.git')
  readonly head: string

  constructor(files: Record<string, string>) {
    const tree = join(this.#directory, 'tree')
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true })
      writeFileSync(join(tree, path), text)
    }
    this.git('init', '--quiet', '--initial-branch=main', tree)
    this.git('-C', tree, 'add', '--all')
    this.git('-C', tree, ...identity, 'commit', '--quiet', '--message', 'First')
    this.head = this.git('-C', tree, 'rev-parse', 'HEAD')
    this.git('clone', '--quiet', '--bare', tree, this.#bare)
  }

  /** The files of a result that differ from the first commit, with their contents. */
  changesIn(bundle: Buffer | null): Record<string, string> {
    if (bundle === null) return {}
    const file = join(this.#directory, 'result.bundle')
    writeFileSync(file, bundle)
    const [commit = ''] = this.git('-C', this.#bare, 'bundle', 'unbundle', file).split(' ')
    const names = this.git('-C', this.#bare, 'diff', '--name-only', '--diff-filter=d', this.head, commit)
    const paths = names.split('\n').filter(Boolean)
    return Object.fromEntries(paths.map((path) => [path, this.git('-C', this.#bare, 'show', `${commit}:${path}`)]))
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' } }).trim()
  }

  serve(incoming: IncomingMessage, response: ServerResponse): void {
    const [path = '', query = ''] = (incoming.url ?? '').split('?')
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: '/usr/bin:/bin',
        GIT_PROJECT_ROOT: this.#directory,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: path.replace('/git', '/repository.git'),
        QUERY_STRING: query,
        REQUEST_METHOD: incoming.method,
        CONTENT_TYPE: incoming.headers['content-type'],
        HTTP_CONTENT_ENCODING: incoming.headers['content-encoding'],
        GIT_PROTOCOL: incoming.headers['git-protocol'] as string | undefined,
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    pipeline(incoming, backend.stdin, () => {})
    void buffer(backend.stdout).then((output) => {
      const headerEnd = output.indexOf('\r\n\r\n')
      const headers = new Map(
        output
          .toString('latin1', 0, headerEnd)
          .split('\r\n')
          .map((line) => line.split(': ', 2) as [string, string]),
      )
      const status = Number(headers.get('Status')?.slice(0, 3) ?? 200)
      headers.delete('Status')
      response.writeHead(status, Object.fromEntries(headers)).end(output.subarray(headerEnd + 4))
    })
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

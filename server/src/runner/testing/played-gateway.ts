/**
 * Plays the gateway for tests of the runner, on real HTTP: as strict with uploads and reports as the real one, and with its bad
 * days on demand. Git is git's own server on a bare repository; the model is the scripted one.
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
  EventUpload,
  joinReport,
  ReportHead,
  type TurnReport,
} from '../../runner-wire/runner-wire.ts'

export const runnerToken = 'colophon_runner_played'

/** One turn that the gateway gave away. */
export interface PlayedTurn {
  attemptToken: string
  events: AgentEvent[]
  /** When each sign of life came. */
  signsOfLifeMs: number[]
  report: TurnReport | undefined
}

export interface BadDays {
  /** Said in answer to every upload. */
  stop?: string
  /** What is under way is stored, and the connection cut before the answer. */
  lostUploadResponses?: number
  /** Answers before the first good one. */
  gitFailures?: number
  reportFailures?: number
  claimFailures?: number
  /** Every report of this kind is refused. */
  refusedReport?: TurnReport['kind']
  /** Uploads and reports get no answer at all. */
  hangs?: boolean
  /** As if another runner had the turn. */
  isOver?: boolean
}

interface Certificate {
  key: string
  cert: string
}

interface Answer {
  status: number
  body?: object
}

const isUpload = Compile(EventUpload)
const isReport = Compile(ReportHead)

export class PlayedGateway implements AsyncDisposable {
  readonly repository: PlayedRepository
  readonly turns = new Map<string, PlayedTurn>()
  badDays: BadDays = {}
  url = ''
  readonly #waiting: ClaimedTurn[] = []
  readonly #modelUrl: string
  readonly #server: Server

  static async start(modelUrl: string, files: Record<string, string>, tls?: Certificate): Promise<PlayedGateway> {
    const gateway = new PlayedGateway(modelUrl, files, tls)
    gateway.#server.listen(0, '127.0.0.1')
    await once(gateway.#server, 'listening')
    const { port } = gateway.#server.address() as AddressInfo
    gateway.url = tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
    return gateway
  }

  private constructor(modelUrl: string, files: Record<string, string>, tls: Certificate | undefined) {
    this.#modelUrl = modelUrl
    this.repository = new PlayedRepository(files)
    const listener = (incoming: IncomingMessage, response: ServerResponse) =>
      void this.#response(incoming, response).catch(() => response.destroy())
    this.#server = tls ? createSecureServer(tls, listener) : createServer(listener)
  }

  /** A turn, as a claim would answer it. */
  turn(change: Partial<ClaimedTurn> & Pick<ClaimedTurn, 'prompt'>): { claimed: ClaimedTurn; played: PlayedTurn } {
    const attemptToken = `colophon_attempt_${this.turns.size + 1}`
    const played: PlayedTurn = { attemptToken, events: [], signsOfLifeMs: [], report: undefined }
    this.turns.set(attemptToken, played)
    const claimed: ClaimedTurn = {
      turnId: `trn_${this.turns.size}`,
      attemptToken,
      model: 'scripted/answer',
      modelSettings: { wire: 'anthropic-messages', contextTokens: 200_000, maxOutputTokens: 8_000 },
      docsFolder: '',
      failedCheck: null,
      instructions: null,
      session: null,
      notDone: [],
      earlier: null,
      startBranch: 'main',
      deadlineAt: new Date(Date.now() + 600_000).toISOString(),
      heartbeatSeconds: 2,
      ...change,
    }
    return { claimed, played }
  }

  /** For whoever claims next. */
  offer(change: Partial<ClaimedTurn> & Pick<ClaimedTurn, 'prompt'>): PlayedTurn {
    const { claimed, played } = this.turn(change)
    this.#waiting.push(claimed)
    return played
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    this.repository.remove()
  }

  async #response(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = incoming.url ?? ''
    const token = incoming.headers.authorization?.replace('Bearer ', '')
    const refusal = this.#refusalOf(url, token)
    if (refusal === undefined && url.startsWith('/git/')) this.repository.response(incoming, response)
    else if (refusal === undefined && url.startsWith('/model/v1/')) this.#passOn(incoming, response)
    else {
      const { status, body } = refusal ?? (await this.#responseRunner(url, token, await buffer(incoming), response))
      response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
    }
  }

  #refusalOf(url: string, token: string | undefined): Answer | undefined {
    if (url === '/runner/claim') {
      if (this.#isBadDay('claimFailures')) return { status: 503 }
      return token === runnerToken ? undefined : { status: 401 }
    }
    if (url === '/readyz') return { status: 200, body: { status: 'ready' } }
    const played = this.turns.get(token ?? '')
    if (!played) return { status: 401 }
    if (this.badDays.isOver || played.report) return { status: 404 }
    return url.startsWith('/git/') && this.#isBadDay('gitFailures') ? { status: 503 } : undefined
  }

  async #responseRunner(url: string, token = '', body: Buffer, response: ServerResponse): Promise<Answer> {
    const played = this.turns.get(token)
    if (url === '/runner/claim') return this.#claim(response)
    if (this.badDays.hangs) await once(response, 'close')
    if (url === '/runner/events' && played) return this.#takeEvents(played, body)
    if (url === '/runner/result' && played) return this.#takeReport(played, body)
    return { status: 404 }
  }

  async #claim(response: ServerResponse): Promise<Answer> {
    for (let tries = 0; tries < 20 && !response.destroyed; tries++) {
      const turn = this.#waiting.shift()
      if (turn) return { status: 200, body: turn }
      await sleep(50)
    }
    return { status: 204 }
  }

  #takeEvents(played: PlayedTurn, bytes: Buffer): Answer {
    const body: unknown = JSON.parse(bytes.toString('utf8'))
    if (!isUpload.Check(body)) return { status: 400 }
    played.signsOfLifeMs.push(Date.now())
    if (body.firstIndex === played.events.length) played.events.push(...body.events)
    else if (body.firstIndex + body.events.length > played.events.length) return { status: 404 }
    if (body.events.length > 0 && this.#isBadDay('lostUploadResponses')) throw new Error('the connection is cut')
    return { status: 200, body: { stop: this.badDays.stop ?? null } }
  }

  #takeReport(played: PlayedTurn, bytes: Buffer): Answer {
    const end = bytes.indexOf('\n')
    const body: unknown = JSON.parse(bytes.toString('utf8', 0, end))
    if (this.#isBadDay('reportFailures')) return { status: 503 }
    if (!isReport.Check(body) || body.kind === this.badDays.refusedReport) return { status: 400 }
    played.report = joinReport(body, bytes.subarray(end + 1))
    return { status: played.report ? 204 : 400 }
  }

  #passOn(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url = '' } = incoming
    const outer = request(new URL(url.replace('/model', ''), this.#modelUrl), { method, headers }, (found) => {
      response.writeHead(found.statusCode ?? 502, found.headers)
      pipeline(found, response, () => {})
    })
    response.once('close', () => outer.destroy())
    pipeline(incoming, outer, () => {})
  }

  #isBadDay(name: 'lostUploadResponses' | 'gitFailures' | 'reportFailures' | 'claimFailures'): boolean {
    const left = this.badDays[name] ?? 0
    this.badDays[name] = Math.max(0, left - 1)
    return left > 0
  }
}

const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']

/** A bare repository, behind `git http-backend`. */
class PlayedRepository {
  readonly #directory = mkdtempSync(join(tmpdir(), 'colophon-played-repository-'))
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

  /** The files of a result that differ from the first commit, with what is in them. */
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

  response(incoming: IncomingMessage, response: ServerResponse): void {
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
      const at = output.indexOf('\r\n\r\n')
      const headers = new Map(
        output
          .toString('latin1', 0, at)
          .split('\r\n')
          .map((line) => line.split(': ', 2) as [string, string]),
      )
      const status = Number(headers.get('Status')?.slice(0, 3) ?? 200)
      headers.delete('Status')
      response.writeHead(status, Object.fromEntries(headers)).end(output.subarray(at + 4))
    })
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** The GitHub simulator: the API below /api/v3, git and pages at one URL, as on GitHub Enterprise Server. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ApiDescription } from './api-description.ts'
import { createGithubControl } from './control/control.ts'
import { FaultInjector } from './fault-injector.ts'
import { isGitRequest, serveGit } from './git-http.ts'
import { checkLogPathPrefix } from './operations/checks.ts'
import { servePage } from './pages/serve-pages.ts'
import { apiPath, RestApi } from './rest-api.ts'
import { State } from './state.ts'
import { WebhookEventEmitter } from './webhook-event-emitter.ts'
import { WebhookSender } from './webhook-sender.ts'

export interface GithubServerOptions {
  /** On loopback. 0 selects a free one. */
  port: number
  /** Directory of the bare repositories. */
  directory: string
  adminToken: string
  description: ApiDescription
  tls?: { key: string; cert: string }
}

export interface RunningGithubServer {
  url: string
  stop(): Promise<void>
}

export async function startGithubServer({ port, tls, ...options }: GithubServerOptions): Promise<RunningGithubServer> {
  const server = tls ? createTlsServer(tls) : createServer()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on('request', createListener(url, options))
  return {
    url,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** `url` is the one that clients use. */
function createListener(
  url: string,
  { directory, adminToken, description }: Omit<GithubServerOptions, 'port' | 'tls'>,
): RequestListener {
  const state = new State(url, directory)
  const faults = new FaultInjector()
  const deliveries = new WebhookSender(faults)
  const simulator = { state, events: new WebhookEventEmitter(state, description, deliveries) }
  const api = new RestApi(simulator, description, faults)
  const control = createGithubControl(simulator, deliveries, faults)

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestUrl = new URL(request.url ?? '/', url)
    if (requestUrl.pathname.startsWith('/_control/')) return serveControl(request, response, requestUrl)
    if (requestUrl.pathname.startsWith(`${apiPath}/`)) return serveApi(request, response, requestUrl)
    if (isGitRequest(requestUrl)) return serveGit(simulator, faults, request, response, requestUrl)
    if (requestUrl.pathname.startsWith(checkLogPathPrefix)) return serveLog(response, requestUrl)
    return servePage(simulator, request, response, requestUrl, await readAll(request))
  }

  async function serveApi(request: IncomingMessage, response: ServerResponse, requestUrl: URL): Promise<void> {
    const { response: apiResponse, isLost } = await api.handle({
      request,
      url: requestUrl,
      body: await readAll(request),
    })
    if (isLost) return void response.destroy()
    const text = apiResponse.body === undefined ? '' : JSON.stringify(apiResponse.body)
    response.writeHead(apiResponse.status, {
      ...(apiResponse.body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
      ...apiResponse.headers,
    })
    response.end(text)
  }

  function serveLog(response: ServerResponse, requestUrl: URL): void {
    const id = Number(requestUrl.pathname.slice(checkLogPathPrefix.length))
    const runs = [...state.repositories.values()].flatMap(({ checkRuns }) => checkRuns)
    const run = runs.find((checkRun) => checkRun.id === id && checkRun.logSecret === requestUrl.searchParams.get('sig'))
    response.writeHead(run ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' }).end(run?.log ?? '')
  }

  async function serveControl(request: IncomingMessage, response: ServerResponse, requestUrl: URL): Promise<void> {
    const name = requestUrl.pathname.slice('/_control/'.length)
    const body = (await readAll(request)).toString()
    if (request.headers.authorization !== `Bearer ${adminToken}`) return void response.writeHead(401).end()
    const operation = Object.hasOwn(control, name) ? control[name as keyof typeof control] : undefined
    if (!operation) return void response.writeHead(404).end(`There is no control operation ${name}.`)
    try {
      // JSON has no undefined: an omitted argument arrives as null.
      const args = (JSON.parse(body) as unknown[]).map((value) => value ?? undefined)
      const result: unknown = await (operation as (...args: unknown[]) => Promise<unknown>)(...args)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(result === undefined ? '' : JSON.stringify(result))
    } catch (error) {
      response.writeHead(400).end(error instanceof Error ? error.message : String(error))
    }
  }

  return (request, response) => {
    route(request, response).catch((error: unknown) => {
      if (!request.errored) console.error(error) // disconnected clients are not logged
      response.destroy()
    })
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

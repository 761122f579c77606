/** git over HTTP: `git http-backend` behind GitHub's authentication and permissions. */
import { spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorOf, permissionsOn } from './access.ts'
import { authenticate, type Caller } from './authenticate.ts'
import { processBranchChanges } from './branch-changes.ts'
import type { FaultInjector } from './fault-injector.ts'
import { gitEnvironment } from './git.ts'
import { isLevelAtLeast } from './permission-levels.ts'
import { fullName } from './state.ts'
import type { SimulatorContext } from './webhook-event-emitter.ts'

const gitPath = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/

export const isGitRequest = (url: URL): boolean => gitPath.test(url.pathname)

export async function serveGit(
  simulator: SimulatorContext,
  faults: FaultInjector,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { state } = simulator
  const [, owner = '', name = '', service = ''] = gitPath.exec(url.pathname) ?? []
  const account = state.account(decodeURIComponent(owner))
  const fault = faults.next(account, service)
  const isPush = (url.searchParams.get('service') ?? service) === 'git-receive-pack'
  const reject = (status: number, text: string, headers: Record<string, string> = {}) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(text)
  }
  const requestLogin = () => reject(401, 'Repository not found.', { 'www-authenticate': 'Basic realm="GitHub"' })

  if (fault === 'server_error') return reject(503, 'Service Unavailable')
  if (fault === 'slow') await sleep(faults.slowMs(account))

  let caller: Caller
  try {
    if (fault === 'bad_credentials') throw new Error('injected fault')
    caller = authenticate(state, request.headers)
  } catch {
    return reject(401, 'Invalid username or token. Password authentication is not supported for Git operations.', {
      'www-authenticate': 'Basic realm="GitHub"',
    })
  }
  const current = state.repositoryNamed(owner, name)
  const repository = current ?? state.repositoryFormerlyNamed(owner, name)
  const permissions = repository && permissionsOn(state, caller, repository)
  if (caller.kind === 'nobody' && (isPush || !permissions)) return requestLogin()
  if (!repository || !permissions) return reject(404, 'Repository not found.')
  if (!current) {
    const location = `${state.url}/${fullName(repository)}.git/${service}${url.search}`
    return reject(301, 'Moved Permanently', { location })
  }
  if (!isLevelAtLeast(permissions.contents, isPush ? 'write' : 'read')) {
    return reject(403, isPush ? 'Write access to repository not granted.' : 'Repository not found.')
  }
  if (isPush && repository.isArchived) return reject(403, 'This repository was archived so it is read-only.')
  const isToken = caller.kind === 'token' && caller.token.kind === 'fine_grained'
  const { status, headers, body } = await runBackend(request, {
    GIT_PROJECT_ROOT: repository.directory,
    PATH_INFO: `/${service}`,
    QUERY_STRING: url.search.slice(1),
    GITHUB_MAY_WRITE_WORKFLOWS: permissions.workflows === 'write' ? 'yes' : 'no',
    GITHUB_KIND_OF_CALLER: isToken ? 'a Personal Access Token' : 'a GitHub App',
  })
  // Before the response is sent, so that the API has the branch when the push returns.
  if (service === 'git-receive-pack') await processBranchChanges(simulator, repository, actorOf(caller))
  if (fault === 'lost_response') return void response.destroy()
  response.writeHead(status, headers).end(body)
}

interface BackendResponse {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Runs the backend as a CGI program. */
async function runBackend(request: IncomingMessage, variables: NodeJS.ProcessEnv): Promise<BackendResponse> {
  const { headers } = request
  const backend = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...gitEnvironment,
      ...variables,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      REMOTE_USER: 'caller', // permissions were checked above
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      ...(headers['content-length'] && { CONTENT_LENGTH: headers['content-length'] }),
    },
  })
  backend.stdin.on('error', () => {}) // it may exit without reading
  request.pipe(backend.stdin)
  const chunks: Buffer[] = []
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve, reject) => backend.once('error', reject).once('close', resolve))
  const output = Buffer.concat(chunks)
  const end = output.indexOf('\r\n\r\n')
  const fields = output
    .subarray(0, Math.max(end, 0))
    .toString()
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
  const { Status: status = '200', ...otherHeaders } = Object.fromEntries(fields) as Record<string, string>
  return end < 0
    ? { status: 500, headers: {}, body: Buffer.alloc(0) }
    : { status: Number.parseInt(status, 10), headers: otherHeaders, body: output.subarray(end + 4) }
}

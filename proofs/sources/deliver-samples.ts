/** The same requests in the logs of every host, and what has to be counted of them. */
import { createHash, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Colophon } from '../../testing/harness/colophon.ts'
import { sendHttpRequest } from '../../testing/harness/http-call.ts'
import { waitUntilLoaded } from '../ingest-rate/backlog.ts'
import type { ProofRun } from '../proof.ts'
import { createDrainProject, type DrainProject, readCounts } from './create-drain.ts'
import { type Delivery, type LoggedRequest, type LogHost, logHosts, signVercel } from './log-hosts.ts'

const host = 'docs.example.com'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const gptbot = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
const assistant =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot'
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

/** By hand: of each request, where and as what it counts. */
const table: readonly { request: Partial<LoggedRequest>; counts?: { path: string; as: 'human' | 'ai' } }[] = [
  { request: { path: '/start', userAgent: gptbot }, counts: { path: '/start', as: 'ai' } },
  { request: { path: '/start?x=1', userAgent: firefox }, counts: { path: '/start', as: 'human' } },
  { request: { path: '/start?x=1', userAgent: firefox }, counts: { path: '/start', as: 'human' } },
  { request: { path: '/guide/', userAgent: assistant, status: 304 }, counts: { path: '/guide', as: 'ai' } },
  { request: { path: '/', userAgent: firefox }, counts: { path: '/', as: 'human' } },
  { request: { path: '/start', userAgent: firefox, method: 'POST' } },
  { request: { path: '/missing', userAgent: gptbot, status: 404 } },
  { request: { path: '/logo.png', userAgent: firefox } },
  { request: { path: '/start', userAgent: googlebot } },
]
const ofOtherHost: Partial<LoggedRequest> = { path: '/start', userAgent: firefox, host: 'www.example.com' }

const expected: Record<string, string> = {
  '/': '1 human, 0 AI',
  '/guide': '0 human, 1 AI',
  '/start': '2 human, 1 AI',
}

export async function deliverSamples(run: ProofRun, colophon: Colophon): Promise<void> {
  const [api] = await Promise.all([colophon.start('api'), colophon.start('worker')])
  const projects = new Map<LogHost, DrainProject>()
  const other = await createDrainProject(colophon, api.url, { format: 'json' })
  for (const logHost of logHosts) {
    const project = await createDrainProject(colophon, api.url, {
      format: logHost.format,
      ...(logHost.hasHosts && { host }),
    })
    projects.set(logHost, project)
    await deliverHostile(run, api.url, logHost, { project, otherSecret: other.secret })
    await deliverRepeatedly(run, api.url, logHost, project)
  }
  await checkHandshakes(run, api.url, colophon)
  await waitUntilLoaded(colophon.pool, 120)
  for (const [{ name }, project] of projects) {
    const counts = await readCounts(api.url, project)
    run.check(
      JSON.stringify(sorted(counts)) === JSON.stringify(sorted(expected)),
      `${name}: the counts are those of the table: ${JSON.stringify(counts)}`,
    )
  }
  await Promise.all([api.process.stop()])
  run.figure('hosts', logHosts.map(({ name }) => name).join(', '))
}

const sorted = (counts: Record<string, string>) => Object.entries(counts).sort(([a], [b]) => a.localeCompare(b))

const newRequest = (request: Partial<LoggedRequest>): LoggedRequest => ({
  id: randomUUID(),
  at: new Date(Date.now() - 60_000),
  method: 'GET',
  host,
  path: '/',
  status: 200,
  userAgent: firefox,
  ...request,
})

const linesOf = (logHost: LogHost) => [
  ...table.map(({ request }) => logHost.writeLine(newRequest(request))),
  ...(logHost.hasHosts ? [logHost.writeLine(newRequest(ofOtherHost))] : []),
  ...logHost.otherLines,
  logHost.writeLine(newRequest({})).slice(0, 40), // a line that is not complete
]

const send = (apiUrl: string, { path }: DrainProject, { method = 'POST', query, headers, body }: Delivery) =>
  sendHttpRequest({ method, url: `${apiUrl}${path}${query}`, headers, body })

/** Twice at the same time, and where lines have IDs, out of order and one by one. */
async function deliverRepeatedly(
  run: ProofRun,
  apiUrl: string,
  logHost: LogHost,
  project: DrainProject,
): Promise<void> {
  const isJsonArray = logHost.format === 'vercel' || logHost.format === 'azure' // where a broken line breaks the batch
  const lines = linesOf(logHost).slice(0, isJsonArray ? -1 : undefined)
  const deliver = async (batch: readonly string[]) => {
    for (const delivery of logHost.deliver(batch, project.secret)) {
      const { status, text } = await send(apiUrl, project, delivery)
      run.check(status === 200, `${logHost.name}: a delivery is accepted: ${status} ${text}`)
    }
  }
  await Promise.all([deliver(lines), deliver(lines)])
  await deliver(lines)
  if (!logHost.hasIds) return
  await deliver([...lines].reverse())
  for (const line of lines) await deliver([line])
}

/** Nothing of these is counted: the requests are for pages that the table does not have. */
async function deliverHostile(
  run: ProofRun,
  apiUrl: string,
  logHost: LogHost,
  { project, otherSecret }: { project: DrainProject; otherSecret: string },
): Promise<void> {
  const lines = ['/forged-1', '/forged-2'].map((path) => logHost.writeLine(newRequest({ path })))
  const [valid] = logHost.deliver(lines, project.secret)
  const [ofOther] = logHost.deliver(lines, otherSecret)
  if (!valid || !ofOther) throw new Error(`${logHost.name} delivers nothing`)
  const forged: Record<string, Delivery> = {
    'without a proof of origin': { ...valid, query: '', headers: ['content-type', 'application/json'] },
    'with the secret of another drain': ofOther,
    'with the API key of the project': {
      ...valid,
      query: '',
      headers: ['authorization', `Bearer ${project.key}`, 'content-type', 'application/json'],
    },
    'with a wrong signature': {
      ...valid,
      query: '',
      headers: ['content-type', 'application/json', 'x-vercel-signature', signVercel(valid.body, 'another secret')],
    },
  }
  if (logHost.format === 'vercel')
    forged['changed after it was signed'] = {
      ...valid,
      body: Buffer.from(String(valid.body).replace('forged', 'change')),
    }
  for (const [what, delivery] of Object.entries(forged)) {
    const { status } = await send(apiUrl, project, delivery)
    run.check(status === 401, `${logHost.name}: a delivery ${what} is refused: ${status}`)
  }
  const cut = { ...valid, body: valid.body.subarray(0, valid.body.length - 30) }
  if (valid.headers.includes('x-vercel-signature'))
    cut.headers = [...valid.headers.slice(0, -1), signVercel(cut.body, project.secret)]
  if (logHost.format === 'vercel' || logHost.format === 'azure' || valid.headers.includes('gzip')) {
    const { status } = await send(apiUrl, project, cut)
    run.check(status === 400, `${logHost.name}: a delivery that is cut off is refused: ${status}`)
  }
}

async function checkHandshakes(run: ProofRun, apiUrl: string, colophon: Colophon): Promise<void> {
  const { projectId, key, drainId, path } = await createDrainProject(colophon, apiUrl, { format: 'vercel' })
  await sendHttpRequest({
    method: 'PATCH',
    url: `${apiUrl}/v1/analytics/${projectId}/log-drains/${drainId}`,
    headers: ['authorization', `Bearer ${key}`, 'content-type', 'application/json'],
    body: '{"verification":"8f2c"}',
  })
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', undefined],
    ['POST', '[]'],
  ] as const) {
    const answer = await sendHttpRequest({ method, url: apiUrl + path, headers: [], ...(body && { body }) })
    const isVerified = answer.status === 200 && answer.headers['x-vercel-verify'] === '8f2c'
    run.check(isVerified, `Vercel verifies the URL with ${method} ${body ?? 'without a body'}: ${answer.status}`)
  }
  const fastly = await createDrainProject(colophon, apiUrl, { format: 'fastly' })
  await sendHttpRequest({
    method: 'PATCH',
    url: `${apiUrl}/v1/analytics/${fastly.projectId}/log-drains/${fastly.drainId}`,
    headers: ['authorization', `Bearer ${fastly.key}`, 'content-type', 'application/json'],
    body: '{"verification":"SU1Z0isxPaozGVKXdv0eY"}',
  })
  const challenge = await sendHttpRequest({
    method: 'GET',
    url: `${apiUrl}/.well-known/fastly/logging/challenge`,
    headers: [],
  })
  const serviceHash = createHash('sha256').update('SU1Z0isxPaozGVKXdv0eY').digest('hex')
  const mayBeUsed = challenge.status === 200 && challenge.text.split('\n').includes(serviceHash)
  run.check(mayBeUsed && !challenge.text.includes('*'), `only this Fastly service may send logs: ${challenge.text}`)
  const cloudflare = await createDrainProject(colophon, apiUrl, { format: 'cloudflare' })
  const test = await sendHttpRequest({
    method: 'POST',
    url: apiUrl + cloudflare.path,
    headers: ['authorization', `Bearer ${cloudflare.secret}`, 'content-encoding', 'gzip'],
    body: gzipSync('{"content":"test"}'),
  })
  run.check(test.status === 200, `Cloudflare's test upload is accepted: ${test.status}`)
}

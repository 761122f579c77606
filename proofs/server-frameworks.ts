/**
 * Sites of real server frameworks report their requests with the examples of the docs, copied as a reader copies them. The requests are
 * those of people, AI clients and others.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { prepareColophon } from '../testing/harness/colophon.ts'
import type { ColophonProcess } from '../testing/harness/colophon-process.ts'
import { sendHttpRequest } from '../testing/harness/http-call.ts'
import { operator } from '../testing/harness/test-instance.ts'
import { freePort } from '../testing/services/free-port.ts'
import { ManagedProcess } from '../testing/services/managed-process.ts'
import { runCommand } from '../testing/services/run-command.ts'
import { waitUntilLoaded } from './ingest-rate/backlog.ts'
import type { ProofRun } from './proof.ts'
import { type Framework, frameworks } from './server-frameworks/frameworks.ts'
import { install } from './site-generators/install.ts'
import { readCounts } from './sources/create-drain.ts'

export const guarantee = 'With the examples of the docs, each server framework reports each page view once'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const gptbot = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'

interface SiteRequest {
  path: string
  userAgent: string
  method?: string
  headers?: readonly string[]
}

const requests: readonly SiteRequest[] = [
  { path: '/docs/start?x=1', userAgent: firefox },
  { path: '/docs/start', userAgent: firefox },
  { path: '/docs/start', userAgent: gptbot },
  { path: '/docs/start', userAgent: firefox, headers: ['sec-purpose', 'prefetch'] },
  { path: '/docs/start', userAgent: firefox, method: 'HEAD' },
  { path: '/missing', userAgent: gptbot },
]
const expected = { '/docs/start': '2 human, 1 AI' }

/** Arguments after `--` select frameworks by their id. */
export async function prove(run: ProofRun): Promise<void> {
  const colophon = await prepareColophon(run, 'frameworks')
  const [api] = await Promise.all([colophon.start('api'), colophon.start('worker')])
  const selected = frameworks.filter(({ id }) => run.args.length === 0 || run.args.includes(id))
  const versions: string[] = []
  for (const framework of selected) {
    const project = await colophon.createProject(framework.id)
    await colophon.stores.analyticsSettings.change(project.projectId, { humanSource: 'servers' }, operator)
    await visitSite(run, framework, api, project)
    await waitUntilLoaded(colophon.pool, 60)
    const counts = await readCounts(api.url, project)
    const isExact = JSON.stringify(counts) === JSON.stringify(expected)
    run.check(isExact, `${framework.id}: the page views are those of the requests: ${JSON.stringify(counts)}`)
    versions.push(framework.packages[0] ?? framework.id)
  }
  run.figure('frameworks', versions.join(', '))
}

async function visitSite(
  run: ProofRun,
  framework: Framework,
  api: ColophonProcess,
  { projectId, key }: { projectId: string; key: string },
): Promise<void> {
  const { id, packages, files, build, start } = framework
  const installed = await install(`framework-${id}`, { from: 'npm', packages })
  // JavaScript finds packages in the directories above it, and Next does not follow a link to them.
  const directory = await mkdtemp(join(installed, 'site-'))
  run.cleanUp(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }))
  for (const [path, contents] of Object.entries(files)) {
    await mkdir(join(directory, dirname(path)), { recursive: true })
    await writeFile(join(directory, path), contents)
  }
  const env = {
    ...process.env,
    CI: '1',
    DO_NOT_TRACK: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
    NEXT_TELEMETRY_DISABLED: '1',
  }
  const bin = join(installed, 'node_modules/.bin')
  for (const [command = '', ...options] of build)
    await runCommand([join(bin, command), ...options], { cwd: directory, env })

  const port = await freePort()
  const siteUrl = `http://127.0.0.1:${port}`
  const [program = '', ...options] = start(String(port))
  const site = new ManagedProcess({
    name: id,
    command: [program === 'node' ? 'node' : join(bin, program), ...options],
    cwd: directory,
    logFile: join(directory, 'site.log'),
    env: {
      ...env,
      PORT: String(port),
      HOST: '127.0.0.1',
      COLOPHON_URL: api.url,
      COLOPHON_PROJECT_ID: projectId,
      COLOPHON_API_KEY: key,
    },
    isReady: async () => (await sendHttpRequest({ method: 'GET', url: `${siteUrl}/ready.txt` })).status > 0,
    readyWithinSeconds: 60,
  })
  run.cleanUp(() => site.stop())
  await site.start()
  for (const { method = 'GET', path, userAgent, headers = [] } of requests) {
    const { status } = await sendHttpRequest({
      method,
      url: siteUrl + path,
      headers: ['user-agent', userAgent, ...headers],
    })
    const expectedStatus = path === '/missing' ? 404 : 200
    run.check(status === expectedStatus, `${id}: ${method} ${path} is answered with ${expectedStatus}: ${status}`)
  }
  await waitForViews(api, { projectId, key })
  await site.stop()
  run.log(`${id}: ${requests.length} requests`)
}

/** The examples send a batch per second. */
async function waitForViews(
  api: ColophonProcess,
  { projectId, key }: { projectId: string; key: string },
): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const counts = await readCounts(api.url, { projectId, key })
    if (JSON.stringify(counts) === JSON.stringify(expected) || Date.now() > deadline) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

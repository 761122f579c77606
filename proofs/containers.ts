/** Colophon as its users run it: the images and compose files in deploy/, in a container runtime. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Client, createClient } from '../sdk/src/index.ts'
import { createBrowserClient } from '../testing/harness/browser-client.ts'
import { personPassword } from '../testing/harness/people.ts'
import { waitForJob } from '../testing/harness/wait-for-job.ts'
import { buildColophonImage } from '../testing/services/containers/colophon-images.ts'
import { type ContainerRuntime, findOrStartContainerRuntime } from '../testing/services/containers/container-runtime.ts'
import { baseImages, ensureBaseImages } from '../testing/services/containers/substitute-images.ts'
import { freePort } from '../testing/services/free-port.ts'
import { runClientsInContainers } from './containers/client-containers.ts'
import { ComposeProject } from './containers/compose-project.ts'
import { measureUnderLoad } from './containers/measure-under-load.ts'
import { restoreFromBackup } from './containers/restore-from-backup.ts'
import { createTlsFetch } from './containers/tls-client.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'docker compose up starts everything from one file, keeps its data, restores it from a backup, and recovers from the crash of any container'

const firstOwnerEmail = 'first@example.com'
const maxLongRunning = 6
const maxMemoryBytes = 4 * 1024 ** 3
/** Beside Colophon, for the job: see deploy/compose.demo.yml. */
const demoServices = ['gitea', 'model']

interface Project {
  projectId: string
  apiKey: string
  client: Client
}

export async function prove(run: ProofRun): Promise<void> {
  const runtime = await findOrStartContainerRuntime(run.log)
  run.cleanUp(() => runtime.stop())
  await prepareImages(run, runtime)

  const ports = { api: await freePort(), gitea: await freePort(), https: await freePort() }
  const url = `http://localhost:${ports.api}`
  const env = {
    COLOPHON_PUBLIC_URL: url,
    API_ADDRESS: `127.0.0.1:${ports.api}`,
    GITEA_PORT: String(ports.gitea),
    HTTPS_ADDRESS: `127.0.0.1:${ports.https}`,
  }
  const name = `colophon-proof-${ports.api}`
  const files = ['compose.yml', 'compose.demo.yml']
  const compose = new ComposeProject(runtime, { name, env, files })
  run.cleanUp(() => compose.run('down', '--volumes', '--timeout', '10'))

  run.figure('seconds from docker compose up to healthy', (await compose.up()).toFixed(0))
  run.log('everything is healthy')
  const owner = await createFirstOwner(run, compose, url)
  const project = await readDemoProject(compose, url)
  const firstJob = await completesJob(run, project, 'the first job')
  await countsViews(run, project, 1)
  await runClientsInContainers(run, runtime, { url, projectId: project.projectId, apiKey: project.apiKey })
  await checkContainers(run, compose)
  await checkRunner(run, compose)
  await checkUpgradeCommands(run, compose)

  const keepsItsData = async (rounds: number, after: string) => {
    const { jobs } = await project.client.jobs.list(project.projectId)
    run.check(
      jobs.some(({ id }) => id === firstJob),
      `the first job is there after ${after}`,
    )
    await countsViews(run, project, rounds)
    await owner.signIn()
    await completesJob(run, project, `a job after ${after}`)
  }
  await compose.run('down')
  run.figure('seconds from down to healthy again', (await compose.up()).toFixed(0))
  await keepsItsData(2, 'down and up')
  await restoreFromBackup(run, runtime, { name, env, files })
  await keepsItsData(3, 'the restore of a backup')

  await measureUnderLoad(run, compose, { ...project, seconds: run.size === 'ci' ? 20 : 120 })

  if (run.size === 'ci') return
  const tlsEnv = { ...env, COLOPHON_PUBLIC_URL: 'https://localhost' }
  const withTls = new ComposeProject(runtime, { name, env: tlsEnv, files: [...files, 'compose.tls.yml'] })
  run.cleanUp(() => withTls.run('down', '--volumes', '--timeout', '10'))
  await withTls.up()
  await checkTls(run, withTls, project.projectId, ports.https)
  run.log('Caddy terminates TLS')
  await crashEachContainer(run, withTls, project)
}

async function prepareImages(run: ProofRun, runtime: ContainerRuntime): Promise<void> {
  const names = Object.keys(baseImages) as (keyof typeof baseImages)[]
  const substitutes = await ensureBaseImages(
    runtime,
    names.filter((name) => name !== 'caddy' || run.size !== 'ci'),
    run.log,
  )
  run.figure('images that are substitutes', substitutes.map((name) => baseImages[name]).join(', ') || 'none')
  for (const target of ['server', 'runner', 'demo'] as const) {
    run.log(`building ${target}`)
    const image = await buildColophonImage(runtime, target)
    const bytes = Number(await runtime.docker(['image', 'inspect', '--format', '{{.Size}}', image]))
    if (target !== 'demo')
      run.figure(`size of the image ${target}`, `${(bytes / 1e6).toFixed(0)} MB`, sizeTarget(bytes))
  }
}

const sizeTarget = (bytes: number) => ({ goal: '≤ 450 MB', isMet: bytes <= 450e6 })

async function createFirstOwner(run: ProofRun, compose: ComposeProject, url: string) {
  const log = await compose.logs('api')
  const link = /"url":"([^"]*\/welcome#[^"]*)"/.exec(log)?.[1] ?? ''
  run.check(link.startsWith(url), `the log of api has the link of the first owner: ${link.slice(0, url.length + 9)}`)
  const { client } = createBrowserClient(url)
  const token = new URL(link).hash.slice(1)
  await client.session.createFirstOwner({ token, name: 'The First', email: firstOwnerEmail, password: personPassword })
  return {
    signIn: () => createBrowserClient(url).client.session.signIn({ email: firstOwnerEmail, password: personPassword }),
  }
}

/** From the commands that the demo prints. */
async function readDemoProject(compose: ComposeProject, url: string): Promise<Project> {
  const log = await compose.logs('demo')
  const value = (name: string) => new RegExp(`${name}=(\\S+)`).exec(log)?.[1] ?? ''
  const apiKey = value('COLOPHON_API_KEY')
  return { projectId: value('COLOPHON_PROJECT_ID'), apiKey, client: createClient({ baseUrl: url, apiKey }) }
}

async function completesJob(run: ProofRun, project: Project, what: string): Promise<string> {
  const startedAt = performance.now()
  const { id } = await project.client.jobs.create(project.projectId, {
    prompt: `Document the --proxy flag in docs/install.md for ${what}`,
  })
  const job = await waitForJob(project, id, { withinSeconds: 180 })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  run.check(
    job.status === 'completed' && job.outcome === 'pull_request',
    `${what} becomes a pull request: ${job.status}, ${job.outcome}, ${JSON.stringify(job.error)}`,
  )
  const page = job.prLink ? await fetch(job.prLink).catch(() => undefined) : undefined
  run.check(page?.ok === true, `the link of its pull request opens in a browser on this machine: ${job.prLink}`)
  run.log(`${what} became a pull request after ${seconds} s`)
  return id
}

const userAgents = {
  human: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  ai: 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)',
}

/** Sends the view of a person and of an AI, and waits until all so far are counted. */
async function countsViews(run: ProofRun, { client, projectId }: Project, rounds: number): Promise<void> {
  const views = Object.values(userAgents).map((userAgent) => ({ path: '/docs/install', userAgent }))
  await client.views.ingest(projectId, { views })
  const read = async () => {
    const { human, ai } = (await client.views.list(projectId, {})).totals
    return { human, ai }
  }
  let counted = await read()
  for (let attempts = 0; attempts < 30 && counted.human + counted.ai < 2 * rounds; attempts++) {
    await sleep(1000)
    counted = await read()
  }
  run.check(
    counted.human === rounds && counted.ai === rounds,
    `${rounds} views of people and ${rounds} of AI are counted: ${JSON.stringify(counted)}`,
  )
}

async function checkContainers(run: ProofRun, compose: ComposeProject): Promise<void> {
  const containers = (await compose.runningContainers()).filter(({ service }) => !demoServices.includes(service))
  run.check(containers.length <= maxLongRunning, `at most ${maxLongRunning} containers: ${containers.length}`)
  for (const { service, uids, isRootReadOnly, usedBytes } of containers) {
    run.check(uids.length > 0 && !uids.includes(0), `no process of ${service} runs as root: user IDs ${uids}`)
    run.check(isRootReadOnly, `the file system of ${service} is read-only`)
    run.figure(`memory of ${service}`, `${(usedBytes / 1024 ** 2).toFixed(0)} MiB`)
  }
  const used = containers.reduce((sum, { usedBytes }) => sum + usedBytes, 0)
  const limits = containers.reduce((sum, { limitBytes }) => sum + limitBytes, 0)
  run.check(limits > 0 && limits < maxMemoryBytes, `the memory limits add up to less than 4 GiB: ${limits} bytes`)
  run.figure('memory of all containers', `${(used / 1024 ** 2).toFixed(0)} MiB`)
  run.figure('sum of the memory limits', `${(limits / 1024 ** 2).toFixed(0)} MiB`)
}

/** The runner starts only if every part of its self-test succeeds. */
async function checkRunner(run: ProofRun, compose: ComposeProject): Promise<void> {
  const log = await compose.logs('runner')
  run.check(log.includes('ready: waiting for turns'), 'the self-test of the sandbox succeeds in the container')
}

/** As deploy/README.md shows them. */
async function checkUpgradeCommands(run: ProofRun, compose: ComposeProject): Promise<void> {
  const upgrade = (option: string) => {
    const program = ['migrate', 'server/src/main/colophon-server.ts', 'upgrade', option]
    return compose.run('run', '--rm', '-T', '--no-deps', '--entrypoint', 'node', ...program)
  }
  const plan = await upgrade('--check')
  run.check(plan.includes('the instance is up to date'), `upgrade --check reads the instance: ${plan}`)
  await upgrade('--finish') // rejects if the exit code is not 0
}

/** Caddy has a certificate of its own authority for `localhost`, and one of Let's Encrypt for other names. */
async function checkTls(run: ProofRun, compose: ComposeProject, projectId: string, port: number): Promise<void> {
  const url = 'https://localhost'
  const authority = await compose.run('exec', '-T', 'caddy', 'cat', '/data/caddy/pki/authorities/local/root.crt')
  const tlsFetch = createTlsFetch(port, authority)

  const credentials = { email: firstOwnerEmail, password: personPassword }
  const signedIn = await tlsFetch(`${url}/v2/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(credentials),
  })
  const cookie = signedIn.headers.getSetCookie().join()
  run.check(
    signedIn.ok && /__Host-.*; Secure/.test(cookie),
    `a session behind Caddy has a secure cookie: status ${signedIn.status}, ${cookie.replace(/=[^;]*/, '=…')}`,
  )

  const forgedAddress = '203.0.113.9'
  const statusOfKeyFrom = async (networks: string) => {
    const options = ['--project', projectId, '--name', networks, '--networks', networks]
    const key = (
      await compose.run('run', '--rm', '-T', '--no-deps', 'api', 'admin', 'key', 'create', ...options)
    ).trim()
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': forgedAddress }
    return (await tlsFetch(`${url}/v2/me`, { headers })).status
  }
  const statuses = {
    'of the client': await statusOfKeyFrom(await compose.networkGateway('outside')),
    'that the client claims': await statusOfKeyFrom(forgedAddress),
    'of Caddy': await statusOfKeyFrom((await compose.addressesOf('caddy')).join()),
  }
  run.check(
    isDeepStrictEqual(statuses, { 'of the client': 200, 'that the client claims': 403, 'of Caddy': 403 }),
    `api takes the address that Caddy saw for that of the client: ${JSON.stringify(statuses)}`,
  )
}

async function crashEachContainer(run: ProofRun, compose: ComposeProject, project: Project): Promise<void> {
  const services = (await compose.runningContainers()).map(({ service }) => service)
  for (const service of services.filter((name) => !demoServices.includes(name))) {
    await compose.crash(service)
    await sleep(2000) // before that, the runtime may still report the state before the crash
    const seconds = await compose.waitUntilHealthy(120)
    run.figure(`seconds from the crash of ${service} to healthy`, (seconds + 2).toFixed(0))
    await completesJob(run, project, `a job after the crash of ${service}`)
  }
}

/**
 * Colophon with projects on a stand-in for GitHub of its own: most are connected through one App, as people do it on the pages,
 * some with a token. The runners read by the gateway, so that they too depend on what GitHub answers.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { ColophonProcess } from '../../../dev-services/colophon.ts'
import { type GithubAddress, type GithubControl, githubControl } from '../../../dev-services/github/github-control.ts'
import { githubPerson } from '../../../dev-services/github/github-person.ts'
import { startGithub } from '../../../dev-services/start-github.ts'
import type { Client } from '../../../sdk/src/index.ts'
import { ofTokens } from '../../../server/src/code-hosts/testing/github-repository.ts'
import { generateKey, hashOfKey } from '../../../server/src/keys/key-format.ts'
import { scopes } from '../../../server/src/keys/scopes.ts'
import { openStores, type Stores } from '../../../server/src/main/open-stores.ts'
import { loadPostgresConfig } from '../../../server/src/platform/config.ts'
import type { Id } from '../../../server/src/platform/ids.ts'
import { createLog } from '../../../server/src/platform/log.ts'
import { createPool } from '../../../server/src/platform/postgres.ts'
import { type ProofRun, seededRandom } from '../../proof.ts'
import { firstOwner, type SignedInPerson } from '../people.ts'
import { runningService } from '../running-service.ts'
import { gatewayGit, handingBack, scriptedWork } from '../scripted-work.ts'
import { startTestRunner, type Work } from '../test-runner.ts'

export interface GithubStage {
  control: GithubControl
  github: GithubAddress
  api: ColophonProcess
  stores: Stores
  pool: Pool
  /** Runs the installation, and owns the projects; on GitHub each has an owner of its own. */
  owner: SignedInPerson
  projects: readonly GithubProject[]
}

export interface GithubProject {
  projectId: Id<'prj'>
  key: string
  repositoryId: number
  /** As it was connected. */
  repository: { owner: string; name: string }
  access: 'app' | 'token'
  /** Of today first. */
  names: string[]
  /** Repositories that were given a name which this one had before. */
  decoys: number[]
  base: {
    /** What `main` leads to, oldest first. */
    line: string[]
    /** All that it ever led to. */
    ever: Set<string>
  }
}

const operator = { kind: 'operator' } as const
const runnersPerWorker = 6
const files = { 'README.md': '# Project\n', 'docs/index.md': '# Welcome\n' }

/** Short where something waits, long where a turn would be given up. */
const timers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '10',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '30',
  COLOPHON_JOB_DEADLINE_SECONDS: '900',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '900',
}

export async function setGithubStage(run: ProofRun, projectCount: number): Promise<GithubStage> {
  const service = await runningService(run, 'github-misbehaves')
  const { part, address: github } = await startGithub(join(service.directory, 'github'))
  run.cleanUp(() => part.stop())
  const control = githubControl(github)
  const settings = {
    ...timers,
    COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(github.url).host,
    COLOPHON_GITHUB_URLS: github.url,
  }
  const [api, ...workers] = await Promise.all([
    service.startApi(settings),
    service.startWorker(settings),
    service.startWorker(settings),
  ])
  const config = loadPostgresConfig(service.environment)
  const pool = createPool(config.postgres, createLog('proof', { level: 'error' }))
  run.cleanUp(() => pool.end())
  const stores = openStores(pool)

  const ids: Id<'prj'>[] = []
  for (let number = 1; number <= projectCount; number++)
    ids.push((await stores.projects.create(`Docs ${number}`, operator)).id)
  const owner = await firstOwner(api.url, service.environment) // and owner of all these, which had nobody
  await makeApp(control, github, owner)
  const projects = await Promise.all(
    ids.map((projectId, index) => connect({ control, github, stores, owner }, projectId, index)),
  )

  const token = generateKey('colophon_runner_')
  await stores.runners.create('test runners', hashOfKey(token), null)
  const random = seededRandom(run.seed + 1)
  const runners = workers.flatMap(({ url }) => {
    const work = lingering(handingBack(scriptedWork(gatewayGit(url))), random)
    return Array.from({ length: runnersPerWorker }, () => startTestRunner(url, token, work))
  })
  run.cleanUp(() => Promise.all(runners.map((runner) => runner.stop())))
  return { control, github, api, stores, pool, owner, projects }
}

/** As from its manifest, but open to other accounts. */
async function makeApp(control: GithubControl, github: GithubAddress, operatorPerson: SignedInPerson): Promise<void> {
  await control.makeUser('maker')
  const { action, manifest } = await operatorPerson.client.github.startApp({ baseUrl: github.url })
  const wanted = { ...(JSON.parse(manifest) as object), name: 'Colophon', public: true }
  const back = await (await githubPerson(github, 'maker')).createApp(action, JSON.stringify(wanted))
  await operatorPerson.client.github.completeApp(broughtBy(back))
}

async function connect(
  { control, github, stores, owner }: Pick<GithubStage, 'control' | 'github' | 'stores' | 'owner'>,
  projectId: Id<'prj'>,
  index: number,
): Promise<GithubProject> {
  const login = `owner-${index + 1}`
  await control.makeUser(login)
  const { id: repositoryId, name, head } = await control.makeRepository(login, 'docs', { files })
  const wanted = { name: 'client', scopes, allowedNetworks: [], expiresAt: null }
  const { secret: key } = await stores.keys.create(projectId, wanted, operator)
  const access = index % 4 === 1 ? 'token' : 'app'
  const where = { baseBranch: 'main', docsFolder: 'docs' }
  if (access === 'token') {
    const token = await control.makeFineGrainedToken(login, { repositories: [repositoryId], permissions: ofTokens })
    const at = { host: 'github', url: github.url, owner: login, name } as const
    await owner.client.repository.connect(projectId, { ...at, ...where, token })
  } else {
    await connectByApp({ github, client: owner.client, login }, projectId, repositoryId)
  }
  return {
    projectId,
    key,
    repositoryId,
    access,
    repository: { owner: login, name },
    names: [name],
    decoys: [],
    base: { line: [head], ever: new Set([head]) },
  }
}

/** The way through GitHub's pages and back. Returns the installation's number. */
export async function connectByApp(
  { github, client, login }: { github: GithubAddress; client: Client; login: string },
  projectId: string,
  repositoryId: number,
): Promise<number> {
  const { installUrl } = await client.github.startAuthorization(projectId, { baseUrl: github.url })
  const back = await (await githubPerson(github, login)).install(installUrl, [repositoryId])
  const { authorizationId } = await client.github.completeAuthorization(projectId, broughtBy(back))
  await client.github.connectRepository(projectId, {
    authorizationId,
    repositoryId,
    baseBranch: 'main',
    docsFolder: 'docs',
  })
  return Number(back.searchParams.get('installation_id'))
}

export const broughtBy = ({ searchParams }: URL) => ({
  code: searchParams.get('code') ?? '',
  state: searchParams.get('state') ?? '',
})

/** Between the clone and the report there is time for the base to move. */
const lingering =
  (work: Work, random: () => number): Work =>
  async (turn, stopped) => {
    const report = await work(turn, stopped)
    await sleep(random() * 2_000, undefined, { signal: stopped }).catch(() => {})
    return stopped.aborted ? { kind: 'stopped' } : report
  }

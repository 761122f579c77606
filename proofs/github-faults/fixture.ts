/**
 * Colophon with projects on a GitHub simulator of its own. Most are connected through one App, as on GitHub's pages, some with
 * a token. The runners clone through the gateway, so that they depend on GitHub's responses as well.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signInToGithubSimulator } from '@colophon/github-simulator/browser-session'
import {
  createGithubControlClient,
  type GithubControl,
  type GithubSimulatorAccess,
} from '@colophon/github-simulator/control'
import type { Client } from '../../sdk/src/index.ts'
import { personalTokenPermissions } from '../../server/src/code-hosts/testing/github-test-repository.ts'
import type { Id } from '../../server/src/platform/ids.ts'
import { type Colophon, prepareColophon } from '../../testing/harness/colophon.ts'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import { createFirstOwner, type SignedInPerson } from '../../testing/harness/people.ts'
import {
  createGatewayRemoteResolver,
  createPromptScriptExecutor,
  releaseAttemptOnError,
} from '../../testing/harness/scripted-work.ts'
import { operator } from '../../testing/harness/test-instance.ts'
import { type ExecuteTurn, startTestRunner } from '../../testing/harness/test-runner.ts'
import { startGithubSimulator } from '../../testing/services/start-github-simulator.ts'
import { type ProofRun, seededRandom } from '../proof.ts'

export interface GithubFixture extends Pick<Colophon, 'stores' | 'pool' | 'createKey'> {
  control: GithubControl
  github: GithubSimulatorAccess
  api: ColophonProcess
  /** The operator of the instance, who owns all projects; on GitHub each repository has an owner of its own. */
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
  /** The current name first. */
  names: string[]
  /** Ids of repositories that took a former name of this one. */
  decoys: number[]
  base: {
    /** Commits on `main`, oldest first. */
    history: string[]
    /** All commits that were ever on `main`. */
    allCommits: Set<string>
  }
}

const runnersPerWorker = 6
const files = { 'README.md': '# Project\n', 'docs/index.md': '# Welcome\n' }

/** Short intervals, and long timeouts so that no turn is given up. */
const timers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '10',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '30',
  COLOPHON_JOB_DEADLINE_SECONDS: '900',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '900',
}

export async function createGithubFixture(run: ProofRun, projectCount: number): Promise<GithubFixture> {
  const colophon = await prepareColophon(run, 'github-faults', { settings: timers })
  const { stores, pool, createKey } = colophon
  const { process: simulator, address: github } = await startGithubSimulator(join(colophon.directory, 'github'))
  run.cleanUp(() => simulator.stop())
  const control = createGithubControlClient(github)
  const settings = {
    COLOPHON_EGRESS_ALLOWED_CODE_HOSTS: new URL(github.url).host,
    COLOPHON_GITHUB_URLS: github.url,
  }
  const [api, ...workers] = await Promise.all([
    colophon.start('api', settings),
    colophon.start('worker', settings),
    colophon.start('worker', settings),
  ])

  const ids: Id<'prj'>[] = []
  for (let number = 1; number <= projectCount; number++)
    ids.push((await stores.projects.create(`Docs ${number}`, operator)).id)
  const owner = await createFirstOwner(api.url, colophon) // becomes the owner of all projects, which had none
  await createApp(control, github, owner)
  const projects = await Promise.all(
    ids.map((projectId, index) => connect({ control, github, createKey, owner }, projectId, index)),
  )

  const token = await colophon.createRunnerToken()
  const random = seededRandom(run.seed + 1)
  const runners = workers.flatMap(({ url }) => {
    const work = withDelay(releaseAttemptOnError(createPromptScriptExecutor(createGatewayRemoteResolver(url))), random)
    return Array.from({ length: runnersPerWorker }, () => startTestRunner(url, token, work))
  })
  run.cleanUp(() => Promise.all(runners.map((runner) => runner.stop())))
  return { control, github, api, stores, pool, createKey, owner, projects }
}

/** From its manifest, but public, so that other accounts can install it. */
async function createApp(
  control: GithubControl,
  github: GithubSimulatorAccess,
  operatorPerson: SignedInPerson,
): Promise<void> {
  await control.createUser('app-owner')
  const { action, manifest } = await operatorPerson.client.github.startApp({ baseUrl: github.url })
  const publicManifest = { ...(JSON.parse(manifest) as object), name: 'Colophon', public: true }
  const callbackUrl = await (await signInToGithubSimulator(github, 'app-owner')).createApp(
    action,
    JSON.stringify(publicManifest),
  )
  await operatorPerson.client.github.completeApp(callbackParameters(callbackUrl))
}

async function connect(
  { control, github, createKey, owner }: Pick<GithubFixture, 'control' | 'github' | 'createKey' | 'owner'>,
  projectId: Id<'prj'>,
  index: number,
): Promise<GithubProject> {
  const login = `owner-${index + 1}`
  await control.createUser(login)
  const { id: repositoryId, name, head } = await control.createRepository(login, 'docs', { files })
  const { secret: key } = await createKey(projectId)
  const access = index % 4 === 1 ? 'token' : 'app'
  const branchSettings = { baseBranch: 'main', docsFolder: 'docs' }
  if (access === 'token') {
    const token = await control.createFineGrainedToken(login, {
      repositories: [repositoryId],
      permissions: personalTokenPermissions,
    })
    const location = { host: 'github', url: github.url, owner: login, name } as const
    await owner.client.repository.connect(projectId, { ...location, ...branchSettings, token })
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
    base: { history: [head], allCommits: new Set([head]) },
  }
}

/** Installs the App through GitHub's pages and connects the repository. Returns the installation id. */
export async function connectByApp(
  { github, client, login }: { github: GithubSimulatorAccess; client: Client; login: string },
  projectId: string,
  repositoryId: number,
): Promise<number> {
  const { installUrl } = await client.github.startAuthorization(projectId, { baseUrl: github.url })
  const callbackUrl = await (await signInToGithubSimulator(github, login)).install(installUrl, [repositoryId])
  const { authorizationId } = await client.github.completeAuthorization(projectId, callbackParameters(callbackUrl))
  await client.github.connectRepository(projectId, {
    authorizationId,
    repositoryId,
    baseBranch: 'main',
    docsFolder: 'docs',
  })
  return Number(callbackUrl.searchParams.get('installation_id'))
}

export const callbackParameters = ({ searchParams }: URL) => ({
  code: searchParams.get('code') ?? '',
  state: searchParams.get('state') ?? '',
})

/** Waits between the clone and the report, so that the base can move. */
const withDelay =
  (work: ExecuteTurn, random: () => number): ExecuteTurn =>
  async (turn, stopped) => {
    const report = await work(turn, stopped)
    await sleep(random() * 2_000, undefined, { signal: stopped }).catch(() => {})
    return stopped.aborted ? { kind: 'stopped' } : report
  }

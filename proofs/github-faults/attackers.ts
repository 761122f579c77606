/**
 * Attackers who are signed in, own projects and installed the App on a repository of their own, and who try to connect one of
 * their projects to another person's repository. They can even read those repositories.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { signInToGithubSimulator } from '@colophon/github-simulator/browser-session'
import { ColophonError } from '../../sdk/src/index.ts'
import { sendHttpRequest } from '../../testing/harness/http-call.ts'
import { createInvitedMember, type SignedInPerson } from '../../testing/harness/people.ts'
import type { ProofRun } from '../proof.ts'
import { callbackParameters, connectByApp, type GithubFixture, type GithubProject } from './fixture.ts'
import { pickOne, type Tally } from './tally.ts'

export const connectionAttackKinds = [
  'forged installation in the callback',
  'forged installation when connecting',
  "another person's state",
  "own code and state in an owner's browser",
  'repository without the App',
  'authorization of another project',
  'authorization of another person',
  'token for another repository',
] as const
export type ConnectionAttackKind = (typeof connectionAttackKinds)[number]

export interface Attacker {
  person: SignedInPerson
  login: string
  /** The project that is connected to their own repository. */
  own: { projectId: string; repositoryId: number; installationId: number }
  /** The project that is not connected, and must stay so. */
  emptyId: string
  token: string
}

const ownRepositoryName = 'own'
const branchSettings = { baseBranch: 'main', docsFolder: '' }
const signInEveryMs = 5 * 60_000

export async function createAttacker(fixture: GithubFixture, login: string): Promise<Attacker> {
  const { control, github, api, owner, projects } = fixture
  const email = `${login}@example.com`
  const role = 'owner'
  const { id: projectId } = await owner.client.projects.create({ name: `Project of ${login}` })
  const { id: emptyId } = await owner.client.projects.create({ name: `Unconnected project of ${login}` })
  const person = await createInvitedMember(api.url, owner, { projectId, role, email })
  const { url } = await owner.client.invitations.create(emptyId, { email, role })
  await person.client.invitations.accept({ token: new URL(url ?? '').hash.slice(1) })

  await control.createUser(login)
  for (const { repositoryId } of projects) await control.addCollaborator(repositoryId, login, 'read')
  const { id: repositoryId } = await control.createRepository(login, ownRepositoryName, {
    files: { 'docs/a.md': '# A\n' },
  })
  const installationId = await connectByApp({ github, client: person.client, login }, projectId, repositoryId)
  const permissions = { contents: 'write', pull_requests: 'write', metadata: 'read' } as const
  const token = await control.createFineGrainedToken(login, { repositories: [repositoryId], permissions })
  return { person, login, emptyId, token, own: { projectId, repositoryId, installationId } }
}

/** Whether the attacker's own connections are unchanged. */
export async function isConnectionUnchanged({ person, login, own, emptyId }: Attacker): Promise<boolean> {
  const connected = (await person.client.repository.get(own.projectId)).repository
  const empty = (await person.client.repository.get(emptyId)).repository
  return connected?.owner === login && connected.name === ownRepositoryName && empty === null
}

export async function runConnectionAttacks(
  run: ProofRun,
  fixture: GithubFixture,
  attacker: Attacker,
  { tally, random, stop }: { tally: Tally<ConnectionAttackKind>; random: () => number; stop: AbortSignal },
): Promise<void> {
  const { github, api, owner, projects } = fixture
  const { person, login, own, emptyId, token } = attacker
  const { client } = person
  const baseUrl = github.url

  const checkRejected = async (
    attack: ConnectionAttackKind,
    attempt: Promise<unknown>,
    codes = ['invalid_request', 'not_found'],
  ) => {
    const error = await attempt.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    const isRejected = error instanceof ColophonError && codes.includes(error.code)
    run.check(isRejected, `${attack} is rejected, got ${error === undefined ? 'success' : String(error)}`)
    tally.add(attack)
  }
  /** Authorizes on GitHub as the user with this login, and returns the callback parameters. */
  const authorizeOnGithub = async (initiator: SignedInPerson, projectId: string, githubLogin: string) => {
    const { authorizeUrl } = await initiator.client.github.startAuthorization(projectId, { baseUrl })
    return callbackParameters(await (await signInToGithubSimulator(github, githubLogin)).authorize(authorizeUrl))
  }
  const completeAuthorization = async (projectId: string) =>
    client.github.completeAuthorization(projectId, await authorizeOnGithub(person, projectId, login))
  const connect = (projectId: string, authorizationId: string, repositoryId: number) =>
    client.github.connectRepository(projectId, { authorizationId, repositoryId, ...branchSettings })

  const attempts: Record<ConnectionAttackKind, (victim: GithubProject, installationId: number) => Promise<void>> = {
    'forged installation in the callback': async (_, installationId) => {
      const callback = await authorizeOnGithub(person, emptyId, login)
      const forged = await sendHttpRequest({
        method: 'POST',
        url: `${api.url}/v2/projects/${emptyId}/github/authorizations/complete`,
        headers: [...person.headers(), 'content-type', 'application/json'],
        body: JSON.stringify({ ...callback, installation_id: installationId }),
      })
      run.check(
        forged.status === 400,
        `a callback with an installation_id gets 400, got ${forged.status} ${forged.text}`,
      )
      const { repositories } = await client.github.completeAuthorization(emptyId, callback)
      const listed = repositories.map(({ id }) => id)
      run.check(String(listed) === String([own.repositoryId]), `${login} gets only their own repository, got ${listed}`)
      tally.add('forged installation in the callback')
    },
    'forged installation when connecting': async ({ repositoryId }, installationId) => {
      const { authorizationId } = await completeAuthorization(emptyId)
      const forged = { authorizationId, repositoryId, ...branchSettings, installationId }
      await checkRejected('forged installation when connecting', client.github.connectRepository(emptyId, forged))
    },
    "another person's state": async ({ projectId, repository }) => {
      const { state } = await authorizeOnGithub(owner, projectId, repository.owner)
      const { code } = await authorizeOnGithub(person, emptyId, login)
      const mixed = { state, code }
      await checkRejected("another person's state", client.github.completeAuthorization(emptyId, mixed))
      await checkRejected("another person's state", client.github.completeAuthorization(projectId, mixed))
    },
    "own code and state in an owner's browser": async ({ projectId }) => {
      const callback = await authorizeOnGithub(person, emptyId, login)
      await checkRejected(
        "own code and state in an owner's browser",
        owner.client.github.completeAuthorization(projectId, callback),
      )
    },
    'repository without the App': async ({ repositoryId }) => {
      const { authorizationId } = await completeAuthorization(emptyId)
      await checkRejected('repository without the App', connect(emptyId, authorizationId, repositoryId))
    },
    'authorization of another project': async () => {
      const { authorizationId } = await completeAuthorization(own.projectId)
      await checkRejected('authorization of another project', connect(emptyId, authorizationId, own.repositoryId))
    },
    'authorization of another person': async ({ projectId, repositoryId, repository }) => {
      const callback = await authorizeOnGithub(owner, projectId, repository.owner)
      // While GitHub fails for the owner, there is no authorization to steal.
      const stolen = await owner.client.github.completeAuthorization(projectId, callback).catch(() => undefined)
      if (stolen)
        await checkRejected('authorization of another person', connect(emptyId, stolen.authorizationId, repositoryId))
    },
    'token for another repository': async ({ repository: { owner: victim }, names: [name = ''] }) => {
      const input = { host: 'github', url: baseUrl, owner: victim, name, ...branchSettings, token } as const
      await checkRejected('token for another repository', client.repository.connect(emptyId, input))
    },
  }

  let signedInAtMs = Date.now()
  const victims = projects.filter(({ access }) => access === 'app')
  while (!stop.aborted) {
    for (const attack of connectionAttackKinds) {
      if (stop.aborted) break
      if (Date.now() - signedInAtMs > signInEveryMs) {
        await person.signInAgain()
        signedInAtMs = Date.now()
      }
      const victim = pickOne(victims, random)
      const connection = await fixture.stores.repositories.find(victim.projectId)
      if (connection?.access.kind !== 'installation') throw new Error('a victim must be connected through the App')
      await attempts[attack](victim, connection.access.installationId).catch((error: unknown) => {
        // On a slow machine GitHub can take too long to respond. The attack comes again in the next round.
        if (!(error instanceof ColophonError) || error.code !== 'unavailable') throw error
      })
      await sleep(500 + random() * 3_000, undefined, { signal: stop }).catch(() => {})
    }
  }
}

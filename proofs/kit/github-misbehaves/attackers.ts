/**
 * Somebody who is signed in, owns projects and has let the App into a repository of their own; and would like to have one of
 * their projects work in somebody else's repository. They may even read those.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { githubPerson } from '../../../dev-services/github/github-person.ts'
import { ColophonError } from '../../../sdk/src/index.ts'
import type { ProofRun } from '../../proof.ts'
import { call } from '../http-call.ts'
import { invited, type SignedInPerson } from '../people.ts'
import { broughtBy, connectByApp, type GithubProject, type GithubStage } from './stage.ts'
import { oneOf, type Tally } from './tally.ts'

export const attacks = [
  'forged installation on the way back',
  'forged installation at connecting',
  "another person's state",
  "own code and state in an owner's browser",
  'repository that GitHub did not show them',
  'visit of another project',
  'visit of another person',
  'token that was not made for the repository',
] as const
export type Attack = (typeof attacks)[number]

export interface Attacker {
  person: SignedInPerson
  login: string
  /** Connected to their own repository, as it should be. */
  own: { projectId: string; repositoryId: number; installationId: number }
  /** The project that is connected to nothing, and has to stay so. */
  emptyId: string
  token: string
}

const ownName = 'own'
const where = { baseBranch: 'main', docsFolder: '' }
const signInEveryMs = 5 * 60_000

export async function makeAttacker(stage: GithubStage, login: string): Promise<Attacker> {
  const { control, github, api, owner, projects } = stage
  const email = `${login}@example.com`
  const role = 'owner'
  const { id: projectId } = await owner.client.projects.create({ name: `Of ${login}` })
  const { id: emptyId } = await owner.client.projects.create({ name: `Another of ${login}` })
  const person = await invited(api.url, owner, { projectId, role, email })
  const { url } = await owner.client.invitations.create(emptyId, { email, role })
  await person.client.invitations.accept({ token: new URL(url).hash.slice(1) })

  await control.makeUser(login)
  for (const { repositoryId } of projects) await control.addCollaborator(repositoryId, login, 'read')
  const { id: repositoryId } = await control.makeRepository(login, ownName, { files: { 'docs/a.md': '# A\n' } })
  const installationId = await connectByApp({ github, client: person.client, login }, projectId, repositoryId)
  const permissions = { contents: 'write', pull_requests: 'write', metadata: 'read' } as const
  const token = await control.makeFineGrainedToken(login, { repositories: [repositoryId], permissions })
  return { person, login, emptyId, token, own: { projectId, repositoryId, installationId } }
}

/** Whether all is as it was: of those who attack, too. */
export async function isBoundAsBefore({ person, login, own, emptyId }: Attacker): Promise<boolean> {
  const theirs = (await person.client.repository.get(own.projectId)).repository
  const none = (await person.client.repository.get(emptyId)).repository
  return theirs?.owner === login && theirs.name === ownName && none === null
}

export async function attack(
  run: ProofRun,
  stage: GithubStage,
  attacker: Attacker,
  { tally, random, stop }: { tally: Tally<Attack>; random: () => number; stop: AbortSignal },
): Promise<void> {
  const { github, api, owner, projects } = stage
  const { person, login, own, emptyId, token } = attacker
  const { client } = person
  const baseUrl = github.url

  const isRefused = async (what: Attack, attempt: Promise<unknown>, codes = ['invalid_request', 'not_found']) => {
    const error = await attempt.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    const isSo = error instanceof ColophonError && codes.includes(error.code)
    run.check(isSo, `${what} is refused: ${error === undefined ? 'it worked' : String(error)}`)
    tally.add(what)
  }
  /** To GitHub and back, as somebody whom GitHub knows by this login. */
  const goAndReturn = async (who: SignedInPerson, projectId: string, onGithub: string) => {
    const { authorizeUrl } = await who.client.github.startAuthorization(projectId, { baseUrl })
    return broughtBy(await (await githubPerson(github, onGithub)).authorize(authorizeUrl))
  }
  const visit = async (projectId: string) =>
    client.github.completeAuthorization(projectId, await goAndReturn(person, projectId, login))
  const connect = (projectId: string, authorizationId: string, repositoryId: number) =>
    client.github.connectRepository(projectId, { authorizationId, repositoryId, ...where })

  const attempts: Record<Attack, (victim: GithubProject, installationId: number) => Promise<void>> = {
    'forged installation on the way back': async (_, installationId) => {
      const brought = await goAndReturn(person, emptyId, login)
      const forged = await call({
        method: 'POST',
        url: `${api.url}/v2/projects/${emptyId}/github/authorizations/complete`,
        headers: [...person.headers(), 'content-type', 'application/json'],
        body: JSON.stringify({ ...brought, installation_id: installationId }),
      })
      run.check(forged.status === 400, `an installation_id is not taken: ${forged.status} ${forged.text}`)
      const { repositories } = await client.github.completeAuthorization(emptyId, brought)
      const shown = repositories.map(({ id }) => id)
      run.check(String(shown) === String([own.repositoryId]), `${login} is shown their own repository alone: ${shown}`)
      tally.add('forged installation on the way back')
    },
    'forged installation at connecting': async ({ repositoryId }, installationId) => {
      const { authorizationId } = await visit(emptyId)
      const forged = { authorizationId, repositoryId, ...where, installationId }
      await isRefused('forged installation at connecting', client.github.connectRepository(emptyId, forged))
    },
    "another person's state": async ({ projectId, repository }) => {
      const { state } = await goAndReturn(owner, projectId, repository.owner)
      const { code } = await goAndReturn(person, emptyId, login)
      const attempt = { state, code }
      await isRefused("another person's state", client.github.completeAuthorization(emptyId, attempt))
      await isRefused("another person's state", client.github.completeAuthorization(projectId, attempt))
    },
    "own code and state in an owner's browser": async ({ projectId }) => {
      const brought = await goAndReturn(person, emptyId, login)
      await isRefused(
        "own code and state in an owner's browser",
        owner.client.github.completeAuthorization(projectId, brought),
      )
    },
    'repository that GitHub did not show them': async ({ repositoryId }) => {
      const { authorizationId } = await visit(emptyId)
      await isRefused('repository that GitHub did not show them', connect(emptyId, authorizationId, repositoryId))
    },
    'visit of another project': async () => {
      const { authorizationId } = await visit(own.projectId)
      await isRefused('visit of another project', connect(emptyId, authorizationId, own.repositoryId))
    },
    'visit of another person': async ({ projectId, repositoryId, repository }) => {
      const brought = await goAndReturn(owner, projectId, repository.owner)
      // While GitHub is away for the owner, there is no visit to steal.
      const theirs = await owner.client.github.completeAuthorization(projectId, brought).catch(() => undefined)
      if (theirs) await isRefused('visit of another person', connect(emptyId, theirs.authorizationId, repositoryId))
    },
    'token that was not made for the repository': async ({ repository: { owner: victim }, names: [name = ''] }) => {
      const at = { host: 'github', url: baseUrl, owner: victim, name, ...where, token } as const
      await isRefused('token that was not made for the repository', client.repository.connect(emptyId, at))
    },
  }

  let signedInAtMs = Date.now()
  const victims = projects.filter(({ access }) => access === 'app')
  while (!stop.aborted) {
    for (const what of attacks) {
      if (stop.aborted) break
      if (Date.now() - signedInAtMs > signInEveryMs) {
        await person.signInAgain()
        signedInAtMs = Date.now()
      }
      const victim = oneOf(victims, random)
      const known = await stage.stores.repositories.find(victim.projectId)
      if (known?.access.kind !== 'installation') throw new Error('a victim is connected through the App')
      await attempts[what](victim, known.access.installationId)
      await sleep(500 + random() * 3_000, undefined, { signal: stop }).catch(() => {})
    }
  }
}

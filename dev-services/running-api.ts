/** The real `api` in this process, in a migrated corner of shared engines, for tests of routes. */
import { type Client, createClient } from '../sdk/src/index.ts'
import type { Key } from '../server/src/keys/key-store.ts'
import { type Scope, scopes } from '../server/src/keys/scopes.ts'
import { startApi } from '../server/src/main/api.ts'
import type { MemberRole } from '../server/src/people/member-role.ts'
import { loadApiConfig } from '../server/src/platform/config.ts'
import type { Id } from '../server/src/platform/ids.ts'
import { generateSealingKeyPair } from '../server/src/platform/sealed-secrets/sealing-keys.ts'
import { type BrowserLike, browserLike } from './browser-like.ts'
import { freePort } from './free-port.ts'
import type { ServiceAddresses } from './start-services.ts'
import { createTestInstance, type TestInstance } from './test-instance.ts'

/** Somebody who calls with a key. */
export interface Visitor {
  key: Key
  secret: string
  client: Client
}

/** A project, seen with its admin key. */
export interface TestProject extends Visitor {
  projectId: Id<'prj'>
}

export interface Stranger {
  who: string
  client: Client
  /** With which they are refused. */
  code: string
}

export interface RunningApi extends TestInstance {
  url: string
  /** Without a key: without it at all. */
  clientWith(secret?: string): Client
  makeProject(name?: string): Promise<TestProject>
  makeKey(projectId: Id<'prj'>, grant?: { scopes?: readonly Scope[]; allowedNetworks?: string[] }): Promise<Visitor>
  /** Somebody who is signed in, with a role in a project, or in none. */
  signIn(who?: { projectId: Id<'prj'>; role: MemberRole }): Promise<SignedIn>
  /** Who runs the installation, signed in. */
  signInOperator(): Promise<SignedIn>
  /** Everybody who must not get in where a scope of this project is asked for. */
  strangersTo(projectId: Id<'prj'>, scope: Scope): Promise<Stranger[]>
}

export interface SignedIn extends BrowserLike {
  email: string
  /** To sign in with again. */
  login: { email: string; password: string }
}

const operator = { kind: 'operator' } as const

export async function startRunningApi(
  addresses: ServiceAddresses,
  purpose: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningApi> {
  const instance = await createTestInstance(addresses, purpose)
  const listen = settings.COLOPHON_LISTEN ?? `127.0.0.1:${await freePort()}`
  const running = await startApi(
    loadApiConfig({
      ...instance.environment,
      COLOPHON_LISTEN: listen,
      COLOPHON_LOG_LEVEL: 'error',
      COLOPHON_SEALING_PUBLIC_KEYS: generateSealingKeyPair().publicEntry,
      ...settings,
    }),
  )
  const url = `http://${listen}`
  const publicOrigin = `http://localhost:${listen.split(':')[1]}`
  const { projects, keys } = instance.stores

  const clientWith: RunningApi['clientWith'] = (secret) =>
    createClient({ baseUrl: url, ...(secret !== undefined && { apiKey: secret }) })
  const makeKey: RunningApi['makeKey'] = async (projectId, grant = {}) => {
    const wanted = { name: 'a key', scopes, allowedNetworks: [], expiresAt: null, ...grant }
    const { key, secret } = await keys.create(projectId, wanted, operator)
    return { key, secret, client: clientWith(secret) }
  }
  const makeProject: RunningApi['makeProject'] = async (name = 'A project') => {
    const { id: projectId } = await projects.create(name, operator)
    return { projectId, ...(await makeKey(projectId)) }
  }

  const password = 'correct horse battery staple'
  let operatorMade: Promise<string> | undefined
  const makeOperator = async () => {
    const email = 'operator@example.com'
    const token = await instance.stores.people.newOwnerToken()
    await browserLike(url, publicOrigin).client.session.createFirstOwner({
      token,
      name: 'An Operator',
      email,
      password,
    })
    return email
  }
  const signInAs = async (email: string): Promise<SignedIn> => {
    const browser = browserLike(url, publicOrigin)
    await browser.client.session.signIn({ email, password })
    return { ...browser, email, login: { email, password } }
  }

  return {
    ...instance,
    url,
    clientWith,
    async signInOperator() {
      operatorMade ??= makeOperator()
      return signInAs(await operatorMade)
    },
    async signIn(who) {
      const email = `${crypto.randomUUID()}@example.com`
      const project = who ?? { projectId: (await projects.create('For one moment', operator)).id, role: 'viewer' }
      const { token } = await instance.stores.invitations.create(project.projectId, { ...project, email }, operator)
      await instance.stores.invitations.acceptAsNew(token, { name: 'Somebody', password }, 'test')
      if (!who) await instance.pool.query('DELETE FROM project_member WHERE email = $1', [email])
      return signInAs(email)
    },
    makeKey,
    makeProject,
    async strangersTo(projectId, needed) {
      const others = await makeProject('Of others')
      const without = await makeKey(projectId, { scopes: scopes.filter((other) => other !== needed) })
      const elsewhere = await makeKey(projectId, { allowedNetworks: ['203.0.113.0/24'] })
      return [
        { who: 'nobody', client: clientWith(), code: 'unauthenticated' },
        { who: 'a key of another project', client: others.client, code: 'not_found' },
        { who: `a key without ${needed}`, client: without.client, code: 'insufficient_scope' },
        { who: 'a key from another network', client: elsewhere.client, code: 'ip_not_allowed' },
      ]
    },
    async drop() {
      await running.stop()
      await instance.drop()
    },
  }
}

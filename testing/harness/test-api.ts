/** Runs the real `api` in the test's process, on a test instance, for tests of routes. */
import { type Client, createClient } from '../../sdk/src/index.ts'
import { type Scope, scopes } from '../../server/src/keys/scopes.ts'
import { startApi } from '../../server/src/main/processes/api.ts'
import type { MemberRole } from '../../server/src/people/member-role.ts'
import { loadApiConfig } from '../../server/src/platform/config.ts'
import type { Id } from '../../server/src/platform/ids.ts'
import { freePort } from '../services/free-port.ts'
import type { ServiceAddresses } from '../services/start-services.ts'
import { type BrowserClient, createBrowserClient } from './browser-client.ts'
import { withDatabaseRole } from './database-roles.ts'
import { type CreatedKey, createTestInstance, type KeyGrant, operator, type TestInstance } from './test-instance.ts'

/** A client with an API key. */
export interface ApiKeyClient extends CreatedKey {
  client: Client
}

/** A project with an API key that has all scopes. */
export interface TestProject extends ApiKeyClient {
  projectId: Id<'prj'>
}

export interface DeniedCaller {
  name: string
  client: Client
  /** The error code that they get. */
  code: string
}

/** Its `environment` is that of `api`, with its database role. */
export interface TestApi extends TestInstance {
  url: string
  /** Omit `secret` for a client without a key. */
  clientWith(secret?: string): Client
  createProject(name?: string): Promise<TestProject>
  createKey(projectId: Id<'prj'>, grant?: KeyGrant): Promise<ApiKeyClient>
  /** Signs in a new person, with a role in a project or, by default, without any project. */
  signIn(membership?: { projectId: Id<'prj'>; role: MemberRole }): Promise<SignedInClient>
  /** Signs in the operator of the instance. */
  signInOperator(): Promise<SignedInClient>
  /** Every kind of caller that must be rejected where this scope of this project is required. */
  deniedCallers(projectId: Id<'prj'>, scope: Scope): Promise<DeniedCaller[]>
}

export interface SignedInClient extends BrowserClient {
  email: string
  /** The credentials to sign in with again. */
  login: { email: string; password: string }
}

export async function startTestApi(
  addresses: ServiceAddresses,
  purpose: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestApi> {
  const instance = await createTestInstance(addresses, purpose)
  const environment = withDatabaseRole('api', instance.environment)
  const listen = settings.COLOPHON_LISTEN ?? `127.0.0.1:${await freePort()}`
  const running = await startApi(
    loadApiConfig({
      ...environment,
      COLOPHON_LISTEN: listen,
      COLOPHON_LOG_LEVEL: 'error',
      ...settings,
    }),
  )
  const url = `http://${listen}`
  const publicOrigin = `http://localhost:${listen.split(':')[1]}`
  const { projects } = instance.stores

  const clientWith: TestApi['clientWith'] = (secret) =>
    createClient({ baseUrl: url, retry: false, ...(secret !== undefined && { apiKey: secret }) })
  const createKey: TestApi['createKey'] = async (projectId, grant) => {
    const created = await instance.createKey(projectId, grant)
    return { ...created, client: clientWith(created.secret) }
  }
  const createProject: TestApi['createProject'] = async (name) => {
    const project = await instance.createProject(name)
    return { ...project, client: clientWith(project.secret) }
  }

  const password = 'correct horse battery staple'
  let operatorEmail: Promise<string> | undefined
  const createOperator = async () => {
    const email = 'operator@example.com'
    const token = await instance.stores.people.createFirstOwnerToken()
    await createBrowserClient(url, publicOrigin).client.session.createFirstOwner({
      token,
      name: 'An Operator',
      email,
      password,
    })
    return email
  }
  const signInAs = async (email: string): Promise<SignedInClient> => {
    const browser = createBrowserClient(url, publicOrigin)
    await browser.client.session.signIn({ email, password })
    return { ...browser, email, login: { email, password } }
  }

  return {
    ...instance,
    environment,
    url,
    clientWith,
    async signInOperator() {
      operatorEmail ??= createOperator()
      return signInAs(await operatorEmail)
    },
    async signIn(membership) {
      const email = `${crypto.randomUUID()}@example.com`
      const project = membership ?? { projectId: (await projects.create('Temporary', operator)).id, role: 'viewer' }
      const { token } = await instance.stores.invitations.create(project.projectId, { ...project, email }, operator)
      await instance.stores.invitations.acceptAsNew(
        token,
        { name: 'A Person', password },
        { requestId: 'test', ipAddress: '127.0.0.1' },
      )
      if (!membership) await instance.pool.query('DELETE FROM project_member WHERE email = $1', [email])
      return signInAs(email)
    },
    createKey,
    createProject,
    async deniedCallers(projectId, needed) {
      const otherProject = await createProject('Another project')
      const keyWithoutScope = await createKey(projectId, {
        scopes: scopes.filter((scope) => scope !== needed && scope !== 'project:write'),
      })
      const keyOfOtherNetwork = await createKey(projectId, { allowedNetworks: ['203.0.113.0/24'] })
      return [
        { name: 'a caller without a key', client: clientWith(), code: 'unauthenticated' },
        { name: 'a key of another project', client: otherProject.client, code: 'not_found' },
        { name: `a key without ${needed}`, client: keyWithoutScope.client, code: 'insufficient_scope' },
        { name: 'a key from another network', client: keyOfOtherNetwork.client, code: 'ip_not_allowed' },
      ]
    },
    async drop() {
      await running.stop()
      await instance.drop()
    },
  }
}

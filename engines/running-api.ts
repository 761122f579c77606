/** The real `api` in this process, in a migrated corner of shared engines, for tests of routes. */
import { type Client, createClient } from '../sdk/src/index.ts'
import type { Key } from '../server/src/keys/key-store.ts'
import { type Scope, scopes } from '../server/src/keys/scopes.ts'
import { startApi } from '../server/src/main/api.ts'
import { loadApiConfig } from '../server/src/platform/config.ts'
import type { Id } from '../server/src/platform/ids.ts'
import { generateSealingKeyPair } from '../server/src/platform/sealed-secrets/sealing-keys.ts'
import { freePort } from './free-port.ts'
import { createMigratedScope, type MigratedScope } from './migrated-scope.ts'
import type { EngineAddresses } from './start-engines.ts'

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

export interface RunningApi extends MigratedScope {
  url: string
  /** Without a key: without it at all. */
  clientWith(secret?: string): Client
  makeProject(name?: string): Promise<TestProject>
  makeKey(projectId: Id<'prj'>, grant?: { scopes?: readonly Scope[]; allowedNetworks?: string[] }): Promise<Visitor>
  /** Everybody who must not get in where a scope of this project is asked for. */
  strangersTo(projectId: Id<'prj'>, scope: Scope): Promise<Stranger[]>
}

const operator = { kind: 'operator' } as const

export async function startRunningApi(addresses: EngineAddresses, purpose: string): Promise<RunningApi> {
  const scope = await createMigratedScope(addresses, purpose)
  const listen = `127.0.0.1:${await freePort()}`
  const running = await startApi(
    loadApiConfig({
      ...scope.environment,
      COLOPHON_LISTEN: listen,
      COLOPHON_LOG_LEVEL: 'error',
      COLOPHON_SEALING_PUBLIC_KEYS: generateSealingKeyPair().publicEntry,
    }),
  )
  const url = `http://${listen}`
  const { projects, keys } = scope.stores

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

  return {
    ...scope,
    url,
    clientWith,
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
      await scope.drop()
    },
  }
}

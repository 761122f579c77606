/** Which instance, API key and project a command uses: options, then environment variables, then what `colophon login` stored. */
import { type Client, createClient } from '@colophon/sdk'
import { exitCodes } from '../exit-codes.ts'
import type { CommandContext, Environment } from '../program/command-context.ts'
import type { InstanceOptions } from '../program/command-options.ts'
import { CommandFailure, usageError } from '../program/failure.ts'
import { createKeychain } from './keychain.ts'
import { configFolder, createLoginStore, type LoginStore, type StoredLogin } from './login-store.ts'

export interface Connection {
  client: Client
  url: string
  /** Asks the instance only if neither options nor environment nor the stored login have it. */
  projectId(): Promise<string>
}

export const openLoginStore = (environment: Environment): LoginStore =>
  createLoginStore(configFolder(environment), createKeychain(process.platform))

/** As people write it in several ways: without the slash at its end. Throws a usage error if it is not a URL. */
export function normalizeUrl(url: string): string {
  createCheckedClient(url, undefined)
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

export function createCheckedClient(baseUrl: string, apiKey: string | undefined, timeoutSeconds = 30): Client {
  try {
    return createClient({ baseUrl, apiKey, timeoutSeconds })
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error))
  }
}

/** Undefined if there is none anywhere. */
export function findUrl(options: InstanceOptions, environment: Environment, login: StoredLogin | undefined) {
  const url = options.url || environment.COLOPHON_URL || login?.url
  return url ? normalizeUrl(url) : undefined
}

export function requireUrl(options: InstanceOptions, environment: Environment, login: StoredLogin | undefined): string {
  const url = findUrl(options, environment, login)
  if (url === undefined) throw usageError("Missing option --url or COLOPHON_URL, or run 'colophon login'.")
  return url
}

/** A stored key is only ever sent to the instance that it was stored for. */
export async function findApiKey(
  url: string,
  environment: Environment,
  store: LoginStore,
): Promise<string | undefined> {
  if (environment.COLOPHON_API_KEY) return environment.COLOPHON_API_KEY
  const login = store.read()
  return login?.url === url ? store.readKey(login) : undefined
}

export async function connect({ environment }: CommandContext, options: InstanceOptions): Promise<Connection> {
  const store = openLoginStore(environment)
  const login = store.read()
  const url = requireUrl(options, environment, login)
  const apiKey = await findApiKey(url, environment, store)
  if (apiKey === undefined) throw new CommandFailure(exitCodes.notAuthenticated, describeMissingKey(url, login))
  const client = createCheckedClient(url, apiKey)
  const isStoredKey = !environment.COLOPHON_API_KEY
  const projectId = async () =>
    options.project ||
    environment.COLOPHON_PROJECT_ID ||
    (isStoredKey && login ? login.projectId : (await client.me()).projectId)
  return { client, url, projectId }
}

const describeMissingKey = (url: string, login: StoredLogin | undefined): string =>
  login !== undefined && login.url !== url
    ? `The stored API key is for ${login.url}, not for ${url}. Set COLOPHON_API_KEY, or run 'colophon login --url ${url}'.`
    : `There is no API key for ${url}. Run 'colophon login', or set COLOPHON_API_KEY.`

/** Identifies the caller of a request. */
import { createVerify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from './api-error.ts'
import type { App, State, Token } from './state.ts'

export type Caller =
  | { kind: 'nobody' }
  | { kind: 'token'; token: Token }
  /** Authenticated with a JWT that the App signed with its private key. */
  | { kind: 'app'; app: App }
  /** Authenticated with client ID and secret. */
  | { kind: 'client'; app: App }

const badCredentials = () => new ApiError(401, 'Bad credentials')

export function authenticate(state: State, headers: IncomingHttpHeaders): Caller {
  const [, scheme = '', credentials = ''] = /^(\S+)\s+(.+)$/.exec(headers.authorization ?? '') ?? []
  switch (scheme.toLowerCase()) {
    case '':
      return { kind: 'nobody' }
    case 'bearer':
    case 'token':
      return credentials.includes('.') ? callerByJwt(state, credentials) : callerByToken(state, credentials)
    case 'basic':
      return callerByBasic(state, Buffer.from(credentials, 'base64').toString())
    default:
      throw badCredentials()
  }
}

function callerByToken(state: State, text: string): Caller {
  const token = state.tokens.get(text)
  if (!token || token.expiresAt <= new Date()) throw badCredentials()
  if (token.kind === 'installation' && token.installation.suspendedAt) {
    throw new ApiError(403, 'This installation has been suspended')
  }
  return { kind: 'token', token }
}

/**
 * git sends a token as the password, with any user name. Apps send their client ID as the name and their secret as the
 * password.
 */
function callerByBasic(state: State, pair: string): Caller {
  const colon = pair.indexOf(':')
  const name = pair.slice(0, colon)
  const password = pair.slice(colon + 1)
  const app = [...state.apps.values()].find(({ clientId }) => clientId === name)
  if (!app) return callerByToken(state, password)
  if (app.clientSecret !== password) throw badCredentials()
  return { kind: 'client', app }
}

const maxLifetimeSeconds = 600
const clockSkewSeconds = 60

function callerByJwt(state: State, jwt: string): Caller {
  const [header = '', payload = '', signature = ''] = jwt.split('.')
  const undecodable = () => new ApiError(401, 'A JSON web token could not be decoded')
  const { alg } = parsePart(header) ?? {}
  const { iss, iat, exp } = parsePart(payload) ?? {}
  if (alg !== 'RS256') throw undecodable()
  const app = [...state.apps.values()].find(({ id, clientId }) => clientId === iss || String(id) === String(iss))
  if (!app) throw new ApiError(401, "'Issuer' claim ('iss') must be an Integer")
  const verify = createVerify('RSA-SHA256').update(`${header}.${payload}`)
  if (!verify.verify(app.publicKeyPem, signature, 'base64url')) throw undecodable()
  const now = Date.now() / 1000
  if (typeof iat !== 'number' || iat > now + clockSkewSeconds) {
    throw new ApiError(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    )
  }
  if (typeof exp !== 'number' || exp <= now) {
    throw new ApiError(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    )
  }
  if (exp > now + maxLifetimeSeconds + clockSkewSeconds || exp - iat > maxLifetimeSeconds + clockSkewSeconds) {
    throw new ApiError(401, "'Expiration time' claim ('exp') is too far in the future")
  }
  return { kind: 'app', app }
}

function parsePart(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** An issuer of ID tokens for CI runs: discovery, a set of keys, and tokens with the claims of GitHub Actions or GitLab CI/CD. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

export interface SigningKey {
  keyId: string
  privateKey: CryptoKey
  publicKey: CryptoKey
  jwk: JWK
}

export interface IdTokenIssuer {
  /** The URL. */
  issuer: string
  host: string
  /** Signs tokens. Set it to another one, which `publish` makes known. */
  key: SigningKey
  /** The published keys. */
  publishedKeys: JWK[]
  /** Replaces the response to a path, for an issuer that misbehaves. */
  responses: Map<string, RequestListener>
  /** Paths of all requests. */
  requests: string[]
  /** A token with these claims. `iss`, `iat`, `exp` and `jti` are added, unless they are given; undefined leaves one out. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>
  stop(): Promise<void>
}

export const discoveryPath = '/.well-known/openid-configuration'
export const keysPath = '/.well-known/jwks'

const tokenSeconds = 300

export async function createSigningKey(keyId: string, algorithm = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return {
    keyId,
    privateKey,
    publicKey,
    jwk: { ...(await exportJWK(publicKey)), kid: keyId, alg: algorithm, use: 'sig' },
  }
}

export async function startIdTokenIssuer(): Promise<IdTokenIssuer> {
  const key = await createSigningKey('key-1')
  const responses = new Map<string, RequestListener>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const replaced = responses.get(path)
    if (replaced) return replaced(request, response)
    const body =
      path === discoveryPath
        ? { issuer: simulator.issuer, jwks_uri: simulator.issuer + keysPath }
        : path === keysPath
          ? { keys: simulator.publishedKeys }
          : undefined
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const simulator: IdTokenIssuer = {
    issuer: `http://${host}`,
    host,
    key,
    publishedKeys: [key.jwk],
    responses,
    requests,
    sign(claims, header = {}) {
      const nowSeconds = Math.floor(Date.now() / 1000)
      const defaults = {
        iss: simulator.issuer,
        iat: nowSeconds,
        exp: nowSeconds + tokenSeconds,
        jti: crypto.randomUUID(),
      }
      const payload = JSON.parse(JSON.stringify({ ...defaults, ...claims })) as Record<string, unknown>
      const { keyId, privateKey, jwk } = simulator.key
      return new SignJWT(payload)
        .setProtectedHeader({ alg: jwk.alg ?? 'RS256', kid: keyId, typ: 'JWT', ...header })
        .sign(privateKey)
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return simulator
}

/** Of a run for a push to the branch `main` of `acme/product`. */
export const githubClaims = {
  sub: 'repo:acme/product:ref:refs/heads/main',
  repository: 'acme/product',
  repository_id: '123456789',
  repository_owner: 'acme',
  repository_owner_id: '987654',
  ref: 'refs/heads/main',
  ref_type: 'branch',
  event_name: 'push',
  workflow: 'Docs',
  sha: '0123456789abcdef0123456789abcdef01234567',
  run_id: '1234567890',
  run_attempt: '1',
} as const

/** The same in GitLab. */
export const gitlabClaims = {
  sub: 'project_path:acme/product:ref_type:branch:ref:main',
  project_path: 'acme/product',
  project_id: '42',
  namespace_path: 'acme',
  namespace_id: '7',
  ref: 'main',
  ref_type: 'branch',
  ref_path: 'refs/heads/main',
  pipeline_source: 'push',
  pipeline_id: '555',
  job_id: '777',
  sha: '0123456789abcdef0123456789abcdef01234567',
} as const

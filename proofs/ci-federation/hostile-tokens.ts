/** Tokens that must not be exchanged for a key. */
import { createHmac, KeyObject } from 'node:crypto'
import {
  createSigningKey,
  githubClaims,
  type IdTokenIssuer,
  type SigningKey,
} from '../../testing/simulators/id-token-issuer.ts'

export interface HostileToken {
  name: string
  create(): Promise<string>
}

export interface HostileTokenDeps {
  /** The project trusts it. */
  issuer: IdTokenIssuer
  /** The project does not trust it. */
  otherIssuer: IdTokenIssuer
  audience: string
  /** Not published by any issuer. */
  attackerKey: SigningKey
}

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

export const createAttackerKey = (): Promise<SigningKey> => createSigningKey('key-1')

export function listHostileTokens({ issuer, otherIssuer, audience, attackerKey }: HostileTokenDeps): HostileToken[] {
  const valid = { aud: audience, ...githubClaims }
  const signed = (name: string, claims: object, header?: object): HostileToken => ({
    name,
    create: () => issuer.sign({ ...valid, ...claims }, { ...header }),
  })
  /** Signed with a key that the issuer has not published. */
  const signedWith = (name: string, key: SigningKey, claims: object = {}, header: object = {}): HostileToken => ({
    name,
    create: () => signAs(issuer, key, { ...valid, ...claims }, header),
  })
  const payload = () => ({
    iss: issuer.issuer,
    iat: inSeconds(0),
    exp: inSeconds(300),
    jti: crypto.randomUUID(),
    ...valid,
  })
  const unsigned = (name: string, alg: string, signature = ''): HostileToken => ({
    name,
    create: async () => `${encode({ alg, kid: 'key-1', typ: 'JWT' })}.${encode(payload())}.${signature}`,
  })
  const hmac = (name: string, alg: string, hash: string, secret: () => string): HostileToken => ({
    name,
    async create() {
      const content = `${encode({ alg, kid: 'key-1', typ: 'JWT' })}.${encode(payload())}`
      return `${content}.${createHmac(hash, secret()).update(content).digest('base64url')}`
    },
  })
  const changed = (name: string, change: (token: string) => string): HostileToken => ({
    name,
    create: async () => change(await issuer.sign(valid)),
  })
  /** The payload is signed as it is, also if it is not what a library would write. */
  const signedText = (name: string, text: (json: string) => string): HostileToken => ({
    name,
    create: () => signText(issuer, text(JSON.stringify(payload()))),
  })
  const publicPem = () => KeyObject.from(issuer.key.publicKey).export({ type: 'spki', format: 'pem' }).toString()
  return [
    signed('expired', { exp: inSeconds(-60), iat: inSeconds(-120) }),
    signed('expired a moment ago', { exp: inSeconds(-1), iat: inSeconds(-60) }),
    signed('without an expiry', { exp: undefined }),
    signed('with an expiry that is a text', { exp: String(inSeconds(300)) }),
    signed('not valid yet', { nbf: inSeconds(120) }),
    signed('issued in the future', { iat: inSeconds(120) }),
    signed('issued two hours ago', { iat: inSeconds(-7_200) }),
    signed('without the time of issue', { iat: undefined }),
    signed('without a subject', { sub: undefined }),
    signed('of another repository', { repository: 'acme/other' }),
    signed('of a repository with a longer name', { repository: 'acme/product-2' }),
    signed('of a repository in capital letters', { repository: 'ACME/product' }),
    signed('of a repository that took over the name', { repository_id: '1' }),
    signed('of an account that took over the name', { repository_owner_id: '1' }),
    signed('without the ID of the repository', { repository_id: undefined }),
    signed('of another branch', { ref: 'refs/heads/feature' }),
    signed('of a branch with a longer name', { ref: 'refs/heads/main2' }),
    signed('of a tag with the name of the branch', { ref: 'refs/tags/main' }),
    signed('with a list of branches', { ref: ['refs/heads/main'] }),
    signed('without a branch', { ref: undefined }),
    signed('of the pull request of a fork', { event_name: 'pull_request', ref: 'refs/pull/7/merge' }),
    signed('of a pull request, for the branch', { event_name: 'pull_request' }),
    signed('of pull_request_target, for the branch', { event_name: 'pull_request_target' }),
    signed('of the end of a run for a fork', { event_name: 'workflow_run' }),
    signed('of a comment', { event_name: 'issue_comment' }),
    signed('without an event', { event_name: undefined }),
    signed('for another service', { aud: 'https://other.example.com' }),
    signed('for several services', { aud: [audience, 'https://other.example.com'] }),
    signed('for the audience with a slash', { aud: `${audience}/` }),
    signed('without an audience', { aud: undefined }),
    signed('of the issuer with a slash', { iss: `${issuer.issuer}/` }),
    signed('of the issuer in capital letters', { iss: issuer.issuer.replace('http', 'HTTP') }),
    signed('of an issuer that the project does not trust, with the key of the trusted one', {
      iss: otherIssuer.issuer,
    }),
    { name: 'of another issuer', create: () => otherIssuer.sign(valid) },
    {
      name: 'of the trusted issuer, signed by another',
      create: () => otherIssuer.sign({ ...valid, iss: issuer.issuer }),
    },
    signedWith('signed with a key of the attacker', attackerKey),
    signedWith('signed with a key of the attacker that the header contains', attackerKey, {}, { jwk: attackerKey.jwk }),
    signedWith(
      'with the URL of keys of the attacker',
      attackerKey,
      {},
      { jku: `${otherIssuer.issuer}/.well-known/jwks` },
    ),
    signedWith('with the URL of a certificate of the attacker', attackerKey, {}, { x5u: `${otherIssuer.issuer}/x5u` }),
    signedWith('with a kid that is a path', attackerKey, {}, { kid: '../../../../../../dev/null' }),
    signedWith('with a kid that is a URL', attackerKey, {}, { kid: `${otherIssuer.issuer}/.well-known/jwks` }),
    signedWith('with the kid __proto__', attackerKey, {}, { kid: '__proto__' }),
    signedWith('with an empty kid', attackerKey, {}, { kid: '' }),
    signedWith('with a huge kid', attackerKey, {}, { kid: 'k'.repeat(5_000) }),
    signed('of another type', {}, { typ: 'at+jwt' }),
    unsigned('alg none', 'none'),
    unsigned('alg None', 'None', 'AAAA'),
    unsigned('alg NONE', 'NONE', encode('x')),
    unsigned('RS256 with an empty signature', 'RS256'),
    hmac('HS256 with the public key as secret', 'HS256', 'sha256', publicPem),
    hmac('HS512 with the public key as secret', 'HS512', 'sha512', publicPem),
    hmac('HS256 with the published key as secret', 'HS256', 'sha256', () => JSON.stringify(issuer.key.jwk)),
    hmac('HS256 with an empty secret', 'HS256', 'sha256', () => ''),
    changed('with another payload', (token) => token.replace(/\.[^.]+\./, `.${encode({ ...payload(), ref: 'x' })}.`)),
    changed('with the signature cut off', (token) => token.replace(/\.[^.]+$/, '.')),
    changed('with a changed signature', (token) => token.replace(/.{20}$/, 'A'.repeat(20))),
    changed('with trailing data', (token) => `${token}.${token}`),
    changed('with a trailing line break', (token) => `${token}\n`),
    changed('with padding', (token) => `${token}==`),
    changed('in an encrypted form', (token) => `${token}.AAAA.AAAA`),
    changed('too large', (token) => token + 'A'.repeat(1_000_000)),
    changed('empty', () => ''),
    signed('with a payload of 20 KB', { more: 'x'.repeat(20_000) }),
    signedText('with two repositories', (json) => json.replace('{', '{"repository":"acme/other",')),
    signedText('with two issuers', (json) => json.replace('{', `{"iss":"${otherIssuer.issuer}",`)),
    signedText('with trailing data in the payload', (json) => `${json}{}`),
    signedText('with a list as payload', (json) => `[${json}]`),
    signedText('with a payload that is not JSON', (json) => json.slice(1)),
  ]
}

async function signAs(issuer: IdTokenIssuer, key: SigningKey, claims: object, header: object): Promise<string> {
  const { key: ownKey } = issuer
  issuer.key = key
  try {
    return await issuer.sign({ ...claims }, { ...header })
  } finally {
    issuer.key = ownKey
  }
}

async function signText(issuer: IdTokenIssuer, payload: string): Promise<string> {
  const content = `${encode({ alg: 'RS256', kid: issuer.key.keyId, typ: 'JWT' })}.${encode(payload)}`
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', issuer.key.privateKey, Buffer.from(content))
  return `${content}.${Buffer.from(signature).toString('base64url')}`
}

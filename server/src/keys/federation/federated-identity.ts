/**
 * Workload identity federation: a CI run proves with an ID token of its CI service which repository and branch it runs for, and gets a
 * short-lived API key. So no secret is stored in CI.
 */
import { type FieldError, Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { scopes } from '../scopes.ts'

export const identityProviders = ['github', 'gitlab', 'other'] as const
export type IdentityProvider = (typeof identityProviders)[number]

/** Texts by the name of the claim. */
export type Claims = Readonly<Record<string, string>>

export interface FederatedIdentity {
  projectId: Id<'prj'>
  id: Id<'fid'>
  name: string
  provider: IdentityProvider
  /** Compared exactly with the `iss` of tokens. */
  issuer: string
  /** Each must be in a token, with exactly this text. */
  claims: Claims
  /** Of the first token that was exchanged, for the claims in `pinnedClaimNames`. Null: none was exchanged yet. */
  pinnedClaims: Claims | null
  /** Of the keys that are given out. */
  scopes: readonly FederatedScope[]
  /** Who created it, as in the audit log. */
  createdBy: string
  takenOverBy: string | null
  createdAt: Date
  lastUsedAt: Date | null
}

export type FederatedIdentityInput = Pick<FederatedIdentity, 'name' | 'provider' | 'issuer' | 'claims' | 'scopes'>

/**
 * Without `project:write`, which creates keys, runners and members that would stay after the run, and without `agent:approve`: a run must not
 * approve the results of the jobs that it creates.
 */
export const federatedScopes = scopes.filter((scope) => scope !== 'project:write' && scope !== 'agent:approve')

export type FederatedScope = (typeof federatedScopes)[number]

export const defaultFederatedScopes: readonly FederatedScope[] = ['agent:read', 'agent:write']

export const defaultIssuers: Partial<Record<IdentityProvider, string>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
}

interface ProviderRules {
  requiredClaims: Readonly<Record<string, { pattern: RegExp; rule: string }>>
  /**
   * Names of repositories and accounts can be registered again by someone else after a rename or a deletion. Their IDs are never reused.
   */
  pinnedClaims: readonly string[]
  /** The claim that says what started the run, and the values that are accepted. */
  trigger?: { claim: string; accepted: readonly string[] }
}

const branchOrTag = {
  pattern: /^refs\/(?:heads|tags)\/[^\s*?[\\~^:]+$/,
  rule: 'must be the full name of a branch or tag without wildcards, like refs/heads/main',
}

/**
 * Only runs for which nobody but people with write access to the repository decides what happens. Left out are all events of pull
 * requests and merge requests, and events that run for the default branch although anyone can cause them, for example by a comment or by
 * the end of a run for a fork (`pull_request_target`, `issue_comment`, `workflow_run`).
 */
const providerRules: Readonly<Record<IdentityProvider, ProviderRules>> = {
  github: {
    requiredClaims: {
      repository: {
        pattern: /^[A-Za-z0-9-]+\/[A-Za-z0-9._-]+$/,
        rule: 'must be the owner and the name of a repository without wildcards, like acme/product',
      },
      ref: branchOrTag,
    },
    pinnedClaims: ['repository_id', 'repository_owner_id'],
    trigger: {
      claim: 'event_name',
      accepted: ['push', 'workflow_dispatch', 'schedule', 'release', 'repository_dispatch'],
    },
  },
  gitlab: {
    requiredClaims: {
      project_path: {
        pattern: /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)+$/,
        rule: 'must be the full path of a project without wildcards, like acme/product',
      },
      // Not `ref`: for the pipeline of a merge request, it is the name of the branch of the fork, which can be the same.
      ref_path: branchOrTag,
    },
    pinnedClaims: ['project_id', 'namespace_id'],
    trigger: { claim: 'pipeline_source', accepted: ['push', 'web', 'schedule', 'api', 'trigger'] },
  },
  other: {
    requiredClaims: {
      sub: { pattern: /^[^\s*]+$/, rule: 'must be the whole subject of the token, without spaces and wildcards' },
    },
    pinnedClaims: [],
  },
}

export const pinnedClaimNames = (provider: IdentityProvider): readonly string[] => providerRules[provider].pinnedClaims

/** Checked for every token, so a condition on them would be wrong or say nothing. */
const reservedClaims = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']

export function assertValidIdentity({ provider, issuer, claims }: FederatedIdentityInput): void {
  const errors: FieldError[] = []
  const issuerError = describeInvalidIssuer(provider, issuer)
  if (issuerError !== undefined) errors.push({ path: 'body/issuer', message: issuerError })
  const { requiredClaims, trigger } = providerRules[provider]
  for (const [name, { pattern, rule }] of Object.entries(requiredClaims))
    if (!Object.hasOwn(claims, name) || !pattern.test(claims[name] ?? ''))
      errors.push({ path: `body/claims/${name}`, message: rule })
  for (const name of reservedClaims)
    if (Object.hasOwn(claims, name))
      errors.push({ path: `body/claims/${name}`, message: 'is checked for every token: leave it out' })
  const event = trigger && claims[trigger.claim]
  if (trigger && event !== undefined && !trigger.accepted.includes(event))
    errors.push({ path: `body/claims/${trigger.claim}`, message: `must be one of ${trigger.accepted.join(', ')}` })
  const [first] = errors
  if (first) throw new Problem('invalid_request', `${first.path} ${first.message}.`, { errors })
}

function describeInvalidIssuer(provider: IdentityProvider, issuer: string): string | undefined {
  const url = URL.parse(issuer)
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be the URL of the issuer, like https://gitlab.example.com'
  if (url.username || url.password || url.search || url.hash) return 'must not contain a user, a query or a fragment'
  if (url.href !== issuer && url.href !== `${issuer}/`) return `must be written as ${url.href}`
  if (provider !== 'other' && issuer.endsWith('/')) return 'must not end with a slash'
  for (const [known, knownIssuer] of Object.entries(defaultIssuers))
    if (provider !== known && url.origin === new URL(knownIssuer).origin)
      return `is that of ${known}: use the provider ${known}`
  return undefined
}

/** Why a token does not match, for an owner. Undefined: it does. */
export function describeMismatch(identity: FederatedIdentity, token: Readonly<Record<string, unknown>>) {
  const { trigger, pinnedClaims } = providerRules[identity.provider]
  for (const [claim, expected] of Object.entries(identity.claims))
    if (readClaim(token, claim) !== expected) return { claim, expected, actual: shorten(token[claim]) }
  if (trigger && !trigger.accepted.includes(readClaim(token, trigger.claim) ?? ''))
    return { claim: trigger.claim, expected: trigger.accepted.join(', '), actual: shorten(token[trigger.claim]) }
  for (const claim of pinnedClaims) {
    const actual = readClaim(token, claim)
    const expected = identity.pinnedClaims?.[claim]
    if (actual === undefined || (expected !== undefined && actual !== expected))
      return { claim, expected: expected ?? 'an ID', actual: shorten(token[claim]) }
  }
  return undefined
}

/** Only a text: other values could have the same form as a text. */
export function readClaim(token: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(token, name) ? token[name] : undefined
  return typeof value === 'string' ? value : undefined
}

export const readClaims = (token: Readonly<Record<string, unknown>>, names: readonly string[]): Claims =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = readClaim(token, name)
      return value === undefined ? [] : [[name, shorten(value) ?? '']]
    }),
  )

const shorten = (value: unknown): string | null =>
  value === undefined ? null : String(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200)

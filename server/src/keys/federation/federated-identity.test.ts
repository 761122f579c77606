import { describe, expect, test } from 'vitest'
import { githubClaims, gitlabClaims } from '../../../../testing/simulators/id-token-issuer.ts'
import {
  assertValidIdentity,
  describeMismatch,
  type FederatedIdentity,
  type FederatedIdentityInput,
} from './federated-identity.ts'

const github: FederatedIdentityInput = {
  name: 'CI',
  provider: 'github',
  issuer: 'https://token.actions.githubusercontent.com',
  claims: { repository: 'acme/product', ref: 'refs/heads/main' },
  scopes: ['agent:write'],
}
const gitlab: FederatedIdentityInput = {
  ...github,
  provider: 'gitlab',
  issuer: 'https://gitlab.example.com',
  claims: { project_path: 'acme/product', ref_path: 'refs/heads/main' },
}
const other: FederatedIdentityInput = {
  ...github,
  provider: 'other',
  issuer: 'https://issuer.example.com/',
  claims: { sub: 'job:docs' },
}

test.each<[string, FederatedIdentityInput]>([
  ['GitHub', github],
  ['GitLab', gitlab],
  ['another issuer', other],
  ['a GitHub Enterprise Server', { ...github, issuer: 'https://github.example.com/_services/token' }],
  ['a tag', { ...github, claims: { ...github.claims, ref: 'refs/tags/v1' } }],
  ['more claims', { ...github, claims: { ...github.claims, environment: 'docs', event_name: 'push' } }],
  ['a group in a group', { ...gitlab, claims: { ...gitlab.claims, project_path: 'acme/tools/product' } }],
])('accepts %s', (_name, identity) => {
  expect(() => assertValidIdentity(identity)).not.toThrow()
})

test.each<[string, FederatedIdentityInput]>([
  ['no repository', { ...github, claims: { ref: 'refs/heads/main' } }],
  ['no branch', { ...github, claims: { repository: 'acme/product' } }],
  ['a wildcard in the repository', { ...github, claims: { ...github.claims, repository: 'acme/*' } }],
  ['a wildcard in the branch', { ...github, claims: { ...github.claims, ref: 'refs/heads/*' } }],
  ['a pull request', { ...github, claims: { ...github.claims, ref: 'refs/pull/1/merge' } }],
  ['a short branch', { ...github, claims: { ...github.claims, ref: 'main' } }],
  ['an event of pull requests', { ...github, claims: { ...github.claims, event_name: 'pull_request_target' } }],
  ['a condition on the audience', { ...github, claims: { ...github.claims, aud: 'x' } }],
  ['the short ref of GitLab alone', { ...gitlab, claims: { project_path: 'acme/product', ref: 'main' } }],
  ['an issuer with a trailing slash', { ...gitlab, issuer: 'https://gitlab.example.com/' }],
  ['an issuer with capital letters', { ...gitlab, issuer: 'https://GitLab.example.com' }],
  ['an issuer with a query', { ...gitlab, issuer: 'https://gitlab.example.com/?a' }],
  ['an issuer with a user', { ...gitlab, issuer: 'https://user@gitlab.example.com' }],
  ['an issuer that is not a URL', { ...gitlab, issuer: 'gitlab.example.com' }],
  ['an issuer that is not HTTP', { ...gitlab, issuer: 'file:///etc/passwd' }],
  ['GitHub as another issuer, without the check of events', { ...other, issuer: github.issuer }],
  ['no subject', { ...other, claims: { repository: 'acme/product' } }],
])('rejects %s', (_name, identity) => {
  expect(() => assertValidIdentity(identity)).toThrow('invalid_request')
})

const stored = (input: FederatedIdentityInput, pinnedClaims: FederatedIdentity['pinnedClaims'] = null) => ({
  ...input,
  projectId: 'prj_a' as const,
  id: 'fid_a' as const,
  pinnedClaims,
  createdBy: 'owner@example.com',
  takenOverBy: null,
  createdAt: new Date(),
  lastUsedAt: null,
})

describe('a token of GitHub', () => {
  const pinned = { repository_id: githubClaims.repository_id, repository_owner_id: githubClaims.repository_owner_id }

  test('matches by its exact claims', () => {
    expect(describeMismatch(stored(github), githubClaims)).toBeUndefined()
    expect(describeMismatch(stored(github, pinned), githubClaims)).toBeUndefined()
  })

  test.each<[string, object]>([
    ['another repository', { repository: 'acme/other' }],
    ['a repository that begins the same', { repository: 'acme/product-evil' }],
    ['the same repository in capital letters', { repository: 'Acme/Product' }],
    ['another branch', { ref: 'refs/heads/main2' }],
    ['a tag of the same name', { ref: 'refs/tags/main' }],
    ['no branch', { ref: undefined }],
    ['a list', { ref: ['refs/heads/main'] }],
    ['a pull request of a fork', { ref: 'refs/pull/1/merge', event_name: 'pull_request' }],
    ['an event that a fork causes, for the branch', { event_name: 'pull_request_target' }],
    ['an event that follows the run for a fork', { event_name: 'workflow_run' }],
    ['a comment', { event_name: 'issue_comment' }],
    ['no event', { event_name: undefined }],
    ['no ID of the repository', { repository_id: undefined }],
  ])('does not match with %s', (_name, claims) => {
    expect(describeMismatch(stored(github), { ...githubClaims, ...claims })).toBeDefined()
  })

  test('does not match if its name belongs to another repository or account than before', () => {
    for (const claims of [{ repository_id: '1' }, { repository_owner_id: '1' }])
      expect(describeMismatch(stored(github, pinned), { ...githubClaims, ...claims })).toMatchObject({ actual: '1' })
  })
})

describe('a token of GitLab', () => {
  test('matches by its exact claims', () => {
    expect(describeMismatch(stored(gitlab), gitlabClaims)).toBeUndefined()
  })

  test.each<[string, object]>([
    ['another project', { project_path: 'acme/other' }],
    ['a merge request of a fork whose branch has the same name', { ref_path: 'refs/merge-requests/1/head' }],
    ['a pipeline of a merge request', { pipeline_source: 'merge_request_event' }],
    ['no source', { pipeline_source: undefined }],
  ])('does not match with %s', (_name, claims) => {
    expect(describeMismatch(stored(gitlab), { ...gitlabClaims, ...claims })).toBeDefined()
  })
})

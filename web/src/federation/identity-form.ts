/** What the form of a federated identity contains, and the claims that it stands for. */
import type { CreateFederatedIdentityData, FederatedIdentity } from '@colophon/sdk'

export type NewIdentity = CreateFederatedIdentityData['body']
export type Provider = FederatedIdentity['provider']

export interface IdentityForm {
  provider: Provider
  name: string
  issuer: string
  repository: string
  branch: string
  environment: string
  subject: string
  scopes: readonly string[]
}

export const providerLabels: Readonly<Record<Provider, string>> = {
  github: 'GitHub Actions',
  gitlab: 'GitLab CI/CD',
  other: 'Another issuer',
}

export const defaultIssuers: Readonly<Record<Provider, string>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
  other: '',
}

export const emptyForm: IdentityForm = {
  provider: 'github',
  name: '',
  issuer: defaultIssuers.github,
  repository: '',
  branch: 'main',
  environment: '',
  subject: '',
  scopes: ['agent:read', 'agent:write'],
}

export function toNewIdentity(form: IdentityForm): NewIdentity {
  return {
    name: form.name.trim(),
    provider: form.provider,
    issuer: form.issuer.trim(),
    claims: toClaims(form),
    scopes: form.scopes as NonNullable<NewIdentity['scopes']>,
  }
}

function toClaims({ provider, repository, branch, environment, subject }: IdentityForm): Record<string, string> {
  if (provider === 'other') return { sub: subject.trim() }
  const ref = toRef(branch.trim())
  const name = repository.trim()
  return {
    ...(provider === 'github' ? { repository: name, ref } : { project_path: name, ref_path: ref }),
    ...(environment.trim() !== '' && { environment: environment.trim() }),
  }
}

/** A branch, unless it is the full name of a tag. */
const toRef = (branch: string): string => (branch.startsWith('refs/') ? branch : `refs/heads/${branch}`)

/** Such as “acme/product, branch main”. */
export function describeClaims(claims: Readonly<Record<string, string>>): string {
  const { repository, project_path, ref, ref_path, sub, ...others } = claims
  const fullRef = ref ?? ref_path
  const parts = [
    repository ?? project_path,
    fullRef && describeRef(fullRef),
    sub && `subject ${sub}`,
    ...Object.entries(others).map(([name, value]) => `${name} ${value}`),
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

const describeRef = (ref: string): string => ref.replace(/^refs\/heads\//, 'branch ').replace(/^refs\/tags\//, 'tag ')

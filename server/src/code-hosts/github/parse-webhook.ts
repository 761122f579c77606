import type { Static, TSchema } from 'typebox'
import Value from 'typebox/value'
import type { ParseWebhook, WebhookEvent } from '../code-host.ts'
import { parseJson } from '../json-api.ts'
import { decodeWebhookBody, hasValidWebhookSignature } from '../webhook-signature.ts'
import {
  CheckRunEvent,
  DeploymentStatusEvent,
  InstallationEvent,
  IssueCommentEvent,
  PullRequestEvent,
  RepositoryEvent,
  StatusEvent,
} from './webhook-events.ts'

/** Undefined: the payload does not match the event, or the event is irrelevant. */
type ReadEvent = (event: unknown) => WebhookEvent | undefined

const createReader =
  <Schema extends TSchema>(schema: Schema, read: (event: Static<Schema>) => WebhookEvent): ReadEvent =>
  (event) =>
    Value.Check(schema, event) ? read(event) : undefined

const readInstallationEvent = createReader(InstallationEvent, ({ installation }) => ({
  kind: 'repository',
  repositoryId: null,
  installationId: installation.id,
}))

const readers: Readonly<Record<string, ReadEvent>> = {
  pull_request: createReader(PullRequestEvent, ({ repository, number }) => ({
    kind: 'pull_request',
    repositoryId: repository.id,
    number,
  })),
  issue_comment: createReader(IssueCommentEvent, ({ repository, issue }) => ({
    kind: 'pull_request',
    repositoryId: repository.id,
    number: issue.number,
  })),
  check_run: createReader(CheckRunEvent, ({ repository, check_run: { check_suite: suite } }) => ({
    kind: 'branches',
    repositoryId: repository.id,
    branches: suite?.head_branch ? [suite.head_branch] : [],
  })),
  status: createReader(StatusEvent, ({ repository, branches }) => ({
    kind: 'branches',
    repositoryId: repository.id,
    branches: branches.map(({ name }) => name),
  })),
  deployment_status: createReader(DeploymentStatusEvent, ({ repository, deployment }) => ({
    kind: 'branches',
    repositoryId: repository.id,
    branches: [deployment.ref],
  })),
  repository: createReader(RepositoryEvent, ({ repository, installation }) => ({
    kind: 'repository',
    repositoryId: repository.id,
    installationId: installation?.id ?? null,
  })),
  installation: readInstallationEvent,
  installation_repositories: readInstallationEvent,
  installation_target: readInstallationEvent,
}

const prefix = 'sha256='

export const parseGithubWebhook: ParseWebhook = (delivery, secret) => {
  const { headers, body } = delivery
  const signature = headers['x-hub-signature-256']
  if (typeof signature !== 'string' || !signature.startsWith(prefix)) return { kind: 'not_authentic' }
  if (!hasValidWebhookSignature(secret, body, signature.slice(prefix.length))) return { kind: 'not_authentic' }
  const event = headers['x-github-event']
  const read = typeof event === 'string' && Object.hasOwn(readers, event) ? readers[event] : undefined
  return read?.(parseJson(decodeWebhookBody(delivery))) ?? { kind: 'ignored' }
}

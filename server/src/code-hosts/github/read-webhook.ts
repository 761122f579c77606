import type { Static, TSchema } from 'typebox'
import Value from 'typebox/value'
import type { ReadWebhook, WebhookReading } from '../code-host.ts'
import { parseJson } from '../json-api.ts'
import { isSignedWith, textOf } from '../signed-delivery.ts'
import {
  CheckRunEvent,
  DeploymentStatusEvent,
  InstallationEvent,
  IssueCommentEvent,
  PullRequestEvent,
  RepositoryEvent,
  StatusEvent,
} from './webhook-events.ts'

/** Undefined: not such an event after all, or not one that matters here. */
type ReadEvent = (event: unknown) => WebhookReading | undefined

const reader =
  <Schema extends TSchema>(schema: Schema, read: (event: Static<Schema>) => WebhookReading): ReadEvent =>
  (event) =>
    Value.Check(schema, event) ? read(event) : undefined

const ofInstallation = reader(InstallationEvent, ({ installation }) => ({
  kind: 'repository',
  repositoryId: null,
  installationId: installation.id,
}))

const readers: Readonly<Record<string, ReadEvent>> = {
  pull_request: reader(PullRequestEvent, ({ repository, number }) => ({
    kind: 'pull_request',
    repositoryId: repository.id,
    number,
  })),
  issue_comment: reader(IssueCommentEvent, ({ repository, issue }) => ({
    kind: 'pull_request',
    repositoryId: repository.id,
    number: issue.number,
  })),
  check_run: reader(CheckRunEvent, ({ repository, check_run: { check_suite: suite } }) => ({
    kind: 'branches',
    repositoryId: repository.id,
    branches: suite?.head_branch ? [suite.head_branch] : [],
  })),
  status: reader(StatusEvent, ({ repository, branches }) => ({
    kind: 'branches',
    repositoryId: repository.id,
    branches: branches.map(({ name }) => name),
  })),
  deployment_status: reader(DeploymentStatusEvent, ({ repository, deployment }) => ({
    kind: 'branches',
    repositoryId: repository.id,
    branches: [deployment.ref],
  })),
  repository: reader(RepositoryEvent, ({ repository, installation }) => ({
    kind: 'repository',
    repositoryId: repository.id,
    installationId: installation?.id ?? null,
  })),
  installation: ofInstallation,
  installation_repositories: ofInstallation,
  installation_target: ofInstallation,
}

const prefix = 'sha256='

export const readGithubWebhook: ReadWebhook = (delivery, secret) => {
  const { headers, body } = delivery
  const signature = headers['x-hub-signature-256']
  if (typeof signature !== 'string' || !signature.startsWith(prefix)) return { kind: 'not_authentic' }
  if (!isSignedWith(secret, body, signature.slice(prefix.length))) return { kind: 'not_authentic' }
  const event = headers['x-github-event']
  const read = typeof event === 'string' && Object.hasOwn(readers, event) ? readers[event] : undefined
  return read?.(parseJson(textOf(delivery))) ?? { kind: 'ignored' }
}

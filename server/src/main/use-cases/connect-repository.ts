/** Connects a project to its repository, after testing the connection. */
import type { RepositoryInput } from '../../api/repository/repository-connector.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { CodeHost } from '../../code-hosts/code-host.ts'
import { CodeHostError } from '../../code-hosts/code-host-error.ts'
import { type CodeHostConnection, createCodeHostFactory } from '../../code-hosts/code-host-factory.ts'
import type { EgressConfig } from '../../platform/config.ts'
import { createEgressFor } from '../../platform/egress/create-egress-for.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { isLoopback } from '../../platform/is-loopback.ts'
import type { Log } from '../../platform/log.ts'
import { createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import type { SealingPublicKeys } from '../../platform/sealed-secrets/sealing-keys.ts'
import type { Repository } from '../../projects/repository-store.ts'
import type { RepositoryTestResult } from '../../projects/repository-test-result.ts'
import type { Stores } from '../processes/open-stores.ts'

export interface ConnectRepositoryConfig {
  egress: EgressConfig
  /** Gets the reason why an internal code host cannot be used. Undefined: an operator connects it, and the error has the reason. */
  hiddenCauseLog?: Log
  sealingKeys: SealingPublicKeys
  publicUrl: string | undefined
}

export interface ConnectRepositoryResult {
  repository: Repository
  /** For the person who connected it. */
  message: string
}

export const testRepositoryConnection = (
  config: { egress: EgressConfig; hiddenCauseLog: Log },
  input: RepositoryInput,
  token: string,
): Promise<RepositoryTestResult> =>
  withCodeHost(config, input, token, (codeHost) => testConnectionAndDocsFolder(codeHost, input))

export const connectRepository = ({
  stores,
  config,
  projectId,
  input,
  token,
  actor,
}: {
  stores: Stores
  config: ConnectRepositoryConfig
  projectId: Id<'prj'>
  input: RepositoryInput
  token: string
  actor: Actor
}): Promise<ConnectRepositoryResult> =>
  withCodeHost(config, input, token, async (codeHost) => {
    const test = await codeHost.testConnection(input.baseBranch)
    if (!test.ok) throw new Problem('invalid_request', test.message)

    const credential = { kind: 'code-host-token', secret: token, baseUrl: input.baseUrl } as const
    const credentialId = await stores.credentials.put(projectId, credential, createSealer(config.sealingKeys), actor)
    const access = { kind: 'token', credentialId } as const
    const connection = { ...input, access, hostRepositoryId: null } // set by the first poll
    const repository = await stores.repositories.connect(projectId, connection, actor)
    const { webhookSecret } = repository

    const webhook = canReach(input.baseUrl, config.publicUrl)
      ? await ensureWebhook(codeHost, { url: `${config.publicUrl}/v1/webhooks/${projectId}`, secret: webhookSecret })
      : 'not_permitted'
    const followed = webhook === 'ensured' ? 'with a webhook' : 'by polling every few minutes'
    const message = `${input.owner}/${input.name} is connected. Pull requests are followed ${followed}.`
    return { repository, message }
  })

/** A code host cannot send webhooks to `localhost`, unless it is on the same machine. */
const canReach = (codeHostUrl: string, publicUrl: string | undefined): publicUrl is string =>
  publicUrl !== undefined && (!isLoopback(new URL(publicUrl).hostname) || isLoopback(new URL(codeHostUrl).hostname))

async function withCodeHost<Result>(
  config: Pick<ConnectRepositoryConfig, 'egress' | 'hiddenCauseLog'>,
  input: RepositoryInput,
  token: string,
  work: (codeHost: CodeHost) => Promise<Result>,
): Promise<Result> {
  const egress = createEgressFor('codeHosts', config.egress, config.hiddenCauseLog)
  try {
    return await work(createCodeHostFactory(egress)(toConnection(input, token)))
  } finally {
    await egress.close()
  }
}

const toConnection = ({ host, baseUrl, owner, name }: RepositoryInput, token: string): CodeHostConnection =>
  host === 'github'
    ? { host, baseUrl, owner, name, repositoryId: null, access: { kind: 'token', token } }
    : { host, baseUrl, owner, name, token }

export async function testConnectionAndDocsFolder(
  codeHost: CodeHost,
  input: Pick<RepositoryInput, 'owner' | 'name' | 'baseBranch' | 'docsFolder'>,
): Promise<RepositoryTestResult> {
  const test = await codeHost.testConnection(input.baseBranch)
  if (!test.ok) return { ok: false, message: test.message, found: null }
  const folder = await codeHost.inspectFolder(test.baseCommit, input.docsFolder).catch(ignoreCodeHostError)
  return {
    ok: true,
    message: `Colophon can read ${input.owner}/${input.name} and write branches and pull requests.`,
    found: {
      defaultBranch: test.defaultBranch,
      docsFolderExists: folder?.exists ?? null,
      pages: folder?.pages ?? null,
      canManageWebhooks: test.canManageWebhooks,
    },
  }
}

/** A failure does not matter: without a webhook, pull requests are polled. */
const ensureWebhook = (codeHost: CodeHost, webhook: { url: string; secret: string }) =>
  codeHost.ensureWebhook(webhook).catch(ignoreCodeHostError)

function ignoreCodeHostError(error: unknown): undefined {
  if (!(error instanceof CodeHostError)) throw error
}

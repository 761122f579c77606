/** Connects a project to its repository: tested before anything is saved. */
import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import type { WantedRepository } from '../api/repository/code-hosts.ts'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { CodeHost } from '../code-hosts/code-host.ts'
import { CodeHostError } from '../code-hosts/code-host-error.ts'
import { type CodeHostConnection, createOpenCodeHost } from '../code-hosts/open-code-host.ts'
import type { EgressConfig } from '../platform/config.ts'
import { createEgress } from '../platform/egress/egress.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { createDatabase } from '../platform/postgres.ts'
import { createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import type { SealingPublicKeys } from '../platform/sealed-secrets/sealing-keys.ts'
import { CredentialStore } from '../projects/credential-store.ts'
import type { Repository } from '../projects/repository-store.ts'
import type { RepositoryTest } from '../projects/repository-test.ts'
import type { ProjectTables } from '../projects/tables.ts'
import type { Stores } from './open-stores.ts'

export interface CodeHostConfig {
  egress: EgressConfig
  sealingKeys: SealingPublicKeys
  publicUrl: string | undefined
}

export interface ConnectedRepository {
  repository: Repository
  /** In words, for the person who connected it. */
  told: string
}

export const testRepository = (
  config: { egress: EgressConfig },
  wanted: WantedRepository,
  token: string,
): Promise<RepositoryTest> => withCodeHost(config, wanted, token, (codeHost) => testWith(codeHost, wanted))

export const connectRepository = ({
  stores,
  pool,
  config,
  projectId,
  wanted,
  token,
  actor,
}: {
  stores: Stores
  pool: Pool
  config: CodeHostConfig
  projectId: Id<'prj'>
  wanted: WantedRepository
  token: string
  actor: Actor
}): Promise<ConnectedRepository> =>
  withCodeHost(config, wanted, token, async (codeHost) => {
    const test = await codeHost.testConnection(wanted.baseBranch)
    if (!test.ok) throw new Problem('invalid_request', test.message)

    const credentials = new CredentialStore(
      createDatabase<ProjectTables>(pool),
      createSealer(config.sealingKeys),
      recordAudit,
    )
    const credentialId = await credentials.put(projectId, 'code-host-token', token, actor)
    const webhookSecret = randomBytes(32).toString('hex')
    const repository = {
      ...wanted,
      webhookSecret,
      issue: null,
      access: { kind: 'token' as const, credentialId },
      hostRepositoryId: null, // the first look fills it in
    }
    await stores.repositories.connect(projectId, repository, actor)

    const hook = config.publicUrl
      ? await ensureWebhook(codeHost, { url: `${config.publicUrl}/v1/webhooks/${projectId}`, secret: webhookSecret })
      : 'not_permitted'
    const followed = hook === 'ensured' ? 'by a webhook' : 'by asking every few minutes'
    return { repository, told: `${wanted.owner}/${wanted.name} is connected. Pull requests are followed ${followed}.` }
  })

async function withCodeHost<Answer>(
  config: { egress: EgressConfig },
  wanted: WantedRepository,
  token: string,
  work: (codeHost: CodeHost) => Promise<Answer>,
): Promise<Answer> {
  const egress = createEgress(config.egress)
  try {
    return await work(createOpenCodeHost(egress)(connectionWith(wanted, token)))
  } finally {
    await egress.close()
  }
}

const connectionWith = ({ host, baseUrl, owner, name }: WantedRepository, token: string): CodeHostConnection =>
  host === 'github'
    ? { host, baseUrl, owner, name, repositoryId: null, access: { kind: 'token', token } }
    : { host, baseUrl, owner, name, token }

export async function testWith(
  codeHost: CodeHost,
  wanted: Pick<WantedRepository, 'owner' | 'name' | 'baseBranch' | 'docsFolder'>,
): Promise<RepositoryTest> {
  const test = await codeHost.testConnection(wanted.baseBranch)
  if (!test.ok) return { ok: false, message: test.message, found: null }
  const folder = await codeHost.lookAtFolder(test.baseCommit, wanted.docsFolder).catch(unlessHostFails)
  return {
    ok: true,
    message: `${wanted.owner}/${wanted.name} can be read, and its branches and pull requests can be written.`,
    found: {
      defaultBranch: test.defaultBranch,
      docsFolderExists: folder?.exists ?? null,
      pages: folder?.pages ?? null,
      canManageWebhooks: test.canManageWebhooks,
    },
  }
}

/** The repository is connected all the same: without a webhook its pull requests are asked for. */
const ensureWebhook = (codeHost: CodeHost, webhook: { url: string; secret: string }) =>
  codeHost.ensureWebhook(webhook).catch(unlessHostFails)

function unlessHostFails(error: unknown): undefined {
  if (!(error instanceof CodeHostError)) throw error
}

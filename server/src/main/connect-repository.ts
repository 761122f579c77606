/** Connects a project to its repository: tested before anything is saved. */
import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import { openCodeHost } from '../code-hosts/open-code-host.ts'
import type { EgressConfig } from '../platform/config.ts'
import { createEgress } from '../platform/egress/egress.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { createDatabase } from '../platform/postgres.ts'
import { createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import type { SealingPublicKeys } from '../platform/sealed-secrets/sealing-keys.ts'
import { CredentialStore } from '../projects/credential-store.ts'
import type { Repository } from '../projects/repository-store.ts'
import type { ProjectTables } from '../projects/tables.ts'
import type { Stores } from './open-stores.ts'

export type WantedRepository = Omit<Repository, 'tokenCredentialId' | 'webhookSecret'>

/** Returns what a person wants to know about it. */
export async function connectRepository({
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
  config: { egress: EgressConfig; sealingKeys: SealingPublicKeys; publicUrl: string | undefined }
  projectId: Id<'prj'>
  wanted: WantedRepository
  token: string
  actor: Actor
}): Promise<string> {
  const egress = createEgress(config.egress)
  try {
    const { host, baseUrl, owner, name, baseBranch } = wanted
    const codeHost = openCodeHost({ host, baseUrl, owner, name, token }, egress)
    const test = await codeHost.testConnection(baseBranch)
    if (!test.works) throw new Problem('invalid_request', test.message)

    const credentials = new CredentialStore(
      createDatabase<ProjectTables>(pool),
      createSealer(config.sealingKeys),
      recordAudit,
    )
    const tokenCredentialId = await credentials.put(projectId, 'code-host-token', token, actor)
    const webhookSecret = randomBytes(32).toString('hex')
    await stores.repositories.connect(projectId, { ...wanted, tokenCredentialId, webhookSecret }, actor)

    const hook = config.publicUrl
      ? await codeHost.ensureWebhook({ url: `${config.publicUrl}/v1/hooks/${projectId}`, secret: webhookSecret })
      : 'not_permitted'
    const followed = hook === 'ensured' ? 'by a webhook' : 'by asking every few minutes'
    return `${owner}/${name} is connected. Pull requests are followed ${followed}.`
  } finally {
    await egress.close()
  }
}

import { afterAll, describe, expect, inject, test, vi } from 'vitest'
import type { ColophonError } from '../../../../sdk/src/index.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { githubClaims, gitlabClaims, startIdTokenIssuer } from '../../../../testing/simulators/id-token-issuer.ts'
import { scopes } from '../../keys/scopes.ts'
import type { Id } from '../../platform/ids.ts'

const issuer = await startIdTokenIssuer()
const api = await startTestApi(inject('services'), 'federation', {
  COLOPHON_EGRESS_ALLOWED_ISSUER_HOSTS: issuer.host,
  COLOPHON_TRUSTED_PROXIES: '127.0.0.1',
})
afterAll(async () => {
  await api.drop()
  await issuer.stop()
})

const audience = api.url.replace('127.0.0.1', 'localhost')
const identityInput = {
  name: 'Product repository',
  provider: 'github' as const,
  issuer: issuer.issuer,
  claims: { repository: 'acme/product', ref: 'refs/heads/main' },
}
const anonymous = api.clientWith()
const signToken = (claims: object = {}) => issuer.sign({ aud: audience, ...githubClaims, ...claims })
const exchange = async (projectId: string, claims?: object) =>
  anonymous.federation.exchangeToken(projectId, { token: await signToken(claims) })

async function createTrustingProject() {
  const project = await api.createProject()
  const identity = await project.client.federation.create(project.projectId, identityInput)
  return { ...project, identity }
}

const auditOf = async (projectId: Id<'prj'>) => api.stores.audit.list(projectId, { limit: 50, before: undefined })

describe('a CI run', () => {
  test('gets a key with the scopes of the identity, which is listed and audited', async () => {
    const { projectId, client, identity } = await createTrustingProject()
    const { secret, keyId, expiresAt, scopes } = await exchange(projectId)
    expect(scopes).toEqual(['agent:read', 'agent:write'])
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(300_000)
    const run = api.clientWith(secret)
    expect(await run.me()).toMatchObject({ projectId, keyId, expiresAt, name: 'Product repository, run 1234567890' })
    await run.jobs.list(projectId)
    await expect(run.keys.list(projectId)).rejects.toMatchObject({ code: 'insufficient_scope' })
    const { keys } = await client.keys.list(projectId)
    expect(keys.find(({ id }) => id === keyId)).toMatchObject({ createdBy: identity.id, expiresAt, revokedAt: null })
    expect(await auditOf(projectId)).toContainEqual(
      expect.objectContaining({ actor: identity.id, action: 'key.created', subject: keyId }),
    )
    const [listed] = (await client.federation.list(projectId)).identities
    expect(listed?.pinnedClaims).toEqual({ repository_id: '123456789', repository_owner_id: '987654' })
    expect(listed?.lastUsedAt).not.toBeNull()
  })

  test('of GitLab gets one as well, and chosen scopes apply', async () => {
    const { projectId, client } = await api.createProject()
    await client.federation.create(projectId, {
      name: 'GitLab',
      provider: 'gitlab',
      issuer: issuer.issuer,
      claims: { project_path: 'acme/product', ref_path: 'refs/heads/main' },
      scopes: ['analytics:read'],
    })
    const token = await issuer.sign({ aud: audience, ...gitlabClaims })
    expect((await anonymous.federation.exchangeToken(projectId, { token })).scopes).toEqual(['analytics:read'])
  })

  test('gets no key that is valid for longer than the token or an hour', async () => {
    const { projectId } = await createTrustingProject()
    const nowSeconds = Math.floor(Date.now() / 1000)
    const short = await exchange(projectId, { exp: nowSeconds + 20 })
    expect(Date.parse(short.expiresAt)).toBe((nowSeconds + 20) * 1000)
    const long = await exchange(projectId, { exp: nowSeconds + 86_400 })
    expect(Date.parse(long.expiresAt)).toBeLessThanOrEqual(Date.now() + 3_600_000)
  })

  test('gets the key of the identity with the most conditions', async () => {
    const { projectId, client } = await createTrustingProject()
    const special = await client.federation.create(projectId, {
      ...identityInput,
      claims: { ...identityInput.claims, environment: 'docs' },
      scopes: ['agent:read'],
    })
    const { keyId } = await exchange(projectId, { environment: 'docs' })
    const { keys } = await client.keys.list(projectId)
    expect(keys.find(({ id }) => id === keyId)?.createdBy).toBe(special.id)
  })

  test('gets no key for a repository that took over the name, and the owner finds out why', async () => {
    const { projectId } = await createTrustingProject()
    await exchange(projectId)
    await expect(exchange(projectId, { repository_id: '666' })).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(exchange(projectId, { repository_id: '667' })).rejects.toMatchObject({ code: 'unauthenticated' })
    const denials = await vi.waitFor(async () => {
      const found = (await auditOf(projectId)).filter(({ action }) => action === 'access.denied')
      expect(found).toHaveLength(1) // once an hour
      return found
    })
    expect(denials[0]).toMatchObject({
      actor: 'anonymous',
      detail: {
        reason: 'claims_differ',
        mismatches: [expect.objectContaining({ claim: 'repository_id', expected: '123456789', actual: '666' })],
      },
    })
  })
})

describe('a stranger', () => {
  test('learns only what is wrong with the token itself', async () => {
    const { projectId } = await createTrustingProject()
    const read = (exchanging: Promise<unknown>) => exchanging.catch((error: ColophonError) => error.detail)
    const details = [
      await read(exchange('prj_01m7ehrhx0fk5b0axvny9mpndf')),
      await read(exchange('x')),
      await read(exchange(projectId, { ref: 'refs/heads/x' })),
      await read(exchange(projectId, { event_name: 'pull_request_target' })),
    ]
    expect(new Set(details)).toEqual(new Set([expect.stringContaining('An owner of the project finds the reason')]))
    await expect(exchange(projectId, { aud: 'https://other.example.com' })).rejects.toThrow(`must be ${audience}`)
    await expect(anonymous.federation.exchangeToken(projectId, { token: 'a.b' })).rejects.toThrow('not an ID token')
  })

  test('cannot fill the audit log of a project that expects no tokens', async () => {
    const { projectId } = await api.createProject()
    await expect(exchange(projectId)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect((await auditOf(projectId)).filter(({ action }) => action === 'access.denied')).toEqual([])
  })

  test('is limited by network', async () => {
    const { projectId } = await createTrustingProject()
    const send = () =>
      fetch(`${api.url}/v2/projects/${projectId}/token-exchange`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.9' },
        body: JSON.stringify({ token: 'a.b.c' }),
      })
    const statuses = await Promise.all(Array.from({ length: 70 }, async () => (await send()).status))
    expect(statuses.filter((status) => status === 401)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  })
})

describe('the keys of an identity', () => {
  test('are revoked when it is deleted', async () => {
    const { projectId, client, identity } = await createTrustingProject()
    const { secret } = await exchange(projectId)
    const { secret: other } = await api.createKey(projectId)
    expect(await client.federation.delete(projectId, identity.id)).toMatchObject({ identities: [] })
    await expect(api.clientWith(secret).me()).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(exchange(projectId)).rejects.toMatchObject({ code: 'unauthenticated' })
    await api.clientWith(other).me()
    await expect(client.federation.delete(projectId, identity.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('are revoked with the person or the key that created it, also after they were demoted', async () => {
    const { projectId, client } = await api.createProject()
    const owner = await api.signIn({ projectId, role: 'owner' })
    const demoted = await api.signIn({ projectId, role: 'owner' })
    await api.signIn({ projectId, role: 'owner' }) // stays
    const parent = await api.createKey(projectId)
    const creators = [owner.client, demoted.client, parent.client]
    const secrets: string[] = []
    for (const [index, creator] of creators.entries()) {
      const claims = { ...identityInput.claims, environment: `env-${index}` }
      await creator.federation.create(projectId, { ...identityInput, claims, scopes: ['agent:read'] })
      secrets.push((await exchange(projectId, { environment: `env-${index}` })).secret)
    }
    const { members } = await client.members.list(projectId)
    const idOf = (email: string) => members.find((member) => member.email === email)?.id ?? ''
    const { created } = await owner.client.members.listCreated(projectId, idOf(demoted.email))
    expect(created.map(({ kind }) => kind)).toEqual(['federated_identity', 'key'])
    await client.members.changeRole(projectId, idOf(demoted.email), { role: 'viewer' })
    await client.members.remove(projectId, idOf(owner.email))
    await client.keys.revoke(projectId, parent.key.id)
    for (const secret of secrets)
      await expect(api.clientWith(secret).me()).rejects.toMatchObject({ code: 'unauthenticated' })
    expect((await client.federation.list(projectId)).identities).toEqual([])
  })

  test('stay valid if someone takes the identity over', async () => {
    const { projectId } = await api.createProject()
    const leaving = await api.signIn({ projectId, role: 'owner' })
    const staying = await api.signIn({ projectId, role: 'owner' })
    const identity = await leaving.client.federation.create(projectId, identityInput)
    const { members } = await staying.client.members.list(projectId)
    const memberId = members.find(({ email }) => email === leaving.email)?.id ?? ''
    await staying.client.members.remove(projectId, memberId, { keep: identity.id })
    const { secret } = await exchange(projectId)
    await api.clientWith(secret).me()
    expect((await staying.client.federation.list(projectId)).identities).toMatchObject([
      { createdBy: leaving.email, takenOverBy: staying.email },
    ])
  })

  test('do not count as keys that owners create, and have a maximum of their own', async () => {
    const { projectId, client, identity } = await createTrustingProject()
    await exchange(projectId)
    await api.pool.query(
      `INSERT INTO api_key (project_id, id, name, secret_hash, prefix, scopes, created_by, expires_at)
       SELECT project_id, 'key_' || gen_random_uuid(), name, sha256(random()::text::bytea), prefix, scopes, created_by, expires_at
       FROM api_key, generate_series(1, 499) WHERE created_by = $1`,
      [identity.id],
    )
    await expect(exchange(projectId)).rejects.toMatchObject({ code: 'rate_limited' })
    await client.keys.create(projectId, { name: 'another', scopes: ['agent:read'] })
  })

  test('are deleted a day after they expired, with the hashes of their tokens', async () => {
    const { projectId, client } = await createTrustingProject()
    const old = await exchange(projectId)
    await api.pool.query("UPDATE api_key SET expires_at = now() - interval '25 hours' WHERE id = $1", [old.keyId])
    await api.pool.query("UPDATE exchanged_id_token SET expires_at = now() - interval '1 s' WHERE project_id = $1", [
      projectId,
    ])
    const recent = await exchange(projectId)
    await api.stores.federatedIdentities.deleteExpired()
    const { keys } = await client.keys.list(projectId)
    expect(keys.map(({ id }) => id)).toContain(recent.keyId)
    expect(keys.map(({ id }) => id)).not.toContain(old.keyId)
    const { rows } = await api.pool.query('SELECT FROM exchanged_id_token WHERE project_id = $1', [projectId])
    expect(rows).toHaveLength(1)
  })
})

describe('creating an identity', () => {
  test('is possible for owners, and for keys without limits', async () => {
    const { projectId } = await api.createProject()
    const editor = await api.signIn({ projectId, role: 'editor' })
    await expect(editor.client.federation.create(projectId, identityInput)).rejects.toMatchObject({
      code: 'insufficient_role',
    })
    const parent = await api.createKey(projectId)
    const expiring = await parent.client.keys.create(projectId, {
      name: 'expiring',
      scopes: [...scopes],
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    })
    const inNetwork = await api.createKey(projectId, { allowedNetworks: ['127.0.0.0/8'] })
    for (const client of [api.clientWith(expiring.secret), inNetwork.client])
      await expect(client.federation.create(projectId, identityInput)).rejects.toMatchObject({
        code: 'insufficient_scope',
      })
    for (const { name, client, code } of await api.deniedCallers(projectId, 'project:write'))
      await expect(client.federation.create(projectId, identityInput), name).rejects.toMatchObject({ code })
  })

  test('is rejected with scopes that could outlive or approve the run', async () => {
    const { projectId, client } = await api.createProject()
    for (const scope of ['project:write', 'agent:approve'])
      await expect(
        client.federation.create(projectId, { ...identityInput, scopes: [scope as 'agent:read'] }),
      ).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(
      client.federation.create(projectId, { name: 'x', provider: 'other', claims: { sub: 'x' } }),
    ).rejects.toMatchObject({ code: 'invalid_request' })
    const github = await client.federation.create(projectId, {
      name: 'x',
      provider: 'github',
      claims: identityInput.claims,
    })
    expect(github.issuer).toBe('https://token.actions.githubusercontent.com')
  })
})

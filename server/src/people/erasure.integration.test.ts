import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'erasure', { COLOPHON_TRUSTED_PROXIES: '127.0.0.1' })
afterAll(() => api.drop())

const { pool, stores } = api

/** Every column of every table in which the text occurs. */
async function findText(text: string): Promise<string[]> {
  const { rows: columns } = await pool.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
  )
  const found: string[] = []
  for (const { table, column } of columns) {
    const { rows } = await pool.query(
      `SELECT FROM "${table}" WHERE strpos(lower("${column}"::text), lower($1)) > 0 LIMIT 1`,
      [text],
    )
    if (rows.length > 0) found.push(`${table}.${column}`)
  }
  return found.sort()
}

test('leaves nothing of a deleted person but their ID', async () => {
  const { projectId } = await api.createProject('Handbook')
  const other = await api.signIn({ projectId, role: 'owner' })
  const person = await api.signIn({ projectId, role: 'owner' })
  const { email } = person
  const name = 'Robin Unmistakable'
  const ipAddress = '198.51.100.77'
  await pool.query('UPDATE person SET name = $1 WHERE email = $2', [name, email])
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM person WHERE email = $1', [email])
  const personId = rows[0]?.id ?? ''

  // Everything that names a person: sign-ins, keys, runners with a rotated token, invitations, links, a deleted project.
  const from = {
    'content-type': 'application/json',
    'x-forwarded-for': ipAddress,
    origin: new URL(api.url).origin.replace('127.0.0.1', 'localhost'),
  }
  const signIn = (password: string) =>
    fetch(`${api.url}/v2/session`, { method: 'POST', headers: from, body: JSON.stringify({ email, password }) })
  expect((await signIn('wrong')).status).toBe(401)
  expect((await signIn(person.login.password)).status).toBe(200)
  await person.client.keys.create(projectId, { name: 'CI', scopes: ['agent:read'] })
  await person.client.federation.create(projectId, {
    name: 'CI',
    provider: 'github',
    claims: { repository: 'acme/product', ref: 'refs/heads/main' },
  })
  const { runner } = await person.client.runners.create(projectId, { name: 'own' })
  await other.client.runners.rotateToken(projectId, runner.id, { overlapHours: 1 })
  await person.client.invitations.create(projectId, { email: 'someone@example.com', role: 'viewer' })
  await other.client.invitations.create(projectId, { email, role: 'viewer' })
  await stores.people.createPasswordResetToken(email)
  const { id: deletedProject } = await stores.projects.create('Short-lived', { kind: 'operator' })
  await stores.members.add(deletedProject, { email, role: 'owner' }, { kind: 'operator' })
  await pool.query('UPDATE project_member SET person_id = $1 WHERE email = $2', [personId, email])
  await person.client.projects.delete(deletedProject, 'Short-lived')
  expect((await findText(email)).length).toBeGreaterThan(5)
  expect(await findText(ipAddress)).toContain('audit_entry.ip_address')

  await stores.accounts.delete(personId, { kind: 'operator' })
  expect(await findText(email)).toEqual([])
  expect(await findText(name)).toEqual([])
  expect(await findText(ipAddress)).toEqual([])
  // A pseudonym, by which entries of the same person can still be told apart.
  expect(await findText(personId)).toEqual([
    'api_key.created_by',
    'audit_entry.actor',
    'audit_entry.detail',
    'audit_entry.subject',
    'project_deletion.requested_by',
    'runner.created_by',
  ])
})

test('forgets who failed to sign in after 90 days, and nothing else', async () => {
  const insert = (id: string, days: number, action: string) =>
    pool.query(
      `INSERT INTO audit_entry (project_id, id, at, actor, action, subject, detail, ip_address)
       VALUES ('instance', $1, now() - make_interval(days => $2), 'anonymous', $3, 'instance', '{"email": "typo@example.com"}', '192.0.2.9')`,
      [id, days, action],
    )
  await insert('aud_old', 91, 'session.failed')
  await insert('aud_new', 89, 'session.failed')
  await insert('aud_other', 91, 'access.denied')
  expect(await stores.audit.anonymizeFailedSignIns(100)).toBe(1)
  expect(await stores.audit.anonymizeFailedSignIns(100)).toBe(0)
  const { rows } = await pool.query(
    `SELECT id, detail, ip_address FROM audit_entry WHERE id IN ('aud_old', 'aud_new', 'aud_other') ORDER BY id`,
  )
  const kept = { detail: { email: 'typo@example.com' }, ip_address: '192.0.2.9' }
  expect(rows).toEqual([
    { id: 'aud_new', ...kept },
    { id: 'aud_old', detail: {}, ip_address: null },
    { id: 'aud_other', ...kept },
  ])
})

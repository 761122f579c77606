/** `colophon-server admin model …` as it is typed, on PostgreSQL and the scripted model. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import { openModelKey } from '../models/model-store.ts'
import { createOpener } from '../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPrivateKeys } from '../platform/sealed-secrets/sealing-keys.ts'

let instance: TestInstance
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'admin-models')
})
afterAll(() => instance.drop())

const sealingKey = generateSealingKeyPair().privateEntry
const program = join(import.meta.dirname, 'colophon-server.ts')

function admin(args: string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'admin', 'model', ...args], {
    env: {
      PATH: process.env.PATH,
      ...instance.environment,
      COLOPHON_SEALING_PRIVATE_KEYS: sealingKey,
      COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(inject('services').modelUrl).host,
    },
    input,
    encoding: 'utf8',
  })
  return { status, stdout, said: stderr }
}

const adding = (name: string, ...more: string[]) => [
  'add',
  '--name',
  name,
  '--format',
  'openai-completions',
  '--url',
  `${inject('services').modelUrl}/v1`,
  '--provider-model',
  'scripted/answer',
  '--context-window',
  '1000',
  '--max-output',
  '100',
  ...more,
]

test('a model is added, shown, allowed and removed', async () => {
  const { id: projectId } = await instance.stores.projects.create('Docs', { kind: 'operator' })
  const added = admin(adding('played', '--input-price', '0.5', '--output-price', '2', '--default'), 'sk-secret\n')
  expect(added).toEqual({ status: 0, stdout: '', said: 'The model played is there for all projects.\n' })
  const model = await instance.stores.models.find(projectId, 'default')
  expect(model).toMatchObject({ name: 'played', prices: { input: '0.5', output: '2', cacheRead: null } })
  const keys = parseSealingPrivateKeys(sealingKey)
  expect(model && keys.ok && (await openModelKey(model, createOpener(keys.keys)))).toBe('sk-secret')

  expect(admin(['list']).stdout).toMatch(
    /^played {2}openai-completions {2}\S+ {2}scripted\/answer {2}all projects {2}default\n$/,
  )
  expect(admin(['allow', '--name', 'played', '--projects', projectId]).status).toBe(0)
  expect(admin(['list']).stdout).toContain(projectId)
  expect(admin(['allow', '--name', 'nobody']).status).toBe(1)
  expect(admin(['remove', '--name', 'played']).status).toBe(0)
  expect(admin(['list']).stdout).toBe('')
})

test('one that does not answer is not saved, unless that is wanted', () => {
  const refused = admin(adding('keyless'), '')
  expect([refused.status, refused.said]).toEqual([
    1,
    expect.stringMatching(/^The provider answered 401.*Nothing was saved/s),
  ])
  expect(admin(['list']).stdout).toBe('')
  expect(admin(adding('keyless', '--no-test'), '').status).toBe(0)
  expect(admin(['list']).stdout).toMatch(/^keyless /)
  expect(admin(adding('keyless', '--no-test'), '').said).toMatch(/There is a model keyless already/)
})

test("a project's budget is set", async () => {
  const { id: projectId } = await instance.stores.projects.create('Docs', { kind: 'operator' })
  expect(admin(['budget', '--project', projectId, '--job-tokens', '1000', '--month-usd', '20']).status).toBe(0)
  const { rows } = await instance.pool.query('SELECT * FROM project_budget WHERE project_id = $1', [projectId])
  expect(rows).toEqual([
    { project_id: projectId, max_tokens_per_job: '1000', max_tokens_per_month: null, max_usd_per_month: '20' },
  ])
})

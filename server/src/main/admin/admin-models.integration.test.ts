/** Runs `colophon-server admin model …` and `budget …` on PostgreSQL and the scripted model. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { withDatabaseRoleOf } from '../../../../testing/harness/database-roles.ts'
import { createTestInstance, type TestInstance } from '../../../../testing/harness/test-instance.ts'
import { openModelKey } from '../../models/model-store.ts'
import { createOpener } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPrivateKeys } from '../../platform/sealed-secrets/sealing-keys.ts'

let instance: TestInstance
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'admin-models')
})
afterAll(() => instance.drop())

const sealingKey = generateSealingKeyPair().privateEntry
const program = join(import.meta.dirname, '../colophon-server.ts')

function admin(args: string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'admin', ...args], {
    env: {
      PATH: process.env.PATH,
      ...withDatabaseRoleOf(['admin', ...args], instance.environment),
      COLOPHON_SEALING_PRIVATE_KEYS: sealingKey,
      COLOPHON_EGRESS_ALLOWED_MODEL_HOSTS: new URL(inject('services').modelUrl).host,
    },
    input,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const addModel = (name: string, ...options: string[]) => [
  'model',
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
  ...options,
]

test('adds, lists, allows and removes a model', async () => {
  const { id: projectId } = await instance.stores.projects.create('Docs', { kind: 'operator' })
  const added = admin(addModel('simulated', '--input-price', '0.5', '--output-price', '2', '--default'), 'sk-secret\n')
  expect(added).toEqual({ status: 0, stdout: '', stderr: 'The model simulated is available to all projects.\n' })
  const model = await instance.stores.models.find(projectId, 'default')
  expect(model).toMatchObject({ name: 'simulated', prices: { input: '0.5', output: '2', cacheRead: null } })
  const keys = parseSealingPrivateKeys(sealingKey)
  expect(model && keys.ok && (await openModelKey(model, createOpener(keys.keys)))).toBe('sk-secret')

  expect(admin(['model', 'list']).stdout).toMatch(
    /^simulated {2}openai-completions {2}\S+ {2}scripted\/answer {2}all projects {2}default\n$/,
  )
  expect(admin(['model', 'allow', '--name', 'simulated', '--projects', projectId]).status).toBe(0)
  expect(admin(['model', 'list']).stdout).toContain(projectId)
  expect(admin(['model', 'allow', '--name', 'nobody']).status).toBe(1)
  expect(admin(['model', 'remove', '--name', 'simulated']).status).toBe(0)
  expect(admin(['model', 'list']).stdout).toBe('')
})

test('does not save a model that fails its test, unless --no-test is given', () => {
  const failed = admin(addModel('keyless'), '')
  expect([failed.status, failed.stderr]).toEqual([
    1,
    expect.stringMatching(/^The provider responded with 401.*The model was not saved\./s),
  ])
  expect(admin(['model', 'list']).stdout).toBe('')
  expect(admin(addModel('keyless', '--no-test'), '').status).toBe(0)
  expect(admin(['model', 'list']).stdout).toMatch(/^keyless /)
  expect(admin(addModel('keyless', '--no-test'), '').stderr).toMatch(/A model named keyless already exists/)
})

test("sets and shows a project's budget", async () => {
  const { id: projectId } = await instance.stores.projects.create('Docs', { kind: 'operator' })
  const limits = ['--max-tokens-per-job', '1000', '--max-usd-per-month', '20']
  expect(admin(['budget', 'set', '--project', projectId, ...limits]).status).toBe(0)
  const { rows } = await instance.pool.query('SELECT * FROM project_budget WHERE project_id = $1', [projectId])
  expect(rows).toEqual([
    { project_id: projectId, max_tokens_per_job: '1000', max_tokens_per_month: null, max_usd_per_month: '20' },
  ])
  expect(admin(['budget', 'show', '--project', projectId]).stdout).toBe(
    [
      'max-tokens-per-job    1000',
      'max-tokens-per-month  limit of the instance',
      'max-usd-per-month     20',
      'tokens-this-month     0',
      'usd-this-month        0',
      '',
    ].join('\n'),
  )
})

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../testing/harness/test-api.ts'
import { buildExecutable } from './build-executable.ts'

const run = promisify(execFile)
const api = await startTestApi(inject('services'), 'executable')
const folder = mkdtempSync(join(tmpdir(), 'colophon-executable-test-'))
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await api.drop()
})

test('the single executable needs no Node, and calls the API', async () => {
  const { projectId, secret } = await api.createProject('Handbook')
  const file = join(folder, 'colophon')
  await buildExecutable(file)
  const env = { PATH: '/nonexistent', COLOPHON_URL: api.url, COLOPHON_API_KEY: secret }
  expect((await run(file, ['projects'], { env })).stdout).toContain(`${projectId}  active  Handbook`)
  await expect(run(file, ['nonsense'], { env })).rejects.toMatchObject({ code: 2 })
})

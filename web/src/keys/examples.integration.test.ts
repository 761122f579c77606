/** Every example runs as the page prints it, with nothing but the key added to the environment. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { startRunningApi } from '../../../dev-services/running-api.ts'
import { addTestModel } from '../../../dev-services/test-model.ts'
import { aiViewExample, examplesFor, type Runs } from './examples.ts'

const api = await startRunningApi(inject('services'), 'key examples')
const folder = mkdtempSync(join(tmpdir(), 'colophon-examples-'))
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await api.drop()
})

const { projectId, client, secret } = await api.makeProject()
await addTestModel(api.stores.models)
await api.pool.query(
  "INSERT INTO credential (project_id, id, kind, sealed) VALUES ($1, 'crd_1', 'code-host-token', '')",
  [projectId],
)
await api.pool.query(
  `INSERT INTO repository (project_id, host, base_url, owner, name, base_branch, token_credential_id, webhook_secret)
   VALUES ($1, 'gitea', 'https://git.example.com', 'docs', 'handbook', 'main', 'crd_1', 'x')`,
  [projectId],
)

// What `npm install @colophon/sdk` puts there; its source, so that no build is needed first.
mkdirSync(join(folder, 'node_modules/@colophon'), { recursive: true })
symlinkSync(join(import.meta.dirname, '../../../sdk'), join(folder, 'node_modules/@colophon/sdk'))

const run = promisify(execFile)
const endings: Readonly<Record<Runs, string>> = { bash: 'sh', node: 'ts', python3: 'py' }

async function runAsPrinted(runs: Runs, text: string): Promise<string> {
  const file = join(folder, `example.${endings[runs]}`)
  writeFileSync(file, text)
  const path = [dirname(process.execPath), process.env.PATH].join(':') // this Node, not another that may be installed
  const env = { PATH: path, COLOPHON_API_KEY: secret, NODE_OPTIONS: '--conditions=colophon-source --no-warnings' }
  const { stdout } = await run(runs, [file], { cwd: folder, env, timeout: 50_000 })
  return stdout
}

/** There is no worker here: the job that the example waits for ends because somebody cancels it. */
async function cancelTheJobOf(example: Promise<string>): Promise<void> {
  const ended = example.then(() => true).catch(() => true)
  const cancelled = vi.waitFor(
    async () => {
      const [job] = (await client.jobs.list(projectId, { status: 'active', limit: 1 })).jobs
      await client.jobs.cancel(projectId, String(job?.id))
    },
    { timeout: 40_000, interval: 500 },
  )
  await Promise.race([cancelled, ended])
}

test.each(examplesFor({ origin: api.url, projectId }))('$language', async ({ runs, text }) => {
  const running = runAsPrinted(runs, text)
  await cancelTheJobOf(running)
  const said = await running
  expect(said).toContain('failed')
  expect(said).toMatch(/human\W+0/)
})

test('an AI view is counted', async () => {
  const said = await runAsPrinted('bash', aiViewExample({ origin: api.url, projectId }))
  expect(JSON.parse(said)).toMatchObject({ counted: 1 })
})

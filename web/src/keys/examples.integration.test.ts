/** Runs every example as the page shows it, with the environment variables that the page names. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { startTestApi } from '../../../testing/harness/test-api.ts'
import {
  apiExamples,
  type ExampleInterpreter,
  exampleExtensions,
  renderAiViewExample,
  renderEnvironmentExample,
} from './examples.ts'

const api = await startTestApi(inject('services'), 'key examples')
const folder = mkdtempSync(join(tmpdir(), 'colophon-examples-'))
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await api.drop()
})

const { projectId, client, secret } = await api.createProject()
await api.addModel()
await api.pool.query(
  "INSERT INTO credential (project_id, id, kind, sealed) VALUES ($1, 'crd_1', 'code-host-token', '')",
  [projectId],
)
await api.pool.query(
  `INSERT INTO repository (project_id, host, base_url, owner, name, base_branch, token_credential_id, webhook_secret)
   VALUES ($1, 'gitea', 'https://git.example.com', 'docs', 'handbook', 'main', 'crd_1', 'x')`,
  [projectId],
)

const run = promisify(execFile)

/** The variables that the page tells people to export, with a real API key in place of the placeholder. */
async function readEnvironment(): Promise<Record<string, string>> {
  const names = ['COLOPHON_URL', 'COLOPHON_PROJECT_ID', 'COLOPHON_API_KEY']
  const exports = renderEnvironmentExample({ origin: api.url, projectId }).replace('colophon_…', secret)
  const { stdout } = await run('bash', ['-c', `${exports}\nprintenv ${names.join(' ')}`], {
    env: { PATH: process.env.PATH },
  })
  const values = stdout.trim().split('\n')
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

const environment = await readEnvironment()

async function runExample(interpreter: ExampleInterpreter, text: string): Promise<string> {
  const file = join(folder, `example.${exampleExtensions[interpreter]}`)
  writeFileSync(file, text)
  // This Node, not another that may be installed, and the Python with the client.
  const path = [join(folder, '.venv/bin'), dirname(process.execPath), process.env.PATH].join(':')
  const { stdout } = await run(interpreter, [file], {
    cwd: folder,
    env: { PATH: path, ...environment },
    timeout: 50_000,
  })
  return stdout
}

/** No worker runs here, so the job that the example waits for ends by being cancelled. */
async function cancelJobOf(example: Promise<string>): Promise<void> {
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

test.each(apiExamples)('runs the $language example', async ({ language, interpreter, renderInstallCommand, text }) => {
  if (renderInstallCommand) await runExample('bash', renderInstallCommand({ origin: api.url }))
  const running = runExample(interpreter, text)
  await cancelJobOf(running)
  const output = await running
  const isForPeople = language === 'Command line'
  expect(output).toMatch(isForPeople ? /was cancelled/ : /failed/)
  expect(output).toMatch(isForPeople ? /0 views/ : /human\W+0/)
})

test('counts an AI view', async () => {
  const output = await runExample('bash', renderAiViewExample({ origin: api.url, projectId }))
  expect(JSON.parse(output)).toMatchObject({ counted: 1 })
})

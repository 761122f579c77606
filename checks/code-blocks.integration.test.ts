/** Runs the code blocks of the documentation, and one of the dashboard, as printed, with example values replaced by those of a test instance. */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { getDevelopmentPython } from '../python/development-python.ts'
import { createGiteaTestRepository } from '../server/src/code-hosts/testing/gitea-test-repository.ts'
import {
  createGithubTestRepository,
  personalTokenPermissions,
} from '../server/src/code-hosts/testing/github-test-repository.ts'
import type { Id } from '../server/src/platform/ids.ts'
import { startTestApi } from '../testing/harness/test-api.ts'
import { renderCheckoutImportCommand } from '../web/src/analytics/sending-snippets.ts'
import {
  type CodeBlock,
  dashboardBlocks,
  findCopyBlocks,
  parseCodeBlocks,
  readCodeBlocks,
  readDashboardBlocks,
  untestedCodeBlockReasons,
} from './code-blocks.ts'

const services = inject('services')
const api = await startTestApi(services, 'code blocks')
const folder = mkdtempSync(join(tmpdir(), 'colophon-code-blocks-'))
const giteaRepository = await createGiteaTestRepository(services.gitea)
const githubRepository = await createGithubTestRepository(services.github, { by: 'token' })
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await giteaRepository.remove()
  await githubRepository.remove()
  await api.drop()
})

const { projectId, client, secret } = await api.createProject()
await api.addModel()
const person = await api.signIn({ projectId, role: 'owner' })
await api.signInOperator() // so that the person is not the last operator, who cannot be disabled
const { runner } = await client.runners.create(projectId, { name: 'an example' })
await client.views.ingest(projectId, { views: [{ path: '/docs/start', userAgent: 'GPTBot/1.2' }] })
const { rows: batches } = await api.pool.query<{ id: string }>('SELECT id FROM view_batch LIMIT 1')

const githubToken = await githubRepository.control.createFineGrainedToken(githubRepository.owner, {
  repositories: [githubRepository.id],
  permissions: personalTokenPermissions,
})
const files = {
  'token.txt': githubToken,
  'key.txt': 'a key',
  'instructions.md': 'Write in the present tense.\n',
  'docs.access.log': '192.0.2.1 - - [16/Nov/2026:12:00:00 +0000] "GET /docs/start HTTP/1.1" 200 512 "-" "GPTBot/1.2"\n',
}
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)

/** Makes a request that is answered with an error fail the block. */
writeFileSync(join(folder, 'curl'), '#!/bin/sh\nexec /usr/bin/curl --fail-with-body --silent --max-time 30 "$@"\n', {
  mode: 0o755,
})

const root = join(import.meta.dirname, '..')
const environment = {
  ...api.environment,
  HOME: folder,
  PATH: [folder, join(root, 'node_modules/.bin'), process.env.PATH].join(':'),
  COLOPHON_URL: api.url,
  COLOPHON_API_KEY: secret,
  COLOPHON_PROJECT_ID: projectId,
  RUNNER_ID: runner.id,
  GITEA_TOKEN: services.gitea.adminToken,
  BATCH: batches[0]?.id ?? '',
}

/** Values that every reader replaces by their own. */
const exampleValues: readonly [example: string, value: string][] = [
  ['https://git.example.com', services.gitea.url],
  ['team/handbook', `${giteaRepository.owner}/${giteaRepository.name}`],
  ['https://github.com', services.github.url],
  ['acme/handbook', `${githubRepository.owner}/${githubRepository.name}`],
  ['https://api.anthropic.com/v1', `${services.modelUrl}/v1`],
  ['https://colophon.example.com', api.url],
  ['http://localhost:8080', api.url],
  ['/var/log/nginx/docs.access.log', join(folder, 'docs.access.log')],
  ['robin@example.com', person.email],
]
const withRealValues = (text: string) =>
  exampleValues.reduce((result, [example, value]) => result.replaceAll(example, value), text)

const run = promisify(execFile)

/** A job with a pull request whose check `build` failed. No worker runs here, so the job ends by being cancelled. */
async function createEndedJob(): Promise<string> {
  const { id } = await client.jobs.create(projectId, { prompt: 'Document the --proxy flag.' })
  await client.jobs.cancel(projectId, id)
  await api.pool.query(
    `UPDATE job SET pull_request_number = 1, pull_request_url = 'https://git.example.com/docs/site/pulls/1',
       pull_request_branch = 'colophon/x', pull_request_state = 'open' WHERE id = $1`,
    [id],
  )
  const checks = [{ id: 'build', name: 'build', status: 'failed', url: null, summary: null }] as const
  const observed = { commit: 'a', checks, logs: {}, previewUrl: null }
  await api.stores.pullRequests.recordChecks({ projectId, jobId: id as Id<'job'>, number: 1 }, observed)
  return id
}

const heldDiffSha256 = 'a'.repeat(64)

/** Makes a job one whose result awaits approval. */
async function holdResult(jobId: string): Promise<void> {
  await api.pool.query(
    `WITH held AS (UPDATE turn SET status = 'completed', outcome = 'awaiting_approval' WHERE job_id = $1 RETURNING id, project_id),
       result AS (INSERT INTO turn_result (turn_id, project_id, base_commit) SELECT id, project_id, repeat('a', 40) FROM held),
       ended AS (UPDATE job SET status = 'completed', outcome = 'awaiting_approval' WHERE id = $1)
     INSERT INTO held_result (turn_id, diff, diff_sha256, is_diff_complete, reasons, new_hosts, held_at)
       SELECT id, '', $2, true, '[]', '{}', now() FROM held`,
    [jobId, heldDiffSha256],
  )
}

async function runShell(text: string): Promise<string> {
  const jobId = text.includes('$JOB_ID') ? await createEndedJob() : undefined
  const isApproval = text.includes('$DIFF_SHA256')
  if (jobId !== undefined && isApproval) await holdResult(jobId)
  const script = `set -eu -o pipefail\n${withRealValues(text)}`
  const { stdout } = await run('bash', ['-c', script], {
    cwd: text.startsWith('npx ') ? root : folder, // npx runs commands of the checkout
    env: { ...environment, JOB_ID: jobId, DIFF_SHA256: isApproval ? heldDiffSha256 : undefined },
    timeout: 50_000,
  })
  return stdout
}

const runners: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  sh: (text) => (startsServer.test(text) ? startServer(text) : runShell(text)),
  sql: (text) =>
    run('psql', [
      api.postgresUrl,
      '--set=ON_ERROR_STOP=1',
      '--set=block=0',
      '--command',
      text.replaceAll(':block', '0'),
    ]),
  ts: runTypeScript,
  python: runPython,
}

const startsServer = /^node testing\/simulators\//

/** Runs until the server says that it is ready. */
async function startServer(text: string): Promise<void> {
  const script = `exec ${text.replaceAll(/--port \d+/g, '--port 0').replaceAll('/tmp/repositories', folder)}`
  const server = spawn('bash', ['-c', script], { cwd: root, env: environment })
  let output = ''
  server.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  server.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  try {
    await vi.waitFor(() => expect(output).toContain('ready http://'), { timeout: 30_000, interval: 200 })
  } finally {
    server.kill('SIGKILL')
  }
}

/** The examples of the SDK import the first one of its README as a file. */
const sdkClientFile = parseCodeBlocks('sdk/README.md', readFileSync(join(root, 'sdk/README.md'), 'utf8'))
  .find(({ text }) => text.includes('export const client ='))
  ?.text.replaceAll(/^export /gm, '')

async function runTypeScript(text: string): Promise<void> {
  const script = text.replace("import { client, projectId } from './client.js'", sdkClientFile ?? '')
  const command = ['--conditions=colophon-source', '--input-type=module-typescript', '--eval', script]
  const output = await runUntilJobsEnd(process.execPath, command, join(root, 'sdk'))
  if (text.includes('client.jobs.create')) expect(output).toContain('failed')
}

/** The examples of the Python client import the first one of its README as a file. */
const pythonFolder = join(root, 'python')
const pythonSettings = parseCodeBlocks('python/README.md', readFileSync(join(pythonFolder, 'README.md'), 'utf8')).find(
  ({ language }) => language === 'python',
)

async function runPython(text: string): Promise<void> {
  writeFileSync(join(folder, 'settings.py'), pythonSettings?.text ?? '')
  writeFileSync(join(folder, 'example.py'), text)
  const output = await runUntilJobsEnd(await getDevelopmentPython(), ['example.py'], folder)
  if (text.includes('client.jobs.create')) expect(output).toContain('failed')
}

/** Runs a program, and cancels the jobs that it creates, because no worker runs here. Returns its output. */
async function runUntilJobsEnd(file: string, args: string[], cwd: string): Promise<string> {
  const env = { ...environment, PYTHONPATH: pythonFolder, PYTHONDONTWRITEBYTECODE: '1' }
  const program = run(file, args, { cwd, env, timeout: 50_000 })
  let isRunning = true
  const ended = program.finally(() => {
    isRunning = false
  })
  const cancelling = (async () => {
    for (; isRunning; await sleep(500)) {
      const { jobs } = await client.jobs.list(projectId, { status: 'active' })
      for (const { id } of jobs) await client.jobs.cancel(projectId, id)
    }
  })()
  const { stdout } = await ended
  await cancelling
  return stdout
}

const blocks = readCodeBlocks()
const runnable = blocks.filter(({ name }) => untestedCodeBlockReasons[name] === undefined)

test('every code block is run, or listed with the reason why not', () => {
  expect(runnable.filter(({ language }) => !runners[language]).map(({ name }) => name)).toEqual([])
  const names = new Set(blocks.map(({ name }) => name))
  expect(names.size, 'blocks with the same first line cannot be told apart').toBe(blocks.length)
  expect(Object.keys(untestedCodeBlockReasons).filter((name) => !names.has(name))).toEqual([])
  expect(parseCodeBlocks('a.md', 'A list:\n\n1. Run:\n\n   ```sh\n   ls\n   ```\n')).toEqual([
    { name: 'a.md: ls', language: 'sh', text: 'ls\n' },
  ])
  expect(() => parseCodeBlocks('a.md', '```\nls\n```\n')).toThrow('a language')
})

// Repositories first, because jobs need one; the other blocks in the order of the documents.
const isSetup = ({ text }: CodeBlock) => /repository connect.*--host gitea/.test(text)
const ordered = [...runnable.filter(isSetup), ...runnable.filter((block) => !isSetup(block))]

test.each(ordered)('runs $name', async ({ language, text }) => {
  await runners[language]?.(text)
})

test('every block of the dashboard is run, or listed with the reason why not', () => {
  const shown = new Set(readDashboardBlocks())
  expect([...shown].toSorted()).toEqual(Object.keys(dashboardBlocks).toSorted())
  for (const [name, block] of Object.entries(dashboardBlocks)) {
    if ('notRun' in block) continue
    expect(readFileSync(join(root, block.runBy), 'utf8'), `${block.runBy} runs ${name}`).toContain(block.where)
  }
  expect(findCopyBlocks('<CopyBlock label="x" text={renderNew(1)} /> <CopyBlock text="ls" />')).toEqual([
    'renderNew',
    '"ls"',
  ])
  expect(() => findCopyBlocks('<CopyBlock text={`ls`} />')).toThrow('in quotes')
})

test('runs the command of the dashboard that imports logs', async () => {
  const { stderr } = await run('bash', ['-c', withRealValues(renderCheckoutImportCommand(projectId))], {
    cwd: root,
    env: environment,
    timeout: 50_000,
  })
  expect(stderr).toContain('docs.access.log: 1 line')
})

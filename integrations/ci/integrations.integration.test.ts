/** Runs the bundles as the CI services do, against a real `api`. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import type { Id } from '../../server/src/platform/ids.ts'
import { createSealer } from '../../server/src/platform/sealed-secrets/sealed-secret.ts'
import {
  generateSealingKeyPair,
  parseSealingPublicKeys,
} from '../../server/src/platform/sealed-secrets/sealing-keys.ts'
import { startTestApi } from '../../testing/harness/test-api.ts'
import { operator } from '../../testing/harness/test-instance.ts'
import { githubClaims, gitlabClaims, startIdTokenIssuer } from '../../testing/simulators/id-token-issuer.ts'
import { bundles } from './build.ts'

const run = promisify(execFile)
const issuer = await startIdTokenIssuer()
const api = await startTestApi(inject('services'), 'integrations', {
  COLOPHON_EGRESS_ALLOWED_ISSUER_HOSTS: issuer.host,
})
await api.addModel()

let tokenSeconds = 300

/** As the Action requests tokens from GitHub. */
const tokenEndpoint = createServer(async (request, response) => {
  const url = new URL(request.url ?? '', 'http://localhost')
  if (request.headers.authorization !== 'Bearer request-token') return response.writeHead(401).end()
  const exp = Math.floor(Date.now() / 1000) + tokenSeconds
  const value = await issuer.sign({ ...githubClaims, aud: url.searchParams.get('audience'), exp })
  response.end(JSON.stringify({ value }))
})
tokenEndpoint.listen(0, '127.0.0.1')
await once(tokenEndpoint, 'listening')
const tokenUrl = `http://127.0.0.1:${(tokenEndpoint.address() as AddressInfo).port}/token?api-version=2.0`

afterAll(async () => {
  tokenEndpoint.close()
  await api.drop()
  await issuer.stop()
})

const url = api.url.replace('127.0.0.1', 'localhost')

async function connect(projectId: Id<'prj'>): Promise<void> {
  const parsed = parseSealingPublicKeys(generateSealingKeyPair().publicEntry)
  if (!parsed.ok) throw new Error(parsed.errors.join())
  const credential = { kind: 'code-host-token', secret: 'token', baseUrl: 'https://git.example.com' } as const
  const credentialId = await api.stores.credentials.put(projectId, credential, createSealer(parsed.keys), operator)
  await api.stores.repositories.connect(
    projectId,
    {
      host: 'gitea',
      baseUrl: 'https://git.example.com',
      owner: 'docs',
      name: 'site',
      baseBranch: 'main',
      docsFolder: '',
      publishing: {},
      access: { kind: 'token', credentialId },
      hostRepositoryId: null,
    },
    operator,
  )
}

async function createTrustingProject(provider: 'github' | 'gitlab') {
  const project = await api.createProject()
  await connect(project.projectId)
  const claims: Record<string, string> =
    provider === 'github'
      ? { repository: 'acme/product', ref: 'refs/heads/main' }
      : { project_path: 'acme/product', ref_path: 'refs/heads/main' }
  await project.client.federation.create(project.projectId, { name: 'CI', provider, issuer: issuer.issuer, claims })
  return project
}

/** A clone with two commits, the second with this message. */
async function createClone(message: string) {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-ci-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = async (...args: string[]) =>
    (
      await run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: folder })
    ).stdout.trim()
  await git('init', '--quiet', '--initial-branch=main')
  writeFileSync(join(folder, 'a.txt'), 'a')
  await git('add', '.')
  await git('commit', '--quiet', '-m', 'First')
  const before = await git('rev-parse', 'HEAD')
  writeFileSync(join(folder, 'proxy.ts'), 'export {}')
  await git('add', '.')
  await git('commit', '--quiet', '-m', message)
  return { folder, before, after: await git('rev-parse', 'HEAD') }
}

async function runBundle(file: string, folder: string, environment: Record<string, string>) {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, ...environment }
  return run(process.execPath, [file], { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ exitCode: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      exitCode: code,
      output: stdout + stderr,
    }),
  )
}

async function runAction(projectId: string, message: string, environment: Record<string, string> = {}) {
  const { folder, before, after } = await createClone(message)
  const files = { output: join(folder, '.output'), summary: join(folder, '.summary'), event: join(folder, '.event') }
  for (const file of Object.values(files)) writeFileSync(file, '')
  writeFileSync(files.event, JSON.stringify({ before, after }))
  const result = await runBundle(bundles['src/github.ts'], folder, {
    INPUT_URL: url,
    'INPUT_PROJECT-ID': projectId,
    INPUT_TOPIC: 'code-changes',
    INPUT_INSTRUCTIONS: 'Mention new flags.',
    'INPUT_WAIT-MINUTES': '0',
    GITHUB_EVENT_PATH: files.event,
    GITHUB_OUTPUT: files.output,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_REPOSITORY: 'acme/product',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: after,
    GITHUB_RUN_ID: after.slice(0, 8),
    GITHUB_RUN_ATTEMPT: '1',
    ACTIONS_ID_TOKEN_REQUEST_URL: tokenUrl,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
    ...environment,
  })
  return { ...result, outputs: readFileSync(files.output, 'utf8'), summary: readFileSync(files.summary, 'utf8') }
}

test('the GitHub Action creates one job per topic, and sends later pushes to it', async () => {
  const { projectId, client } = await createTrustingProject('github')
  const first = await runAction(projectId, 'Add --proxy')
  expect(first).toMatchObject({ exitCode: 0 })
  const { jobs } = await client.jobs.list(projectId)
  expect(jobs).toMatchObject([{ topic: 'code-changes', metadata: { repository: 'acme/product' } }])
  const jobId = jobs[0]?.id ?? ''
  expect(first.outputs).toContain(jobId)
  expect(first.summary).toContain(`${url}/projects/${projectId}/jobs/${jobId}`)
  const secrets = first.output.match(/colophon_\w+/g) ?? []
  expect(secrets).toHaveLength(1) // in the command that masks it
  expect(first.output).toContain(`::add-mask::${secrets[0]}`)
  expect(first.outputs + first.summary).not.toContain('colophon_')
  await runAction(projectId, 'Rename --proxy')
  expect((await client.jobs.list(projectId)).jobs).toHaveLength(1)
  const { messages } = await client.jobs.messages(projectId, jobId)
  expect(messages.map(({ prompt }) => prompt)).toEqual([
    expect.stringContaining('Add --proxy'),
    expect.stringContaining('Rename --proxy'),
  ])
})

test('the GitHub Action does not react to pull requests of Colophon', async () => {
  const { projectId, client } = await createTrustingProject('github')
  const result = await runAction(projectId, 'Document it\n\nColophon-Job: job_01m7ej5fb2e1et8d6t4k20dq6v')
  expect(result).toMatchObject({ exitCode: 0, summary: expect.stringContaining('Skipped') })
  expect((await client.jobs.list(projectId)).jobs).toEqual([])
})

test('the GitHub Action waits for the job, with a new key before the old one expires', async () => {
  const { projectId, client } = await createTrustingProject('github')
  tokenSeconds = 80 // less than what the Action wants to have left
  onTestFinished(() => {
    tokenSeconds = 300
  })
  const running = runAction(projectId, 'Add --proxy', { 'INPUT_WAIT-MINUTES': '2' })
  // No worker runs here, so the job that the Action waits for ends by being cancelled, after its first poll.
  const countKeys = async () => (await client.keys.list(projectId)).keys.length
  await vi.waitFor(async () => expect(await countKeys()).toBeGreaterThan(2), { timeout: 60_000, interval: 500 })
  const [job] = (await client.jobs.list(projectId)).jobs
  await client.jobs.cancel(projectId, job?.id ?? '')
  const { output, outputs, summary } = await running
  expect(new Set(output.match(/colophon_\w+/g)).size).toBeGreaterThan(1)
  expect(outputs).toMatch(/outcome<<.*\ncancelled\n/)
  expect(summary).toContain('Status: failed, cancelled')
})

test('the GitHub Action fails with what to do next', async () => {
  const untrusting = await api.createProject()
  const rejected = await runAction(untrusting.projectId, 'Add --proxy')
  expect(rejected).toMatchObject({ exitCode: 1, output: expect.stringContaining('::error::') })
  expect(rejected.output).toContain('federated identity')
  const withoutPermission = await runAction(untrusting.projectId, 'Add --proxy', { ACTIONS_ID_TOKEN_REQUEST_URL: '' })
  expect(withoutPermission).toMatchObject({ exitCode: 1, output: expect.stringContaining('id-token: write') })
})

test('the script of the GitLab component creates a job, and reports it', async () => {
  const { projectId, client } = await createTrustingProject('gitlab')
  const { folder, before, after } = await createClone('Add --proxy')
  const result = await runBundle(bundles['src/gitlab.ts'], folder, {
    COLOPHON_URL: url,
    COLOPHON_PROJECT_ID: projectId,
    COLOPHON_TOPIC: 'code-changes',
    COLOPHON_ID_TOKEN: await issuer.sign({ ...gitlabClaims, aud: url }),
    CI_PROJECT_PATH: 'acme/product',
    CI_COMMIT_BRANCH: 'main',
    CI_COMMIT_BEFORE_SHA: before,
    CI_COMMIT_SHA: after,
    CI_JOB_ID: '777',
  })
  expect(result).toMatchObject({ exitCode: 0 })
  const served = await fetch(`${api.url}/clients/update-docs.mjs`)
  expect(await served.text()).toBe(readFileSync(bundles['src/gitlab.ts'], 'utf8'))
  const [job] = (await client.jobs.list(projectId)).jobs
  expect(readFileSync(join(folder, 'colophon.env'), 'utf8')).toContain(`COLOPHON_JOB_ID=${job?.id}`)
  expect(existsSync(join(folder, 'colophon-summary.md'))).toBe(true)
  expect(result.output).not.toContain('colophon_')
})

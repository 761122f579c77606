/** The package works in every runtime that its README names: requests, retries, iteration, a followed job, and errors. */
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { startTestApi } from '../testing/harness/test-api.ts'
import { getClientRuntimes } from '../testing/services/client-runtimes.ts'
import { findBinary } from '../testing/services/find-binary.ts'
import { freePort } from '../testing/services/free-port.ts'
import { packSdk } from './build.ts'
import { npmNames } from './npm-names.ts'

const run = promisify(execFile)
const api = await startTestApi(inject('services'), 'client runtimes')
const folder = mkdtempSync(join(tmpdir(), 'colophon-runtimes-'))
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
const runtimes = await getClientRuntimes()

/** Unpacks the package as npm installs it, and writes programs that use it. */
async function installPackage(): Promise<void> {
  const { staging, packed } = await packSdk()
  const installed = join(folder, 'node_modules', npmNames.sdk)
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', packed, '--strip-components=1', '-C', installed])
  rmSync(staging, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(
    join(folder, 'scenario.js'),
    `import { createClient, isColophonError } from '${npmNames.sdk}'

    /** The first request of each kind fails, as if the connection was lost. */
    function createUnreliableFetch() {
      const failed = new Set()
      return async (url, init) => {
        const kind = (init.method ?? 'GET') + new Headers(init.headers).get('accept')
        if (failed.has(kind)) return fetch(url, init)
        failed.add(kind)
        if (init.method === 'POST') await fetch(url, init)
        throw new TypeError('the connection was lost')
      }
    }

    export async function runScenario(baseUrl, apiKey, projectId) {
      const client = createClient({ baseUrl, apiKey, fetch: createUnreliableFetch() })
      const jobIds = []
      const job = await client.jobs.createAndWait(projectId, { prompt: 'Fix the links.' }, { onProgress: ({ jobId }) => jobIds.push(jobId) })
      const listed = []
      for await (const { id } of client.jobs.list(projectId, { limit: 1 })) listed.push(id)
      const missing = await client.jobs.get(projectId, 'job_00000000000000000000000000').catch((error) => isColophonError(error, 'not_found'))
      const timeout = await client.me({ timeoutSeconds: 0, retry: false }).catch(({ code }) => code)
      const aborted = await client.me({ signal: AbortSignal.abort('enough') }).catch((reason) => reason)
      return { status: job.status, isReported: jobIds[0] === job.id, isListed: listed.includes(job.id), missing, timeout, aborted }
    }`,
  )
  writeFileSync(
    join(folder, 'main.js'),
    `import { runScenario } from './scenario.js'
    const { COLOPHON_URL, COLOPHON_API_KEY, COLOPHON_PROJECT_ID } = process.env
    console.log(JSON.stringify(await runScenario(COLOPHON_URL, COLOPHON_API_KEY, COLOPHON_PROJECT_ID)))`,
  )
}
await installPackage()

const environment = {
  PATH: process.env.PATH,
  HOME: folder,
  COLOPHON_URL: api.url,
  COLOPHON_API_KEY: secret,
  COLOPHON_PROJECT_ID: projectId,
}

/** No worker runs here, so the job that a program waits for ends by being cancelled. */
async function runWithCancelledJob<Result>(program: Promise<Result>): Promise<Result> {
  let isRunning = true
  const ended = program.finally(() => {
    isRunning = false
  })
  ended.catch(() => {})
  for (; isRunning; await sleep(200)) {
    for await (const { id } of client.jobs.list(projectId, { status: 'active' }))
      await client.jobs.cancel(projectId, id)
  }
  return ended
}

/** Runs a program, and checks that it did everything once. */
async function expectSuccess(runProgram: () => Promise<unknown>): Promise<void> {
  const countJobs = async () => (await api.pool.query('SELECT 1 FROM job')).rowCount ?? 0
  const before = await countJobs()
  expect(await runWithCancelledJob(runProgram())).toEqual({
    status: 'failed',
    isReported: true,
    isListed: true,
    missing: true,
    timeout: 'timeout',
    aborted: 'enough',
  })
  expect(await countJobs(), 'the lost response did not create a second job').toBe(before + 1)
}

test.each([
  ['Node 20.0', [runtimes.node20, 'main.js']],
  ['this Node', [process.execPath, 'main.js']],
  ['Deno', [runtimes.deno, 'run', '--allow-net', '--allow-env', '--no-lock', 'main.js']],
  ['Bun', [runtimes.bun, 'main.js']],
] as const)('%s', async (_name, [program, ...args]) => {
  await expectSuccess(async () => {
    const { stdout } = await run(program, args, { cwd: folder, env: environment, timeout: 60_000 })
    return JSON.parse(stdout) as unknown
  })
})

/** In one file, for runtimes that do not resolve packages. */
async function bundleScenario(entry: string, format: 'esm' | 'iife'): Promise<string> {
  writeFileSync(join(folder, 'entry.js'), entry)
  const bundle = await rolldown({ input: join(folder, 'entry.js'), platform: 'neutral' })
  const { output } = await bundle.generate({ format, name: 'bundle' })
  return output[0].code
}

test('workerd, the runtime of an edge network', async () => {
  const port = await freePort()
  const parameters = [api.url, secret, projectId].map((value) => JSON.stringify(value)).join()
  const worker = `import { runScenario } from './scenario.js'
    export default { fetch: async () => Response.json(await runScenario(${parameters})) }`
  writeFileSync(join(folder, 'worker.js'), await bundleScenario(worker, 'esm'))
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "main", worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-01-01")),
        (name = "internet", network = (allow = ["public", "private"])),
      ],
      sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
    );`,
  )
  const server = spawn(runtimes.workerd, ['serve', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    const call = () => fetch(`http://127.0.0.1:${port}`)
    await expectSuccess(async () => (await vi.waitFor(call, { timeout: 20_000, interval: 200 })).json())
  } finally {
    server.kill('SIGKILL')
  }
})

test('Chromium, on a page of the instance', async () => {
  const executablePath = findBinary('chromium')
  if (executablePath === undefined) throw new Error('chromium is missing: apt-get install chromium')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.goto(`${api.url}/reference`)
    const bundle = await bundleScenario("export { runScenario } from './scenario.js'", 'iife')
    const call = `bundle.runScenario(${[api.url, secret, projectId].map((value) => JSON.stringify(value)).join()})`
    await expectSuccess(() => page.evaluate(`(async () => { ${bundle}; return ${call} })()`))
  } finally {
    await browser.close()
  }
})

/** npm run dev: services, migrations, and all of Colophon's processes, which restart when their source changes. */
import { mkdtempSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatFirstOwnerUrl } from '../server/src/main/processes/log-first-owner-link.ts'
import { type ColophonProcess, prepareColophonProcess } from '../testing/harness/colophon-process.ts'
import { withDatabaseRole } from '../testing/harness/database-roles.ts'
import { createTestInstance } from '../testing/harness/test-instance.ts'
import { preferredPort } from '../testing/services/free-port.ts'
import { announceServices, findOrStartServices, findRunningServices } from '../testing/services/running-services.ts'
import { formatServiceTable } from '../testing/services/service-table.ts'
import { createDevProject, type DevProject } from './dev-project.ts'
import { formatLogLine } from './format-log-line.ts'

const stops: (() => Promise<unknown> | unknown)[] = []

async function main(): Promise<void> {
  const startedAt = performance.now()
  const alreadyRunning = findRunningServices() !== undefined
  const { addresses } = await findOrStartServices({
    log: (line) => console.error(`  ${line}`),
    onStop: (stop) => stops.push(stop),
  })
  if (!alreadyRunning) stops.push(announceServices(addresses))
  const instance = await createTestInstance(addresses, 'dev')
  stops.push(instance.drop)

  const directory = mkdtempSync(join(tmpdir(), 'colophon-dev-'))
  stops.push(() => rmSync(directory, { recursive: true, force: true }))
  const apiPort = await preferredPort(8080)
  const gatewayPort = await preferredPort(8090)
  const runnerPort = await preferredPort(8070)
  const environment = {
    ...instance.environment,
    COLOPHON_LISTEN: `127.0.0.1:${apiPort}`,
    COLOPHON_GATEWAY_LISTEN: `127.0.0.1:${gatewayPort}`,
  }
  const creatingProject = createDevProject(instance, addresses)
  const start = async (
    name: 'worker' | 'api' | 'runner',
    settings: Record<string, string>,
  ): Promise<ColophonProcess> => {
    const print = (line: string) => console.log(`${name.padEnd(7)}│ ${formatLogLine(line)}`)
    const colophon = await prepareColophonProcess(name, { environment: settings, directory, print })
    stops.push(() => colophon.process.stop())
    await colophon.process.start()
    return colophon
  }
  const starting = [start('worker', environment), start('api', environment)]
  const project = await creatingProject
  stops.push(project.remove)
  const runner = start('runner', {
    COLOPHON_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}`,
    COLOPHON_RUNNER_LISTEN: `127.0.0.1:${runnerPort}`,
    COLOPHON_RUNNER_TOKEN: await instance.createRunnerToken(),
    COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS: '3',
    COLOPHON_RUNNER_CGROUPS: 'optional',
  }).catch(reportMissingRunner)
  const processes = await Promise.all([...starting, runner])
  const running = processes.filter((process) => process !== undefined)
  await Promise.all(running.map(waitUntilReady))
  stops.push(restartOnChange(running))
  const url = `http://localhost:${apiPort}`
  const ownerLink = formatFirstOwnerUrl(url, await instance.stores.people.createFirstOwnerToken())
  console.log(`\nColophon is up after ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${url}\n`)
  console.log(formatServiceTable(addresses))
  console.log(
    nextSteps({
      url,
      ownerLink,
      databaseUrl: withDatabaseRole('api', environment).COLOPHON_DATABASE_URL ?? '',
      project,
    }),
  )
}

/** Commands start at the beginning of the line, so that they can be copied in one go. */
const nextSteps = ({ url, ownerLink, databaseUrl, project }: NextSteps) => `
Next steps

1. Open the dashboard and create your account. The link works once:

     ${ownerLink}

   Later, sign in at ${url} with the email address and password that you chose.
   The account owns the project "My docs", whose repository is ${project.repositoryUrl}

2. Or use the API. Paste this into another terminal to create a job:

export COLOPHON_URL=${url} COLOPHON_API_KEY=${project.apiKey} COLOPHON_PROJECT_ID=${project.projectId}
curl "$COLOPHON_URL/v2/agent/$COLOPHON_PROJECT_ID/job" -H "Authorization: Bearer $COLOPHON_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"prompt": "Say hello in docs/index.md"}'

   A few seconds later its pull request is open: ${project.repositoryUrl}/pulls

3. Record a page view, then read the page views. They are counted within ten seconds:

curl "$COLOPHON_URL/v1/ingest/$COLOPHON_PROJECT_ID/views" -H "Authorization: Bearer $COLOPHON_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"views": [{"path": "/docs/start", "userAgent": "ChatGPT-User/1.0"}]}'
curl "$COLOPHON_URL/v1/analytics/$COLOPHON_PROJECT_ID/views" -H "Authorization: Bearer $COLOPHON_API_KEY"

For \`npx colophon-server admin\`: export COLOPHON_DATABASE_URL=${databaseUrl}

Press Ctrl-C to stop everything and remove its data.
`

interface NextSteps {
  url: string
  ownerLink: string
  databaseUrl: string
  project: DevProject
}

/** Everything but jobs works on a machine that cannot run a sandbox. */
function reportMissingRunner(error: Error): undefined {
  console.error(`\nThe runner did not start, so jobs stay queued:\n${error.message}\n`)
}

async function waitUntilReady({ process: { name }, url }: ColophonProcess): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const report = await fetch(`${url}/readyz`).then(
      (response) => response.json(),
      () => undefined,
    )
    if ((report as { status?: string } | undefined)?.status === 'ready') return
    if (Date.now() > deadline) throw new Error(`${name} is not ready: ${JSON.stringify(report)}`)
    await sleep(200)
  }
}

/** Not `node --watch`: it sends messages to every worker thread, and Temporal's threads crash when they receive them. */
function restartOnChange(processes: readonly ColophonProcess[]): () => void {
  let restarting = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const restart = async () => {
    for (const { process } of processes) {
      await process.restart().catch((error: Error) => console.error(error.message))
    }
  }
  const watcher = watch(join(import.meta.dirname, '../server'), { recursive: true }, (_event, file) => {
    if (file?.endsWith('.test.ts')) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      console.log(`\n${file} changed: restarting\n`)
      restarting = restarting.then(restart)
    }, 300)
  })
  return () => watcher.close()
}

let stopped: Promise<void> | undefined

/** Stops everything, even if one of the stops fails. */
async function stopAll(exitCode: number): Promise<void> {
  stopped ??= (async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      await Promise.resolve(stop()).catch((error: unknown) => console.error(String(error)))
    }
  })()
  await stopped
  process.exit(exitCode)
}

process.once('SIGINT', () => void stopAll(0)).once('SIGTERM', () => void stopAll(0))
await main().catch(async (error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  await stopAll(1)
})

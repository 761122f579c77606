/** npm run dev: engines, migrations, and all of Colophon's processes, restarted when their source changes. */
import { mkdtempSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ColophonProcess, prepareProcess, runColophon, sealingKeySettings } from './colophon.ts'
import { makeDevProject } from './dev-project.ts'
import { createEmptyTestInstance } from './empty-test-instance.ts'
import { preferredPort } from './free-port.ts'
import { readableLine } from './readable-line.ts'
import { announceServices, findRunningServices, shareServices } from './running-services.ts'
import { serviceTable } from './service-table.ts'

const stops: (() => Promise<unknown> | unknown)[] = []

async function main(): Promise<void> {
  const startedAt = performance.now()
  const alreadyRunning = findRunningServices() !== undefined
  const { addresses } = await shareServices({
    say: (line) => console.error(`  ${line}`),
    onStop: (stop) => stops.push(stop),
  })
  if (!alreadyRunning) stops.push(announceServices(addresses))
  const instance = await createEmptyTestInstance(addresses, 'dev')
  stops.push(instance.drop)
  const sealingKeys = sealingKeySettings()
  await runColophon(['migrate'], instance)

  const directory = mkdtempSync(join(tmpdir(), 'colophon-dev-'))
  stops.push(() => rmSync(directory, { recursive: true, force: true }))
  const apiPort = await preferredPort(8080)
  const gatewayPort = await preferredPort(8090)
  const runnerPort = await preferredPort(8070)
  const environment = {
    ...instance.environment,
    ...(await sealingKeys),
    COLOPHON_EGRESS_ALLOWED_HOSTS: [addresses.gitea.url, addresses.github.url, addresses.modelUrl]
      .map((url) => new URL(url).host)
      .join(),
    COLOPHON_LISTEN: `127.0.0.1:${apiPort}`,
    COLOPHON_GATEWAY_LISTEN: `127.0.0.1:${gatewayPort}`,
  }
  const making = makeDevProject(environment, addresses)
  const start = async (
    name: 'worker' | 'api' | 'runner',
    settings: Record<string, string>,
  ): Promise<ColophonProcess> => {
    const print = (line: string) => console.log(`${name.padEnd(7)}│ ${readableLine(line)}`)
    const colophon = await prepareProcess(name, { environment: settings, directory, print })
    stops.push(() => colophon.part.stop())
    await colophon.part.start()
    return colophon
  }
  const starting = [start('worker', environment), start('api', environment)]
  const project = await making
  stops.push(project.remove)
  const runner = start('runner', {
    COLOPHON_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}`,
    COLOPHON_RUNNER_LISTEN: `127.0.0.1:${runnerPort}`,
    COLOPHON_RUNNER_TOKEN: project.runnerToken,
    COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS: '3',
  }).catch(noRunner)
  const processes = await Promise.all([...starting, runner])
  const running = processes.filter((one) => one !== undefined)
  await Promise.all(running.map(waitUntilReady))
  stops.push(restartOnChange(running))
  const url = `http://localhost:${apiPort}`
  const { projectId, key, repositoryUrl } = project
  const authorization = `-H 'Authorization: Bearer ${key}'`
  const withBody = (body: unknown) =>
    `curl ${authorization} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
  const job = withBody({ prompt: 'Say hello in docs/index.md' })
  const view = withBody({ views: [{ path: '/docs/start', userAgent: 'ChatGPT-User/1.0' }] })
  console.log(`\nColophon is up after ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${url}\n`)
  const ownerLink = await runColophon(['admin', 'owner-link'], { environment })
  console.log(`  Dashboard       ${ownerLink}   (the first owner's, once)`)
  console.log(`  Project         ${projectId}`)
  console.log(`  Its API key     ${key}   (shown this once)`)
  console.log(`  Its repository  ${repositoryUrl}`)
  console.log(`  For admin       export COLOPHON_DATABASE_URL=${instance.postgresUrl}`)
  console.log(`  Make a job      ${job} ${url}/v2/agent/${projectId}/job`)
  console.log(`  Count a view    ${view} ${url}/v1/ingest/${projectId}/views`)
  console.log(`  Look at it      curl ${authorization} ${url}/v1/analytics/${projectId}/views\n`)
  console.log(serviceTable(addresses))
  console.log('\nCtrl-C stops everything and removes its data.\n')
}

/** On a machine that cannot hold an agent the rest is still worth having. */
function noRunner(error: Error): undefined {
  console.error(`\nThere is no runner, so jobs will wait:\n${error.message}\n`)
}

async function waitUntilReady({ part, url }: ColophonProcess): Promise<void> {
  const until = Date.now() + 30_000
  for (;;) {
    const report = await fetch(`${url}/readyz`).then(
      (response) => response.json(),
      () => undefined,
    )
    if ((report as { status?: string } | undefined)?.status === 'ready') return
    if (Date.now() > until) throw new Error(`${part.name} is not ready: ${JSON.stringify(report)}`)
    await sleep(200)
  }
}

/** Not `node --watch`: it sends messages of its own to every worker thread, and Temporal's take them for theirs and crash. */
function restartOnChange(processes: readonly ColophonProcess[]): () => void {
  let restarting = Promise.resolve()
  let soon: NodeJS.Timeout | undefined
  const restart = async () => {
    for (const { part } of processes) await part.restart().catch((error: Error) => console.error(error.message))
  }
  const watcher = watch(join(import.meta.dirname, '../server'), { recursive: true }, (_event, file) => {
    if (file?.endsWith('.test.ts')) return
    clearTimeout(soon)
    soon = setTimeout(() => {
      console.log(`\n${file} changed: restarting\n`)
      restarting = restarting.then(restart)
    }, 300)
  })
  return () => watcher.close()
}

let stopped: Promise<void> | undefined

/** Whatever fails to stop, the rest is stopped. */
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

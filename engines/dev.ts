/** npm run dev: engines, migrations, and all of Colophon's processes, restarted when their source changes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeProject, prepareProcess, runColophon, sealingKeySettings } from './colophon.ts'
import { engineTable } from './engine-table.ts'
import { preferredPort } from './free-port.ts'
import { readableLine } from './readable-line.ts'
import { announceEngines, findRunningEngines, shareEngines } from './running-engines.ts'
import { createScope } from './scope.ts'

const stops: (() => Promise<unknown> | unknown)[] = []

async function main(): Promise<void> {
  const startedAt = performance.now()
  const alreadyRunning = findRunningEngines() !== undefined
  const { addresses, release } = await shareEngines((line) => console.error(`  ${line}`))
  stops.push(release)
  if (!alreadyRunning) stops.push(announceEngines(addresses))
  const scope = await createScope(addresses, 'dev')
  stops.push(scope.drop)
  await runColophon(['migrate'], scope)
  const { projectId, key } = await makeProject(scope.environment, 'My docs')

  const directory = mkdtempSync(join(tmpdir(), 'colophon-dev-'))
  stops.push(() => rmSync(directory, { recursive: true, force: true }))
  const [apiPort, gatewayPort, runnerPort] = [
    await preferredPort(8080),
    await preferredPort(8090),
    await preferredPort(8070),
  ]
  const environment = {
    ...scope.environment,
    ...(await sealingKeySettings()),
    COLOPHON_LISTEN: `127.0.0.1:${apiPort}`,
    COLOPHON_GATEWAY_LISTEN: `127.0.0.1:${gatewayPort}`,
    COLOPHON_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}`,
    COLOPHON_RUNNER_LISTEN: `127.0.0.1:${runnerPort}`,
    COLOPHON_RUNNER_TOKEN: 'development',
  }
  for (const name of ['worker', 'api', 'runner'] as const) {
    const print = (line: string) => console.log(`${name.padEnd(7)}│ ${readableLine(line)}`)
    const { part } = await prepareProcess(name, { environment, directory, print, watch: true })
    stops.push(() => part.stop())
    await part.start()
  }
  const url = `http://localhost:${apiPort}`
  console.log(`\nColophon is up after ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${url}\n`)
  console.log(`  Project         ${projectId}`)
  console.log(`  Its API key     ${key}   (shown this once)`)
  console.log(`  Try it          curl -H 'Authorization: Bearer ${key}' ${url}/v2/me\n`)
  console.log(engineTable(addresses))
  console.log('\nCtrl-C stops everything and removes its data.\n')
}

async function stopAll(exitCode: number): Promise<never> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop()
  process.exit(exitCode)
}

process.once('SIGINT', () => void stopAll(0)).once('SIGTERM', () => void stopAll(0))
await main().catch(async (error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  await stopAll(1)
})

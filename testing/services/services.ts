/** npm run services: starts the services, prints their addresses, and stops them on Ctrl-C. */

import { announceServices, findOrStartServices, findRunningServices } from './running-services.ts'
import { formatServiceTable } from './service-table.ts'

const running = findRunningServices()
if (running) {
  console.log('The services of this checkout are already running:\n')
  console.log(formatServiceTable(running))
  process.exit(0)
}

const stops: (() => Promise<void> | void)[] = []
const interrupted = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))

async function start(): Promise<void> {
  const startedAt = performance.now()
  const { addresses } = await findOrStartServices({
    log: (line) => console.error(`  ${line}`),
    onStop: (stop) => stops.push(stop),
  })
  stops.push(announceServices(addresses))
  console.log(`\nReady after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
  console.log(formatServiceTable(addresses))
  console.log('\nCtrl-C stops them and removes their data.')
}

const failure = await Promise.race([start().then(() => interrupted), interrupted]).then(
  () => undefined,
  (error: Error) => error,
)
console.log(failure ? failure.message : '\nStopping…')
for (const stop of stops.reverse()) await stop()
console.log('Stopped. All data was removed.')
process.exit(failure ? 1 : 0)

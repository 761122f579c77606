/** npm run services: starts the engines, says where they are, and stops them on Ctrl-C. */

import { announceServices, findRunningServices, shareServices } from './running-services.ts'
import { serviceTable } from './service-table.ts'

const running = findRunningServices()
if (running) {
  console.log('The engines of this checkout run already:\n')
  console.log(serviceTable(running))
  process.exit(0)
}

const stops: (() => Promise<void> | void)[] = []
const interrupted = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))

async function start(): Promise<void> {
  const startedAt = performance.now()
  const { addresses } = await shareServices({
    say: (line) => console.error(`  ${line}`),
    onStop: (stop) => stops.push(stop),
  })
  stops.push(announceServices(addresses))
  console.log(`\nReady after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
  console.log(serviceTable(addresses))
  console.log('\nCtrl-C stops them and removes their data.')
}

const failure = await Promise.race([start().then(() => interrupted), interrupted]).then(
  () => undefined,
  (error: Error) => error,
)
console.log(failure ? failure.message : '\nStopping…')
for (const stop of stops.reverse()) await stop()
console.log('Stopped. Nothing is left behind.')
process.exit(failure ? 1 : 0)

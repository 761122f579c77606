/** npm run engines: starts the engines, says where they are, and stops them on Ctrl-C. */
import { engineTable } from './engine-table.ts'
import { announceEngines, findRunningEngines, shareEngines } from './running-engines.ts'

const running = findRunningEngines()
if (running) {
  console.log('The engines of this checkout run already:\n')
  console.log(engineTable(running))
  process.exit(0)
}

const startedAt = performance.now()
const engines = await shareEngines((line) => console.error(`  ${line}`))
const withdraw = announceEngines(engines.addresses)
console.log(`\nReady after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
console.log(engineTable(engines.addresses))
console.log('\nCtrl-C stops them and removes their data.')

await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
console.log('\nStopping…')
withdraw()
await engines.release()
console.log('Stopped. Nothing is left behind.')
process.exit(0)

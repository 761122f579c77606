/**
 * npm run prove                          lists the promises
 * npm run prove -- <name> [...]          runs these proofs at their stated size
 * npm run prove -- all --ci              runs every proof at a small size
 * npm run prove -- --names               prints the names alone
 *
 * --ci, --full: another size. --seed N: the same random choices again. -- words: handed to the proof.
 */
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Proof, type ProofRun, type ProofSize, seededRandom } from './proof.ts'

const notProofs = new Set(['proof.ts', 'prove.ts'])
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !notProofs.has(file))
  .map((file) => file.slice(0, -'.ts'.length))

const load = (name: string): Promise<Proof> => import(`./${name}.ts`)

async function runProof(name: string, size: ProofSize, seed: number, words: readonly string[]): Promise<boolean> {
  const startedAt = performance.now()
  const figures: string[] = []
  const failures: string[] = []
  let checks = 0
  const stops: (() => Promise<unknown>)[] = []
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  const run: ProofRun = {
    size,
    seed,
    words,
    random: seededRandom(seed),
    say: (line) => console.log(`  ${seconds().padStart(6)} s  ${line}`),
    figure: (figureName, value) => void figures.push(`  ${figureName}: ${value}`),
    check(holds, what) {
      checks++
      if (holds) return
      failures.push(what)
      console.log(`  ${seconds().padStart(6)} s  DOES NOT HOLD: ${what}`)
    },
    cleanUp: (stop) => void stops.push(stop),
  }
  const cleanUpAll = async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      await stop().catch((error: unknown) => run.check(false, `cleaning up: ${reasonOf(error)}`))
    }
  }
  const onInterrupt = () => void cleanUpAll().then(() => process.exit(130))
  process.once('SIGINT', onInterrupt).once('SIGTERM', onInterrupt)

  const proof = await load(name)
  console.log(`\n${name}: ${proof.promise}\n  size ${size}, seed ${seed}`)
  try {
    await proof.prove(run)
  } catch (error) {
    run.check(false, reasonOf(error))
  }
  await cleanUpAll()
  if (checks === 0) run.check(false, 'nothing was checked')
  process.off('SIGINT', onInterrupt).off('SIGTERM', onInterrupt)

  for (const line of figures) console.log(line)
  for (const failure of failures) console.log(`  does not hold: ${failure}`)
  console.log(`${name}: ${failures.length === 0 ? 'holds' : 'DOES NOT HOLD'} (${checks} checks, ${seconds()} s)`)
  return failures.length === 0
}

const reasonOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))

function readArguments() {
  try {
    return parseArgs({
      options: {
        ci: { type: 'boolean' },
        full: { type: 'boolean' },
        seed: { type: 'string' },
        names: { type: 'boolean' },
      },
      allowPositionals: true,
      tokens: true,
    })
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

async function main(): Promise<number> {
  const { values, positionals, tokens } = readArguments()
  const terminator = tokens.find((token) => token.kind === 'option-terminator')
  const words = terminator ? process.argv.slice(2 + terminator.index + 1) : []
  const asked = positionals.slice(0, positionals.length - words.length)

  if (values.names) {
    console.log(names.join('\n'))
    return 0
  }
  if (asked.length === 0) {
    console.log('Promises and their proofs. Run one with: npm run prove -- <name>\n')
    for (const name of names) console.log(`  ${name.padEnd(28)} ${(await load(name)).promise}`)
    return 0
  }
  const chosen = asked[0] === 'all' ? names : asked
  const unknown = chosen.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    console.error(`There is no proof named ${unknown.join(', ')}. There are: ${names.join(', ')}.`)
    return 2
  }
  const size: ProofSize = values.full ? 'full' : values.ci ? 'ci' : 'stated'
  if (values.seed !== undefined && !/^\d{1,10}$/.test(values.seed)) {
    console.error('--seed has to be a number that an earlier run printed.')
    return 2
  }
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
  const failed: string[] = []
  for (const name of chosen) if (!(await runProof(name, size, seed, words))) failed.push(name)
  if (chosen.length > 1) console.log(`\n${chosen.length - failed.length} passed, ${failed.length} failed`)
  return failed.length === 0 ? 0 : 1
}

process.exit(await main())

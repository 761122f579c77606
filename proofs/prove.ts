/**
 * npm run prove                          lists the guarantees
 * npm run prove -- <name> [...]          runs these proofs at their stated size
 * npm run prove -- all --ci              runs every proof at a small size
 * npm run prove -- --names               prints only the names
 *
 * --ci, --full: run at the small or the full size. --seed N: repeat the random choices of an earlier run.
 * --record: write the figures to results.json. -- arguments: passed to the proof.
 */
import { parseArgs } from 'node:util'
import { type ProofRun, type ProofSize, seededRandom } from './proof.ts'
import { loadProof, proofNames, type RecordedFigure, recordRun } from './results.ts'

interface RunOptions {
  size: ProofSize
  seed: number
  args: readonly string[]
  record: boolean
}

async function runProof(name: string, { size, seed, args, record }: RunOptions): Promise<boolean> {
  const startedAt = performance.now()
  const figures: RecordedFigure[] = []
  const failures: string[] = []
  let checks = 0
  const stops: (() => Promise<unknown>)[] = []
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  const run: ProofRun = {
    size,
    seed,
    args: args,
    random: seededRandom(seed),
    log: (line) => console.log(`  ${seconds().padStart(6)} s  ${line}`),
    figure: (label, value, target) =>
      void figures.push({ name: label, value: String(value), ...(target && { target }) }),
    check(ok, message) {
      checks++
      if (ok) return
      failures.push(message)
      console.log(`  ${seconds().padStart(6)} s  FAILED: ${message}`)
    },
    cleanUp: (stop) => void stops.push(stop),
  }
  let cleaningUp: Promise<void> | undefined
  const cleanUpInOrder = async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      await stop().catch((error: unknown) => run.check(false, `clean-up succeeds: ${describeError(error)}`))
    }
  }
  const cleanUpAll = () => {
    cleaningUp ??= cleanUpInOrder() // the proof may fail because of an interrupt, while that is still cleaning up
    return cleaningUp
  }
  const onInterrupt = () => void cleanUpAll().then(() => process.exit(130))
  process.once('SIGINT', onInterrupt).once('SIGTERM', onInterrupt)

  const proof = await loadProof(name)
  console.log(`\n${name}: ${proof.guarantee}\n  size ${size}, seed ${seed}`)
  try {
    await proof.prove(run)
  } catch (error) {
    run.check(false, `the proof runs to its end: ${describeError(error)}`)
  }
  await cleanUpAll()
  if (checks === 0) run.check(false, 'the proof makes at least one check')
  process.off('SIGINT', onInterrupt).off('SIGTERM', onInterrupt)

  for (const { name: label, value, target } of figures) {
    const goal = target ? ` (target ${target.goal}: ${target.isMet ? 'met' : 'MISSED'})` : ''
    console.log(`  ${label}: ${value}${goal}`)
  }
  for (const failure of failures) console.log(`  failed: ${failure}`)
  console.log(`${name}: ${failures.length === 0 ? 'passed' : 'FAILED'} (${checks} checks, ${seconds()} s)`)
  if (record && size !== 'ci') {
    recordRun({ proof: name, size, seed, passed: failures.length === 0, checks, seconds: Number(seconds()), figures })
  }
  return failures.length === 0
}

const describeError = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))

function readArguments() {
  try {
    return parseArgs({
      options: {
        ci: { type: 'boolean' },
        full: { type: 'boolean' },
        seed: { type: 'string' },
        names: { type: 'boolean' },
        record: { type: 'boolean' },
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
  const args = terminator ? process.argv.slice(2 + terminator.index + 1) : []
  const requestedNames = positionals.slice(0, positionals.length - args.length)

  if (values.names) {
    console.log(proofNames.join('\n'))
    return 0
  }
  if (requestedNames.length === 0) {
    console.log('Guarantees and their proofs. Run one with: npm run prove -- <name>\n')
    for (const name of proofNames) console.log(`  ${name.padEnd(24)} ${(await loadProof(name)).guarantee}`)
    return 0
  }
  const selectedNames = requestedNames[0] === 'all' ? proofNames : requestedNames
  const unknown = selectedNames.filter((name) => !proofNames.includes(name))
  if (unknown.length > 0) {
    console.error(`Unknown proof: ${unknown.join(', ')}. Choose from: ${proofNames.join(', ')}.`)
    return 2
  }
  const size: ProofSize = values.full ? 'full' : values.ci ? 'ci' : 'stated'
  if (values.seed !== undefined && !/^\d{1,10}$/.test(values.seed)) {
    console.error('--seed must be a non-negative integer of at most 10 digits, as printed by an earlier run.')
    return 2
  }
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
  const failed: string[] = []
  const options = { size, seed, args, record: values.record ?? false }
  for (const name of selectedNames) if (!(await runProof(name, options))) failed.push(name)
  if (selectedNames.length > 1) console.log(`\n${selectedNames.length - failed.length} passed, ${failed.length} failed`)
  return failed.length === 0 ? 0 : 1
}

process.exit(await main())

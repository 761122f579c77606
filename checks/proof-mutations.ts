/**
 * npm run check:proofs                    adds each bug of the list to a copy of the checkout, and expects a proof or test to fail
 * npm run check:proofs -- <name> [...]    only these bugs
 *
 * A guarantee is only as good as its proof: a proof that passes with a bug in its subject proves nothing about it. Takes an hour
 * or two, less if `npm run services` is running.
 */
import { mutations } from './proof-mutations/mutations.ts'
import { runMutation } from './proof-mutations/run-mutation.ts'

const names = process.argv.slice(2)
const unknown = names.filter((name) => !mutations.some((mutation) => mutation.name === name))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Choose from: ${mutations.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}
const selected = names.length === 0 ? mutations : mutations.filter(({ name }) => names.includes(name))

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())

const nameWidth = Math.max(...selected.map(({ name }) => name.length))
const runners = selected.map(({ caughtBy }) => ('proof' in caughtBy ? caughtBy.proof : caughtBy.test))
const runnerWidth = Math.max(...runners.map((runner) => runner.length))
const maxFailureCharacters = 100
const printRow = (name: string, runner: string, result: string, seconds: string, failure = '') =>
  console.log(
    `${name.padEnd(nameWidth)}  ${runner.padEnd(runnerWidth)}  ${result.padEnd('NOT CAUGHT'.length)}  ${seconds.padStart(7)}  ` +
      failure.slice(0, maxFailureCharacters),
  )

printRow('mutation', 'must fail', 'result', 'seconds', 'failure')
let missed = 0
for (const [index, mutation] of selected.entries()) {
  const { failure, seconds, output } = await runMutation(mutation, interruption.signal).catch((error: Error) => ({
    failure: undefined,
    seconds: 0,
    output: error.message,
  }))
  if (interruption.signal.aborted) process.exit(130)
  printRow(
    mutation.name,
    runners[index] ?? '',
    failure === undefined ? 'NOT CAUGHT' : 'caught',
    String(seconds),
    failure,
  )
  if (failure !== undefined) continue
  missed++
  console.error(`\n${mutation.bug}. Expected failure: ${mutation.failure}\n${output}\n`)
}
console.log(`\n${selected.length - missed} of ${selected.length} mutations are caught.`)
process.exitCode = missed === 0 ? 0 : 1

/** Runs the program of a client step by step, with a fault during each step. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type ScenarioResults, type ScenarioSettings, type StepName, stepNames } from './tested-client.ts'

/** Returns when the fault is over. The step goes on meanwhile, and may end before. */
export type Fault = () => Promise<void>

/** `before`: what must be true when the step starts. `during`: what happens from then on. */
export interface StepFaults {
  before?: Fault
  during?: Fault
}

/** At which the program must have ended, however slow the machine is. */
const timeoutMs = 240_000

export async function runScenario(
  command: readonly string[],
  { directory, settings }: { directory: string; settings: ScenarioSettings },
  faults: Partial<Record<StepName, StepFaults>>,
): Promise<ScenarioResults> {
  const [file = '', ...args] = command
  const program = spawn(file, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => program.kill('SIGKILL'), timeoutMs)
  let errorOutput = ''
  program.stderr.on('data', (chunk: Buffer) => {
    errorOutput += chunk
  })
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
  const readLine = async (prefix: string): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`the program ended before “${prefix}”: ${errorOutput}`)
      if (value.startsWith(prefix)) return value.slice(prefix.length)
    }
  }
  const results: Partial<Record<StepName, unknown>> = {}
  try {
    for (const name of stepNames) {
      await readLine(`ready ${name}`)
      const { before, during } = faults[name] ?? {}
      await before?.()
      program.stdin.write('go\n')
      const [result] = await Promise.all([readLine(`done ${name} `), during?.()])
      results[name] = JSON.parse(result)
    }
    if (program.exitCode === null) await once(program, 'close')
  } finally {
    clearTimeout(timer)
    program.kill('SIGKILL')
  }
  return results as ScenarioResults
}

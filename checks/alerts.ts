/** npm run check:alerts: promtool checks the alert rules, and tests when they fire. */
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { getPromtoolBinary } from '../testing/services/prometheus-binaries.ts'
import { runCommand } from '../testing/services/run-command.ts'
import { alertsFile, readAlerts } from './monitoring.ts'

const directory = await mkdtemp(join(tmpdir(), 'colophon-alerts-'))
try {
  const promtool = await getPromtoolBinary()
  const monitoring = dirname(alertsFile)
  const run = (...args: string[]) => runCommand([promtool, ...args], { cwd: monitoring })
  process.stdout.write(await run('check', 'rules', 'alerts.yml'))
  process.stdout.write(await run('test', 'rules', 'alerts.test.yml'))
  await checkTests(promtool, monitoring)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await rm(directory, { recursive: true })
}

/** Tests that pass with rules that never fire, or with rules that always fire, test nothing. */
async function checkTests(promtool: string, monitoring: string): Promise<void> {
  const rules = await readFile(alertsFile, 'utf8')
  await cp(join(monitoring, 'alerts.test.yml'), join(directory, 'alerts.test.yml'))
  for (const [kind, expression] of [
    ['never', 'vector(0) > 1'],
    ['always', 'vector(1)'],
  ] as const) {
    const broken = rules.replaceAll(/expr: (\|\n(?: {10}.*\n)+|.*\n)/g, `expr: ${expression}\n`)
    await writeFile(join(directory, 'alerts.yml'), broken)
    const { stdout, stderr } = spawnSync(promtool, ['test', 'rules', 'alerts.test.yml'], { cwd: directory })
    const output = `${stdout}${stderr}`
    const unnoticed = readAlerts().filter(({ alert }) => !output.includes(`"${alert}"`))
    for (const { alert } of unnoticed) console.error(`The tests do not notice if ${alert} ${kind} fires.`)
    if (unnoticed.length > 0) process.exitCode = 1
  }
}

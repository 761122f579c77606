/** The `colophon` command, as the one file that the instance serves. */
import { readFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseCodeBlocks } from '../../checks/code-blocks.ts'
import { buildCommand } from '../../cli/build.ts'
import { commandPath } from '../../sdk/npm-names.ts'
import type { TestedClient } from './tested-client.ts'

/** Calls the command for each step, as a script in CI would. */
const scenario = `
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const { FIRST_PROMPT, SECOND_PROMPT } = process.env
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

async function step(name, work) {
  console.log('ready ' + name)
  await lines.next()
  const result = await work()
  console.log('done ' + name + ' ' + JSON.stringify(result))
  return result
}

/** Returns what it printed. */
const colophon = (args, input = '') => new Promise((resolve, reject) => {
  const command = spawn('./colophon', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  command.stdout.on('data', (chunk) => { output += chunk })
  command.on('error', reject)
  command.on('close', (code) => code === 0 ? resolve(output) : reject(new Error(args.join(' ') + ' exited with ' + code)))
  command.stdin.end(input)
})

async function wait(jobId, after) {
  const events = await colophon(['job', 'logs', jobId, '--follow', '--json', ...after])
  const { status, prLink } = JSON.parse(await colophon(['job', 'wait', jobId, '--json', '--quiet']))
  return { status, prLink, eventIds: events.trim().split('\\n').map((line) => JSON.parse(line).id) }
}

const { jobId } = await step('create', async () => ({ jobId: (await colophon(['job', 'create', '-'], FIRST_PROMPT)).trim() }))
const { eventIds } = await step('wait', () => wait(jobId, []))
await step('message', async () => {
  await colophon(['job', 'message', jobId, '-'], SECOND_PROMPT)
  return {}
})
await step('wait again', () => wait(jobId, ['--after', eventIds.at(-1)]))
await step('diff', async () => ({ diff: await colophon(['job', 'diff', jobId]) }))
await step('send views', async () => {
  const [, day, month, year, time] = /, (\\d+) (\\w+) (\\d+) ([\\d:]+) GMT/.exec(new Date().toUTCString())
  const at = day + '/' + month + '/' + year + ':' + time + ' +0000'
  await colophon(['import-logs', '-'], '192.0.2.1 - - [' + at + '] "GET /docs/start HTTP/1.1" 200 512 "-" "ChatGPT-User/1.0"\\n')
  return {}
})
await step('read views', async () => {
  for (;;) {
    const { totals } = JSON.parse(await colophon(['views', '--json']))
    if (totals.total > 0) return { total: totals.total }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
})
process.exit(0)
`

export const commandClient: TestedClient = {
  name: 'Command',

  build: buildCommand,

  async install(directory, instanceUrl) {
    const response = await fetch(instanceUrl + commandPath)
    if (!response.ok) throw new Error(`${commandPath}: ${response.status}`)
    const file = join(directory, 'colophon')
    await writeFile(file, await response.bytes())
    await chmod(file, 0o755)
  },

  async prepareScenario(directory) {
    await writeFile(join(directory, 'scenario.mjs'), scenario)
    return [process.execPath, 'scenario.mjs']
  },

  async prepareExamples(directory) {
    const line = '192.0.2.1 - - [16/Nov/2026:12:00:00 +0000] "GET /docs/start HTTP/1.1" 200 512 "-" "GPTBot/1.2"\n'
    await writeFile(join(directory, 'docs.access.log'), line)
    const readme = readFileSync(join(import.meta.dirname, '../../cli/README.md'), 'utf8')
    const blocks = parseCodeBlocks('cli/README.md', readme).filter(({ language }) => language === 'sh')
    const setup = `set -euo pipefail; export PATH="$PWD:$PATH" XDG_CONFIG_HOME="$PWD/config" XDG_STATE_HOME="$PWD/state"`
    return blocks.map(({ name, text }) => {
      const script = text
        .replaceAll('https://colophon.example.com', '$COLOPHON_URL')
        .replaceAll('/var/log/nginx/docs.access.log', 'docs.access.log')
      const prints = script.includes('--wait') ? /\bcompleted\b/ : /(?:)/
      return { name, command: ['bash', '--norc', '-c', `${setup}\n${script}`], prints }
    })
  },
}

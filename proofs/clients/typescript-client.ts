/** The TypeScript client, in the package that the instance serves. */
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseCodeBlocks } from '../../checks/code-blocks.ts'
import { packSdk, replaceServedPackage } from '../../sdk/build.ts'
import { npmNames, sdkPackagePath } from '../../sdk/npm-names.ts'
import { runCommand } from '../../testing/services/run-command.ts'
import type { ReadmeExample, TestedClient } from './tested-client.ts'

/** In JavaScript, because the directory has nothing but the client. */
const scenario = `
import { createInterface } from 'node:readline'
import { createClient } from '${npmNames.sdk}'

const { COLOPHON_URL, COLOPHON_API_KEY, COLOPHON_PROJECT_ID: projectId, FIRST_PROMPT, SECOND_PROMPT } = process.env
const client = createClient({ baseUrl: COLOPHON_URL, apiKey: COLOPHON_API_KEY })
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

async function step(name, work) {
  console.log('ready ' + name)
  await lines.next()
  const result = await work()
  console.log('done ' + name + ' ' + JSON.stringify(result))
  return result
}

async function wait(jobId, after) {
  const eventIds = []
  const onProgress = ({ event }) => eventIds.push(event.id)
  const { status, prLink } = await client.jobs.wait(projectId, jobId, { after, onProgress })
  return { status, prLink, eventIds }
}

const { jobId } = await step('create', async () => ({ jobId: (await client.jobs.create(projectId, { prompt: FIRST_PROMPT })).id }))
const { eventIds } = await step('wait', () => wait(jobId))
await step('message', async () => {
  await client.jobs.sendMessage(projectId, jobId, { prompt: SECOND_PROMPT })
  return {}
})
await step('wait again', () => wait(jobId, eventIds.at(-1)))
await step('diff', async () => ({ diff: (await client.jobs.diff(projectId, jobId)).diff }))
await step('send views', async () => {
  await client.views.ingest(projectId, { views: [{ path: '/docs/start', userAgent: 'ChatGPT-User/1.0' }] })
  return {}
})
await step('read views', async () => {
  for (;;) {
    const { totals } = await client.views.list(projectId)
    if (totals.total > 0) return { total: totals.total }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
})
process.exit(0)
`

/** The first block is the file that the others import. */
const clientFileName = 'client.js'

export const typescriptClient: TestedClient = {
  name: 'TypeScript',

  async build() {
    const { staging, packed } = await packSdk()
    await replaceServedPackage(packed)
    await rm(staging, { recursive: true })
  },

  async install(directory, instanceUrl) {
    await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n')
    const install = ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', instanceUrl + sdkPackagePath]
    await runCommand(install, { cwd: directory })
  },

  async prepareScenario(directory) {
    await writeFile(join(directory, 'scenario.js'), scenario)
    return [process.execPath, 'scenario.js']
  },

  async prepareExamples(directory) {
    const readme = readFileSync(join(directory, 'node_modules', npmNames.sdk, 'README.md'), 'utf8')
    const blocks = parseCodeBlocks('README.md', readme).filter(({ language }) => language === 'ts')
    const examples: ReadmeExample[] = []
    for (const [index, { name, text }] of blocks.entries()) {
      const file = text.includes('export const client =') ? clientFileName : `example-${index}.js`
      await writeFile(join(directory, file), text)
      const prints = text.includes('client.jobs.create') ? /\bcompleted\b/ : /(?:)/
      examples.push({ name, command: [process.execPath, file], prints })
    }
    return examples
  },
}

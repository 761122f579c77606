/** An AI assistant's view of Colophon: the official client of the Model Context Protocol calls the tools at `/mcp`. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestedClient } from './tested-client.ts'

/** The client is not ours, so it is imported from the packages of this repository, and not installed from the instance. */
const officialClient = import.meta.resolve('@modelcontextprotocol/client')

/** In JavaScript, like the programs of the other clients. A call that fails is repeated with the same arguments, as assistants do. */
const scenario = `
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '${officialClient}'

const { COLOPHON_URL, COLOPHON_API_KEY, COLOPHON_PROJECT_ID: projectId, FIRST_PROMPT, SECOND_PROMPT } = process.env
const authorization = 'Bearer ' + COLOPHON_API_KEY
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const pause = () => new Promise((resolve) => setTimeout(resolve, 500))

// Connected before the first fault. There are no sessions, so it stays connected when api restarts.
const client = new Client({ name: 'proof', version: '1' }, { versionNegotiation: { mode: 'auto' } })
await client.connect(
  new StreamableHTTPClientTransport(new URL('/mcp', COLOPHON_URL), { requestInit: { headers: { authorization } } }),
)

async function call(name, input) {
  for (;;) {
    try {
      const result = await client.callTool({ name, arguments: input })
      if (!result.isError) return result.structuredContent
      console.error(name, JSON.stringify(result.content))
    } catch (error) {
      console.error(name, String(error))
    }
    await pause()
  }
}

async function step(name, work) {
  console.log('ready ' + name)
  await lines.next()
  const result = await work()
  console.log('done ' + name + ' ' + JSON.stringify(result))
  return result
}

async function wait(jobId, after) {
  const eventIds = []
  for (;;) {
    const { isFinished, job, events, lastEventId } = await call('wait_for_job', { jobId, ...(after && { after }) })
    eventIds.push(...events.map(({ id }) => id))
    after = lastEventId
    if (isFinished) return { status: job.status, prLink: job.prLink, eventIds }
  }
}

const { jobId } = await step('create', async () => ({ jobId: (await call('create_job', { prompt: FIRST_PROMPT })).job.id }))
const { eventIds } = await step('wait', () => wait(jobId))
await step('message', async () => {
  await call('send_message', { jobId, prompt: SECOND_PROMPT })
  return {}
})
await step('wait again', () => wait(jobId, eventIds.at(-1)))
await step('diff', async () => ({ diff: (await call('get_job_diff', { jobId })).diff }))
// There is no tool for this: servers report page views, and not assistants.
await step('send views', async () => {
  const idempotencyKey = crypto.randomUUID()
  for (;;) {
    const response = await fetch(new URL('/v1/ingest/' + projectId + '/views', COLOPHON_URL), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ views: [{ path: '/docs/start', userAgent: 'ChatGPT-User/1.0' }] }),
    }).catch(() => undefined)
    if (response?.ok) return {}
    await pause()
  }
})
await step('read views', async () => {
  for (;;) {
    const { totals } = await call('read_page_views', {})
    if (totals.total > 0) return { total: totals.total }
    await pause()
  }
})
process.exit(0)
`

export const mcpClient: TestedClient = {
  name: 'MCP',

  async build() {},

  async install() {},

  async prepareScenario(directory) {
    await writeFile(join(directory, 'scenario.mjs'), scenario)
    return [process.execPath, 'scenario.mjs']
  },

  /** The blocks of docs/mcp.md configure programs of others. */
  prepareExamples: async () => [],
}

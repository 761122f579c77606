/** `colophon status`: the state of an instance, for a person at a terminal or a step in CI. */
import { type Client, ColophonError, createClient } from '@colophon/sdk'
import type { Command } from './command-line.ts'
import { exitCodes } from './exit-codes.ts'
import { formatInstanceStatus, type InstanceStatus } from './format-instance-status.ts'
import { UsageError } from './usage-error.ts'

const timeoutSeconds = 10 // the server itself waits at most 2 seconds for each component

export const statusCommand: Command = {
  summary: 'Show whether an instance and its components work; exits with 1 unless all do',
  options: {
    url: { placeholder: 'URL', description: 'URL of the instance; defaults to the environment variable COLOPHON_URL' },
    json: { description: 'Print the status as JSON' },
  },
  async run(options, environment) {
    const url = options.url ?? environment.COLOPHON_URL
    if (typeof url !== 'string' || url === '') throw new UsageError('Missing option --url, or COLOPHON_URL.')
    const result = await readStatus(createStatusClient(url), url)
    console.log(options.json ? JSON.stringify(result, null, 2) : formatInstanceStatus(result))
    return result.status === 'ready' ? exitCodes.ok : exitCodes.notOk
  },
}

function createStatusClient(baseUrl: string): Client {
  try {
    return createClient({ baseUrl, timeoutSeconds })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function readStatus(client: Client, url: string): Promise<InstanceStatus> {
  try {
    return { url, ...(await client.readiness()) }
  } catch (error) {
    if (!(error instanceof ColophonError)) throw error
    return { url, status: 'unreachable', error: { code: error.code, detail: error.detail } }
  }
}

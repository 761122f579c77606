/** `colophon status`: what works and what does not, for a person at a terminal or a step in CI. */
import { parseArgs } from 'node:util'
import { type Client, ColophonError, createClient } from '@colophon/sdk'
import { describeStatus, type Status } from './describe-status.ts'
import { exitCodes } from './exit-codes.ts'
import { UsageError } from './usage-error.ts'

const timeoutSeconds = 10 // the server itself waits 2 seconds at most for each of its parts

export async function status(args: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const options = parseOptions(args)
  const url = options.url ?? environment.COLOPHON_URL
  if (!url) throw new UsageError('Say where Colophon answers, with --url or COLOPHON_URL.')
  const found = await ask(clientFor(url), url)
  console.log(options.json ? JSON.stringify(found, null, 2) : describeStatus(found))
  return found.status === 'ready' ? exitCodes.ok : exitCodes.notOk
}

function parseOptions(args: string[]): { url?: string; json?: boolean } {
  try {
    return parseArgs({ args, options: { url: { type: 'string' }, json: { type: 'boolean' } } }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function clientFor(baseUrl: string): Client {
  try {
    return createClient({ baseUrl, timeoutSeconds })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function ask(client: Client, url: string): Promise<Status> {
  try {
    return { url, ...(await client.readiness()) }
  } catch (error) {
    if (!(error instanceof ColophonError)) throw error
    return { url, status: 'unreachable', error: { code: error.code, detail: error.detail } }
  }
}

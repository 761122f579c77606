import { sendHttpRequest } from '../../testing/harness/http-call.ts'
import type { RelayedCall } from '../../testing/harness/relay/http-relay.ts'

/**
 * Repeats queries in a format that includes statistics, and returns the rows read. The statistics in the headers of a response
 * would be those of its beginning.
 */
export async function countRowsRead(clickhouseUrl: string, queries: readonly RelayedCall[]): Promise<number> {
  const { origin, username, password } = new URL(clickhouseUrl)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  let rows = 0
  for (const { path, body } of queries) {
    const { status, text } = await sendHttpRequest({
      method: 'POST',
      url: `${origin}${path}`,
      headers: ['authorization', authorization],
      body: body.replace(/FORMAT \w+\s*$/, 'FORMAT JSON'),
    })
    if (status !== 200) throw new Error(text)
    rows += (JSON.parse(text) as { statistics: { rows_read: number } }).statistics.rows_read
  }
  return rows
}

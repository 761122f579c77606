import type { RelayedCall } from '../faulty-relay.ts'
import { call } from '../http-call.ts'

/**
 * Of queries that were sent, put once more in a format that ends with what was read: the engine as a library tells it in no
 * other way.
 */
export async function rowsRead(clickhouseUrl: string, queries: readonly RelayedCall[]): Promise<number> {
  const { origin, username, password } = new URL(clickhouseUrl)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  let rows = 0
  for (const { path, body } of queries) {
    const { status, text } = await call({
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

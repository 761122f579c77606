/** Sends a request to a URL that someone entered, through the egress, and reads only the beginning of the response. */
import type { Egress } from '../platform/egress/egress.ts'

/** For the whole call. */
const timeoutSeconds = 10
const maxKeptBytes = 2048
/** What the response says is only for the log, so a slow one is not waited for. */
const bodyTimeoutMs = 2_000

export interface WebhookResponse {
  status: number
  beginning: string
}

/** Redirects are not followed: the URL was checked, and the one that it leads to was not. */
export async function postToWebhook(
  egress: Egress,
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal?: AbortSignal },
): Promise<WebhookResponse> {
  const response = await egress.fetch(url, {
    method: 'POST',
    headers,
    body,
    ...(signal && { signal }),
    limits: {
      idleTimeoutSeconds: timeoutSeconds,
      deadlineSeconds: timeoutSeconds,
      maxResponseBytes: Number.MAX_SAFE_INTEGER,
    },
  })
  return { status: response.status, beginning: await readBeginning(response) }
}

/** The status has arrived already, so whatever happens to the body does not change the result. */
async function readBeginning(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), bodyTimeoutMs)
  try {
    while (bytes < maxKeptBytes) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      bytes += value.byteLength
    }
  } catch {
    // what was read until then is enough
  } finally {
    clearTimeout(timer)
    await reader.cancel().catch(() => {})
  }
  // PostgreSQL stores no NUL in text.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxKeptBytes)).replaceAll('\0', '�')
}

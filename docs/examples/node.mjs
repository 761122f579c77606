/**
 * Reports the page views of a server on Node. In Express or Connect, call `app.use(countViews)` before any other middleware; in a plain
 * `http` server, call `countViews(request, response)`. In frameworks with `Request` and `Response`, such as Astro, Hono or SvelteKit, call
 * `countView(request, response)` for each request. Views are sent once per second, in batches that each have an idempotency key. A batch
 * is retried until it is accepted, for about 17 minutes, and then dropped.
 */
const { COLOPHON_URL, COLOPHON_PROJECT_ID, COLOPHON_API_KEY } = process.env
const maxPendingViews = 100_000
const pendingViews = []
let isSending = false

export function countViews(request, response, next) {
  const { method, headers } = request
  const path = request.originalUrl ?? request.url
  response.once('finish', () => {
    addView({ path, method, status: response.statusCode, header: (name) => headers[name] })
  })
  next?.()
}

export function countView({ url, method, headers }, { status }) {
  const { pathname, search } = new URL(url)
  addView({ path: pathname + search, method, status, header: (name) => headers.get(name) })
}

function addView({ path, method, status, header }) {
  pendingViews.push({
    path,
    method,
    status,
    userAgent: header('user-agent') ?? '',
    accept: header('accept') ?? '',
    prefetch: /prefetch/.test(header('sec-purpose')),
    at: new Date().toISOString(),
  })
  if (pendingViews.length > maxPendingViews) pendingViews.shift()
  if (isSending) return
  isSending = true
  setTimeout(sendViews, 1000).unref()
}

/** Await it before the process exits. */
export async function sendViews() {
  while (pendingViews.length > 0) {
    const body = JSON.stringify({ views: pendingViews.splice(0, 500) })
    await sendUntilAccepted(body, crypto.randomUUID())
  }
  isSending = false
}

async function sendUntilAccepted(body, idempotencyKey) {
  for (let backoffMs = 1000; backoffMs < 600_000; backoffMs *= 2) {
    const response = await fetch(`${COLOPHON_URL}/v1/ingest/${COLOPHON_PROJECT_ID}/views`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${COLOPHON_API_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body,
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined)
    if (response?.ok) return
    if (response && response.status < 500)
      return console.error(`Colophon rejected page views: ${await response.text()}`)
    await new Promise((resolve) => setTimeout(resolve, backoffMs).unref())
  }
}

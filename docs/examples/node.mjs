/**
 * Counts the views of a Node server: `app.use(countViews)` first in Express or Connect, or `countViews(request, response)` in a
 * plain `http` server. Once a second what was answered is sent, under an id of its own, until it is taken, or for about
 * 17 minutes: then it is given up.
 */
const { COLOPHON_URL, COLOPHON_PROJECT_ID, COLOPHON_API_KEY } = process.env
const maxWaiting = 100_000
const waiting = []
let isSending = false

export function countViews(request, response, next) {
  const { method, headers } = request
  const path = request.originalUrl ?? request.url
  response.once('finish', () => {
    waiting.push({
      path,
      method,
      status: response.statusCode,
      userAgent: headers['user-agent'] ?? '',
      accept: headers.accept ?? '',
      prefetch: /prefetch/.test(headers['sec-purpose']),
      at: new Date().toISOString(),
    })
    if (waiting.length > maxWaiting) waiting.shift()
    if (isSending) return
    isSending = true
    setTimeout(sendViews, 1000).unref()
  })
  next?.()
}

/** Also to be awaited before the process ends. */
export async function sendViews() {
  while (waiting.length > 0) {
    const body = JSON.stringify({ views: waiting.splice(0, 500) })
    await sendUntilTaken(body, crypto.randomUUID())
  }
  isSending = false
}

async function sendUntilTaken(body, id) {
  for (let pauseMs = 1000; pauseMs < 600_000; pauseMs *= 2) {
    const response = await fetch(`${COLOPHON_URL}/v1/ingest/${COLOPHON_PROJECT_ID}/views`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${COLOPHON_API_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': id,
      },
      body,
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined)
    if (response?.ok) return
    if (response && response.status < 500) return console.error(`Colophon refuses views: ${await response.text()}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref())
  }
}

/**
 * Counts the views of a Next.js site: as `middleware.mjs` beside `pages` or `app` (`proxy.mjs` since Next.js 16). It does not
 * learn what is answered, so that only addresses that exist may come here: say which in `matcher`.
 */
const { COLOPHON_URL, COLOPHON_PROJECT_ID, COLOPHON_API_KEY } = process.env

export const config = { matcher: ['/docs/:path*'] }

export default function middleware(request, event) {
  const { method, headers } = request
  const { pathname } = new URL(request.url)
  if (method !== 'GET' || headers.has('next-router-prefetch')) return
  const view = {
    path: pathname,
    userAgent: headers.get('user-agent') ?? '',
    accept: headers.get('accept') ?? '',
    prefetch: /prefetch/.test(headers.get('sec-purpose')),
    at: new Date().toISOString(),
  }
  event.waitUntil(send(JSON.stringify({ views: [view] }), crypto.randomUUID()))
}

async function send(body, id) {
  for (let tries = 0; tries < 3; tries++) {
    const response = await fetch(`${COLOPHON_URL}/v1/ingest/${COLOPHON_PROJECT_ID}/views`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${COLOPHON_API_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': id,
      },
      body,
    }).catch(() => undefined)
    if (response && response.status < 500) return
  }
}

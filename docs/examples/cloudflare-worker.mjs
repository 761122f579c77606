/**
 * Reports the page views of a site behind Cloudflare. Deploy it as a Worker on the site's route, with the variables
 * `COLOPHON_URL` and `COLOPHON_PROJECT_ID` and the secret `COLOPHON_API_KEY`.
 */
export default {
  async fetch(request, env, context) {
    const response = await fetch(request)
    const { pathname, search } = new URL(request.url)
    const view = {
      path: pathname + search,
      method: request.method,
      status: response.status,
      userAgent: request.headers.get('user-agent') ?? '',
      accept: request.headers.get('accept') ?? '',
      prefetch: /prefetch/.test(request.headers.get('sec-purpose')),
      at: new Date().toISOString(),
    }
    context.waitUntil(send(env, JSON.stringify({ views: [view] }), crypto.randomUUID()))
    return response
  },
}

async function send({ COLOPHON_URL, COLOPHON_PROJECT_ID, COLOPHON_API_KEY }, body, idempotencyKey) {
  for (let attempt = 0; attempt < 3; attempt++) {
    const response = await fetch(`${COLOPHON_URL}/v1/ingest/${COLOPHON_PROJECT_ID}/views`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${COLOPHON_API_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body,
    }).catch(() => undefined)
    if (response && response.status < 500) return
  }
}

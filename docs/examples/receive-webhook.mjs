/**
 * Receives the webhooks of Colophon in a plain Node server: `createServer(createReceiver({ secret, onEvent }))`. Needs the package
 * `standardwebhooks`, which verifies the signature and the age of a request. `onEvent` gets the event and its ID: an event can arrive more
 * than once, so remember the IDs of those that you have processed. If it throws, the event is sent again later.
 */
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

export const createReceiver =
  ({ secret, onEvent }) =>
  async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    try {
      const event = new Webhook(secret).verify(Buffer.concat(chunks).toString(), request.headers)
      await onEvent(event, request.headers['webhook-id'])
      response.writeHead(204).end()
    } catch (error) {
      response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end()
    }
  }

/** Escapes through the egress socket to the gateway. */

import { randomBytes } from 'node:crypto'
import { reportMediaType } from '../../server/src/runner-wire/runner-wire.ts'
import type { RunningColophon } from '../../testing/harness/colophon.ts'
import { listModelCalls } from '../../testing/harness/scripted-model.ts'
import type { LoggedModelCall } from '../../testing/simulators/model/call-log.ts'
import { type Attack, formatBreachCommand, formatNodeBreachCommand } from './sandbox-attacks.ts'

interface RawRequest {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: object
  /** A JavaScript expression on `status` and `text`: whether the attack succeeded. */
  isSuccess: string
}

/** With `node:http`, because other clients would normalize the URL. */
const sendRequest = ({ method = 'GET', path, headers = {}, body, isSuccess }: RawRequest) =>
  formatNodeBreachCommand(`const body = ${JSON.stringify(JSON.stringify(body) ?? '')};
    const headers = { "content-type": "application/json", "x-api-key": "none", "anthropic-version": "2023-06-01", ...${JSON.stringify(headers)} };
    if (body) headers["content-length"] = Buffer.byteLength(body);
    const options = { port: 8080, method: "${method}", path: "${path}", headers };
    require("node:http").request(options, (response) => {
      const status = response.statusCode; let text = "";
      response.on("data", (chunk) => { text += chunk; }).on("end", () => process.exit(${isSuccess} ? 0 : 1));
    }).on("error", () => process.exit(1)).end(body)`)

interface GatewayTargets {
  colophon: RunningColophon
  otherRepository: string
}

/** Created again for each run, so that what they leave behind has unique names. */
export function gatewayAttacks({ colophon, otherRepository }: GatewayTargets): Attack[] {
  const marker = randomBytes(6).toString('hex')
  const { host } = new URL(colophon.addresses.modelUrl)
  const modelRequest = { max_tokens: 16, messages: [{ role: 'user', content: 'Say OK.' }], model: 'any' }
  const callModel = (extraFields: object, headers: Record<string, string> = {}) =>
    sendRequest({
      method: 'POST',
      path: '/model/v1/messages',
      headers,
      body: { ...modelRequest, ...extraFields },
      isSuccess: 'false',
    })
  const providerReceived = (matches: (call: LoggedModelCall) => boolean) => async () =>
    (await listModelCalls(colophon)).some(matches)

  return [
    { name: "the gateway's health endpoint", command: sendRequest({ path: '/healthz', isSuccess: 'status === 200' }) },
    {
      name: "another job's turn",
      command: sendRequest({
        method: 'POST',
        path: '/runner/claim',
        body: { waitSeconds: 0 },
        isSuccess: 'status !== 404',
      }),
    },
    {
      name: 'forged events',
      command: sendRequest({
        method: 'POST',
        path: '/runner/events',
        isSuccess: 'status === 200',
        body: { firstIndex: 0, events: [{ type: 'notice', at: '2026-01-01T00:00:00Z', text: 'forged' }] },
      }),
    },
    {
      name: 'another repository',
      command: sendRequest({
        path: `/git/../${otherRepository}.git/info/refs?service=git-upload-pack`,
        isSuccess: 'text.includes("service=git-upload-pack")',
      }),
    },
    {
      name: 'the push advertisement',
      command: sendRequest({ path: '/git/info/refs?service=git-receive-pack', isSuccess: 'status === 200' }),
    },
    {
      name: 'a push',
      command: formatBreachCommand(`(cd /tmp && git clone --quiet http://127.0.0.1:8080/git ${marker} && cd ${marker} &&
        git -c user.name=x -c user.email=x@localhost commit --quiet --allow-empty -m x &&
        git push --quiet origin HEAD:refs/heads/pushed-${marker}) 2>/dev/null`),
    },
    {
      name: 'other paths of the provider',
      command: sendRequest({ path: '/model/v1/models', isSuccess: 'status === 200' }),
    },
    {
      name: 'provider paths through ..',
      command: sendRequest({ path: '/model/v1/../calls', isSuccess: 'status === 200' }),
    },
    { name: 'a protocol-relative URL', command: sendRequest({ path: `//${host}/calls`, isSuccess: 'status === 200' }) },
    { name: 'an absolute URL', command: sendRequest({ path: `http://${host}/calls`, isSuccess: 'status === 200' }) },
    {
      name: 'a server-side tool of the provider',
      command: callModel({ tools: [{ type: 'web_search_20250305', name: `web_search_${marker}` }] }),
      wasObserved: providerReceived(({ request }) => request?.toolsOffered.includes(`web_search_${marker}`) ?? false),
    },
    {
      name: 'an unlisted field of the provider API',
      command: callModel({ [`mcp_servers_${marker}`]: [] }),
      wasObserved: providerReceived(({ bodyKeys }) => bodyKeys.includes(`mcp_servers_${marker}`)),
    },
    {
      name: 'an extra header to the provider',
      command: callModel({}, { [`x-secret-${marker}`]: 'anything' }),
      wasObserved: providerReceived(({ headerNames }) => headerNames.includes(`x-secret-${marker}`)),
    },
    {
      name: 'another model',
      command: callModel({ model: `expensive-${marker}` }),
      wasObserved: providerReceived(({ request }) => request?.model === `expensive-${marker}`),
    },
    // The last attack, because it ends the turn.
    {
      name: 'a forged result',
      command: sendRequest({
        method: 'POST',
        path: '/runner/result',
        isSuccess: 'status === 204',
        headers: { 'content-type': reportMediaType },
        body: { kind: 'agent_failed', message: 'forged' },
      }),
    },
  ]
}

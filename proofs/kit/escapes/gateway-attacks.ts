/** Ways out through the one that there is: the socket to the gateway. */
import { randomBytes } from 'node:crypto'
import { reportMediaType } from '../../../server/src/runner-wire/runner-wire.ts'
import type { AgentService } from '../agents/agent-service.ts'
import { type Attack, node, when } from './attacks.ts'

interface Question {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: object
  /** JavaScript on `status` and `text`: whether that was a success. */
  worked: string
}

/** By hand: a client that knows HTTP would tidy up the address. */
const ask = ({ method = 'GET', path, headers = {}, body, worked }: Question) =>
  node(`const body = ${JSON.stringify(JSON.stringify(body) ?? '')};
    const headers = { "content-type": "application/json", "x-api-key": "none", "anthropic-version": "2023-06-01", ...${JSON.stringify(headers)} };
    if (body) headers["content-length"] = Buffer.byteLength(body);
    const options = { port: 8080, method: "${method}", path: "${path}", headers };
    require("node:http").request(options, (answer) => {
      const status = answer.statusCode; let text = "";
      answer.on("data", (chunk) => { text += chunk; }).on("end", () => process.exit(${worked} ? 0 : 1));
    }).on("error", () => process.exit(1)).end(body)`)

interface Scene {
  service: AgentService
  otherRepository: string
}

/** Anew for each time that they are played: what they leave behind has its own name. */
export function gatewayAttacks({ service, otherRepository }: Scene): Attack[] {
  const marker = randomBytes(6).toString('hex')
  const { host } = new URL(service.modelUrl)
  const question = { max_tokens: 16, messages: [{ role: 'user', content: 'Say OK.' }], model: 'any' }
  const askModel = (more: object, headers: Record<string, string> = {}) =>
    ask({ method: 'POST', path: '/model/v1/messages', headers, body: { ...question, ...more }, worked: 'false' })
  const vendorSaw = (what: (call: Awaited<ReturnType<AgentService['modelCalls']>>[number]) => boolean) => async () =>
    (await service.modelCalls()).some(what)

  return [
    { name: "the gateway's health", command: ask({ path: '/healthz', worked: 'status === 200' }) },
    {
      name: "another job's turn",
      command: ask({ method: 'POST', path: '/runner/claim', body: { waitSeconds: 0 }, worked: 'status !== 404' }),
    },
    {
      name: 'forged events',
      command: ask({
        method: 'POST',
        path: '/runner/events',
        worked: 'status === 200',
        body: { firstIndex: 0, events: [{ type: 'notice', at: '2026-01-01T00:00:00Z', text: 'forged' }] },
      }),
    },
    {
      name: 'another repository',
      command: ask({
        path: `/git/../${otherRepository}.git/info/refs?service=git-upload-pack`,
        worked: 'text.includes("service=git-upload-pack")',
      }),
    },
    {
      name: 'a way to push',
      command: ask({ path: '/git/info/refs?service=git-receive-pack', worked: 'status === 200' }),
    },
    {
      name: 'a push',
      command: when(`(cd /tmp && git clone --quiet http://127.0.0.1:8080/git ${marker} && cd ${marker} &&
        git -c user.name=x -c user.email=x@localhost commit --quiet --allow-empty -m x &&
        git push --quiet origin HEAD:refs/heads/pushed-${marker}) 2>/dev/null`),
    },
    { name: "the vendor's other paths", command: ask({ path: '/model/v1/models', worked: 'status === 200' }) },
    { name: "the vendor's paths above", command: ask({ path: '/model/v1/../calls', worked: 'status === 200' }) },
    { name: 'a host after two slashes', command: ask({ path: `//${host}/calls`, worked: 'status === 200' }) },
    { name: 'a whole address', command: ask({ path: `http://${host}/calls`, worked: 'status === 200' }) },
    {
      name: 'a tool on the side of the vendor',
      command: askModel({ tools: [{ type: 'web_search_20250305', name: `web_search_${marker}` }] }),
      wasSeen: vendorSaw(({ asked }) => asked?.toolsOffered.includes(`web_search_${marker}`) ?? false),
    },
    {
      name: "a field of the vendor's",
      command: askModel({ [`mcp_servers_${marker}`]: [] }),
      wasSeen: vendorSaw(({ bodyKeys }) => bodyKeys.includes(`mcp_servers_${marker}`)),
    },
    {
      name: 'a header for the vendor',
      command: askModel({}, { [`x-secret-${marker}`]: 'anything' }),
      wasSeen: vendorSaw(({ headerNames }) => headerNames.includes(`x-secret-${marker}`)),
    },
    {
      name: 'another model',
      command: askModel({ model: `dearest-${marker}` }),
      wasSeen: vendorSaw(({ asked }) => asked?.model === `dearest-${marker}`),
    },
    // The last one: it ends the turn.
    {
      name: 'a forged result',
      command: ask({
        method: 'POST',
        path: '/runner/result',
        worked: 'status === 204',
        headers: { 'content-type': reportMediaType },
        body: { kind: 'agent_failed', message: 'forged' },
      }),
    },
  ]
}

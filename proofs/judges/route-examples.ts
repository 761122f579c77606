/**
 * A valid request for every operation in the OpenAPI document: real ids for the path, the schema's own example for the body. The
 * proofs cover new routes automatically, as long as this file can create the resources that their paths name.
 */
import pg from 'pg'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'

export interface ApiOperation {
  method: string
  /** With parameters written as `{name}`. */
  path: string
  access: string
  bodyExample: unknown
  bodySpec: BodySpec
  /** All documented statuses. */
  statuses: readonly number[]
}

export interface BodySpec {
  mediaTypes: readonly string[]
  maxBytes: number
  /** Whether the body may be compressed with gzip. */
  allowGzip: boolean
}

const defaultBodySpec = { maxBytes: 1024 * 1024, allowGzip: false }

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
}

interface DocumentedOperation {
  'x-colophon-access': string
  'x-colophon-body'?: Omit<BodySpec, 'mediaTypes'>
  responses: Record<string, unknown>
  requestBody?: { content: Record<string, { schema: { examples?: unknown[] } }> }
}

export async function readApiOperations(apiUrl: string): Promise<ApiOperation[]> {
  const document = JSON.parse(
    (await sendHttpRequest({ method: 'GET', url: `${apiUrl}/openapi.json` })).text,
  ) as Document
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const schema = operation.requestBody?.content['application/json']?.schema
      if (schema && !schema.examples?.length) throw new Error(`${method} ${path}: the body schema has no example`)
      return {
        method: method.toUpperCase(),
        path,
        access: operation['x-colophon-access'],
        bodyExample: schema?.examples?.[0],
        bodySpec: {
          mediaTypes: Object.keys(operation.requestBody?.content ?? {}),
          ...(operation['x-colophon-body'] ?? defaultBodySpec),
        },
        statuses: Object.keys(operation.responses).map(Number),
      }
    }),
  )
}

type CreateResource = (
  post: (path: string, body: unknown) => Promise<Record<string, unknown>>,
  /** With the IDs of the parameters before this one. */
  path: string,
) => Promise<string>

/** Only operators can add models. A proof that deletes one has to insert it first. */
export const exampleModel = 'example-model'

/** Only operators can read and change people. A proof that deletes one has to insert them first. */
export const examplePersonId = 'per_01m7ehpvk8eg2t3q9d4x5w0r7a'

/** Creates the resource that a path parameter names, so that each request has its own. */
const creators: Readonly<Record<string, CreateResource>> = {
  keyId: async (post) =>
    (
      (await post('/v2/projects/{projectId}/keys', { name: 'an example', scopes: ['agent:read'] })).key as {
        id: string
      }
    ).id,
  memberId: async (post) => {
    const email = `${crypto.randomUUID()}@example.com`
    return String((await post('/v2/projects/{projectId}/members', { email, role: 'viewer' })).id)
  },
  invitationId: async (post) => {
    const email = `${crypto.randomUUID()}@example.com`
    const response = await post('/v2/projects/{projectId}/invitations', { email, role: 'viewer' })
    return String((response.invitation as { id: string }).id)
  },
  runnerId: async (post) =>
    ((await post('/v2/projects/{projectId}/runners', { name: 'an example' })).runner as { id: string }).id,
  identityId: async (post) => {
    const claims = { repository: 'acme/product', ref: 'refs/heads/main' }
    const identity = { name: 'an example', provider: 'github', claims }
    return String((await post('/v2/projects/{projectId}/federated-identities', identity)).id)
  },
  endpointId: async (post) => {
    const endpoint = { kind: 'webhook', name: 'an example', target: 'https://ci.example.com/', events: ['job.failed'] }
    return ((await post('/v2/projects/{projectId}/webhooks', endpoint)).endpoint as { id: string }).id
  },
  deliveryId: async (post, path) => String((await post(path.replace(/\/deliveries\/.*/, '/test'), undefined)).id),
  modelName: async () => exampleModel,
  sessionId: async () => 'ses_01m7ej3x5ye8w9s6n0q4t2v7kd', // ending a session that does not exist succeeds
  passkeyId: async () => 'psk_01m7ej3x5ye8w9s6n0q4t2v7kd', // removing a passkey that does not exist succeeds
  personId: async () => examplePersonId,
  logDrainId: async (post) => {
    const drain = { name: 'an example', format: 'vercel' }
    return ((await post('/v1/analytics/{projectId}/log-drains', drain)).logDrain as { id: string }).id
  },
  siteKey: async (post) => String((await post('/v1/analytics/{projectId}/site-keys', undefined)).key),
  id: async (post) => String((await post('/v2/agent/{projectId}/job', { prompt: 'Do it.' })).id),
}

/**
 * The URL of the operation with real ids. Each job created for it counts towards the project's hourly limit: for many URLs, reset
 * the limits in between.
 */
export async function createUrlWithExampleResources(
  apiUrl: string,
  { path }: ApiOperation,
  { projectId, key }: { projectId: string; key: string },
): Promise<string> {
  const inProject = (template: string) => template.replace('{projectId}', projectId)
  const post = async (template: string, body: unknown) => {
    const url = apiUrl + inProject(template)
    const headers = [...formatBearerHeader(key), 'content-type', 'application/json']
    const response = await sendHttpRequest({ method: 'POST', url, headers, body: JSON.stringify(body) })
    if (response.status >= 300) throw new Error(`creating an example with POST ${template} failed: ${response.text}`)
    return JSON.parse(response.text) as Record<string, unknown>
  }
  let filled = inProject(path)
  for (const [placeholder, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    if (name === 'projectId') continue
    const create = creators[name]
    if (!create) throw new Error(`${path}: proofs/judges/route-examples.ts cannot create a ${name} yet`)
    filled = filled.replace(placeholder, await create(post, filled))
  }
  return `${apiUrl}${filled}`
}

/** Makes the site key in the example body valid, for this project. */
export async function createExampleSiteKey(
  operations: readonly ApiOperation[],
  postgresUrl: string,
  projectId: string,
): Promise<void> {
  const example = operations.find(({ path }) => path === '/v1/collect')?.bodyExample as { key: string }
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  try {
    await client.query('INSERT INTO site_key (key, project_id) VALUES ($1, $2)', [example.key, projectId])
  } finally {
    await client.end()
  }
}

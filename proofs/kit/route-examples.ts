/**
 * A valid request for every operation of the contract: real ids for the path, the schema's own example for the body. New
 * routes fall under the proofs by themselves, as long as their paths speak of things that are made here.
 */
import pg from 'pg'
import { bearer, call } from './http-call.ts'

export interface Operation {
  method: string
  /** With parameters as `{name}`. */
  path: string
  access: string
  bodyExample: unknown
  bodyForm: BodyForm
  /** Of every answer that is documented. */
  statuses: readonly number[]
}

export interface BodyForm {
  mediaTypes: readonly string[]
  maxBytes: number
  /** With gzip. */
  mayBePacked: boolean
}

const ordinaryBody = { maxBytes: 1024 * 1024, mayBePacked: false }

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
}

interface DocumentedOperation {
  'x-colophon-access': string
  'x-colophon-body'?: Omit<BodyForm, 'mediaTypes'>
  responses: Record<string, unknown>
  requestBody?: { content: Record<string, { schema: { examples?: unknown[] } }> }
}

export async function operationsOf(apiUrl: string): Promise<Operation[]> {
  const document = JSON.parse((await call({ method: 'GET', url: `${apiUrl}/openapi.json` })).text) as Document
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const schema = operation.requestBody?.content['application/json']?.schema
      if (schema && !schema.examples?.length) throw new Error(`${method} ${path}: its body has no example`)
      return {
        method: method.toUpperCase(),
        path,
        access: operation['x-colophon-access'],
        bodyExample: schema?.examples?.[0],
        bodyForm: {
          mediaTypes: Object.keys(operation.requestBody?.content ?? {}),
          ...(operation['x-colophon-body'] ?? ordinaryBody),
        },
        statuses: Object.keys(operation.responses).map(Number),
      }
    }),
  )
}

type Make = (post: (path: string, body: unknown) => Promise<Record<string, unknown>>) => Promise<string>

/** Only those who run the installation make models; whoever wants to see one go has to put it there. */
export const exampleModel = 'example-model'

/** How to make one of what a path parameter names, so that each request finds its own. */
const makers: Readonly<Record<string, Make>> = {
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
    const made = await post('/v2/projects/{projectId}/invitations', { email, role: 'viewer' })
    return String((made.invitation as { id: string }).id)
  },
  runnerId: async (post) =>
    ((await post('/v2/projects/{projectId}/runners', { name: 'an example' })).runner as { id: string }).id,
  modelName: async () => exampleModel,
  siteKey: async (post) => String((await post('/v1/analytics/{projectId}/site-keys', undefined)).key),
  id: async (post) => String((await post('/v2/agent/{projectId}/job', { prompt: 'Do it.' })).id),
}

/**
 * The operation's address with real ids in it. Each job that is made for it counts in the project's hour: who asks for many
 * lets hours pass between them.
 */
export async function exampleUrl(
  apiUrl: string,
  { path }: Operation,
  { projectId, key }: { projectId: string; key: string },
): Promise<string> {
  const inProject = (template: string) => template.replace('{projectId}', projectId)
  const post = async (template: string, body: unknown) => {
    const url = apiUrl + inProject(template)
    const headers = [...bearer(key), 'content-type', 'application/json']
    const response = await call({ method: 'POST', url, headers, body: JSON.stringify(body) })
    if (response.status >= 300) throw new Error(`making an example at ${template}: ${response.text}`)
    return JSON.parse(response.text) as Record<string, unknown>
  }
  let filled = inProject(path)
  for (const [placeholder, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    if (name === 'projectId') continue
    const make = makers[name]
    if (!make) throw new Error(`${path}: proofs/kit/route-examples.ts does not know how to make a ${name}`)
    filled = filled.replace(placeholder, await make(post))
  }
  return `${apiUrl}${filled}`
}

/** The site key that stands in an example is one from then on: of this project. */
export async function makeExampleSiteKey(
  operations: readonly Operation[],
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

/** A project whose servers count humans too, with a log drain. */
import type { Colophon } from '../../testing/harness/colophon.ts'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'
import { operator } from '../../testing/harness/test-instance.ts'

export interface DrainProject {
  projectId: string
  key: string
  drainId: string
  /** Path of the drain's URL. */
  path: string
  secret: string
}

export async function createDrainProject(
  colophon: Colophon,
  apiUrl: string,
  drain: { format: string; host?: string },
): Promise<DrainProject> {
  const { projectId, key } = await colophon.createProject(drain.format)
  await colophon.stores.analyticsSettings.change(projectId, { humanSource: 'servers' }, operator)
  const response = await sendHttpRequest({
    method: 'POST',
    url: `${apiUrl}/v1/analytics/${projectId}/log-drains`,
    headers: [...formatBearerHeader(key), 'content-type', 'application/json'],
    body: JSON.stringify({ name: 'Docs', ...drain }),
  })
  if (response.status !== 201) throw new Error(`creating a log drain: ${response.status} ${response.text}`)
  const { logDrain, secret } = JSON.parse(response.text) as { logDrain: { id: string; url: string }; secret: string }
  return { projectId, key, drainId: logDrain.id, path: new URL(logDrain.url).pathname, secret }
}

/** Human and AI views by path, as the API reports them. */
export async function readCounts(
  apiUrl: string,
  { projectId, key }: Pick<DrainProject, 'projectId' | 'key'>,
): Promise<Record<string, string>> {
  const counts: Record<string, string> = {}
  for (let offset = 0; ; offset += 250) {
    const url = `${apiUrl}/v1/analytics/${projectId}/views?limit=250&offset=${offset}`
    const { text } = await sendHttpRequest({ method: 'GET', url, headers: formatBearerHeader(key) })
    const { views, hasMore } = JSON.parse(text) as {
      views: { path: string; human: number; ai: number }[]
      hasMore: boolean
    }
    for (const { path, human, ai } of views) counts[path] = `${human} human, ${ai} AI`
    if (!hasMore) return counts
  }
}

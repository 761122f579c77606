import { createInterface } from 'node:readline'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { Id } from '../../platform/ids.ts'
import { SemaphoreFullError, SharedSemaphore } from '../../platform/semaphore.ts'
import { tarEnd, tarFile } from '../../platform/tar.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams, StreamedBody } from '../schemas.ts'
import { type ProjectArchiveDeps, readProjectArchive } from './project-archive.ts'

export interface ExportProjectDeps extends ProjectArchiveDeps {
  viewReports: ViewReportReader
}

/** An export reads all of a project, for as long as the recipient takes: the dashboard of others must not wait for it. */
const maxWaiting = 0
/** For a file of about a megabyte. Two recipients that stop reading would block the exports of everyone else. */
const defaultMaxFileSeconds = 120

export function exportProjectRoute(deps: ExportProjectDeps, maxFileSeconds = defaultMaxFileSeconds): Route {
  const exports = new SharedSemaphore<Id<'prj'>>({
    all: { maxConcurrent: 2, maxWaiting },
    perKey: { maxConcurrent: 1, maxWaiting },
  })

  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/export',
    access: 'project:write',
    name: 'exportProject',
    tag: 'Projects',
    summary: 'Export a project',
    description:
      'Returns everything of a project as one archive: settings, members, API keys and runners without their secrets, jobs with ' +
      'messages, events and diffs, page views by day and page, spend, and the audit log. It is written while the project is in use: ' +
      'each file is correct for the time at which it was read. If `manifest.json`, the last file, is missing, the export is incomplete. ' +
      'One export of a project runs at a time.',
    schemas: {
      params: ProjectParams,
      responses: { 200: StreamedBody('application/gzip', 'A tar archive, compressed with gzip.') },
    },
    responseHeaders: { 200: ['Content-Disposition'] },
    problems: ['rate_limited', 'unavailable'],
    async handle({ projectId, recheckAccess }) {
      await exports.acquire(projectId).catch(toProblem)
      try {
        const views = await deps.viewReports.streamDays(projectId)
        const lines = createInterface({ input: views, crlfDelay: Number.POSITIVE_INFINITY })
        const compressed = createGzip()
        const stalled = setTimeout(
          () => compressed.destroy(new Error('the recipient of an export stopped reading')),
          maxFileSeconds * 1000,
        )
        const beforeFile = async () => {
          stalled.refresh()
          await recheckAccess() // a caller who loses access in the meantime does not get the rest
        }
        const archive = Readable.from(writeArchive(deps, projectId, endLines(lines), beforeFile), {
          objectMode: false,
        })
        // A recipient that disconnects, or a failure, ends all of them.
        pipeline(archive, compressed, () => {
          clearTimeout(stalled)
          views.destroy()
          exports.release(projectId)
        })
        return createResponse(200, compressed as Readable, {
          'content-type': 'application/gzip',
          'content-disposition': `attachment; filename="${projectId}.tar.gz"`,
          'cache-control': 'no-store',
        })
      } catch (error) {
        exports.release(projectId)
        throw error
      }
    },
  })
}

async function* endLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\r\n`
}

async function* writeArchive(
  deps: ExportProjectDeps,
  projectId: Id<'prj'>,
  viewLines: AsyncIterable<string>,
  beforeFile: () => Promise<void>,
): AsyncGenerator<Buffer> {
  for await (const { name, content } of readProjectArchive(deps, projectId, viewLines)) {
    await beforeFile()
    yield tarFile(`${projectId}/${name}`, content, new Date())
  }
  yield tarEnd
}

function toProblem(error: unknown): never {
  if (!(error instanceof SemaphoreFullError)) throw error
  throw new Problem('rate_limited', 'The project is being exported already, or too many others are. Try again later.', {
    headers: { 'retry-after': '60' },
  })
}

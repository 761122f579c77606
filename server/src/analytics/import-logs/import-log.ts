/** Imports one log file into the buffer. Every line counts once, however often it is imported. */
import type { ClientDetector } from '../classify/client-detector.ts'
import { classifyRequests } from '../collect/classify-requests.ts'
import type { SourceActivityRecorder } from '../collect/source-activity-recorder.ts'
import type { PostgresViewBuffer } from '../collect/view-buffer.ts'
import type { ParseLogLine } from '../log-formats/parse-log-line.ts'
import type { AnalyticsSite } from '../settings/analytics-settings-store.ts'
import { type DeliverChunk, type ImportSummary, importInChunks, type LogFile } from './import-in-chunks.ts'
import type { ImportRun, ImportStore } from './import-store.ts'

export interface ImportDeps {
  runs: ImportStore
  append: PostgresViewBuffer['append']
  recordOutcome: SourceActivityRecorder['record']
  site: AnalyticsSite
  clientDetector: ClientDetector
}

/** Calls `onProgress` after every chunk. */
export function importLog(
  file: LogFile,
  readLine: ParseLogLine,
  { runs, append, recordOutcome, site, clientDetector }: ImportDeps,
  onProgress?: (imported: ImportSummary) => void,
): Promise<ImportSummary> {
  const deliver: DeliverChunk<ImportRun> = async ({ id, requests, run }) => {
    const rule = { site, clientDetector, source: 'servers', importId: run.id } as const
    const { views, dropped, examples } = classifyRequests(requests, rule)
    const outcome = await append({
      projectId: site.projectId,
      source: 'servers',
      countsHumans: site.settings.humanSource === 'servers',
      deliveryId: { text: `import ${id}`, retention: 'forever' },
      views,
    })
    run.views += views.length
    if (outcome !== 'repeated')
      recordOutcome({ projectId: site.projectId, source: 'logs', counted: views.length, dropped, examples })
    return { outcome, counted: views.length, dropped }
  }
  return importInChunks(file, readLine, { runs, deliver }, onProgress)
}

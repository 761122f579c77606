/** A view on its way from an endpoint into the buffer, and from there, as a line of text, into ClickHouse. */
import type { Id } from '../../platform/ids.ts'
import type { ClassifiedView, CountingSource } from '../classify/classify-request.ts'

export interface View
  extends Pick<ClassifiedView, 'path' | 'class' | 'client' | 'userAgent' | 'surface' | 'acceptsMarkdown'> {
  projectId: Id<'prj'>
  at: Date
  ruleVersion: string
  source: CountingSource
  /** Empty if the view was not imported. */
  importId: string
  /** 1, or more if an import has only sums. */
  views: number
}

/** The columns of `page_view` in the order of the values in a line. ClickHouse fills in `block_id`. */
export const viewColumns = [
  'project_id',
  'at',
  'path',
  'class',
  'client',
  'user_agent',
  'surface',
  'accepts_markdown',
  'rule_version',
  'source',
  'import_id',
  'views',
] as const

/** The ClickHouse format that `encodeView` writes. */
export const viewInsertFormat = 'JSONCompactEachRow'

export const encodeView = (view: View): string =>
  `${JSON.stringify([
    view.projectId,
    (view.at.getTime() / 1000).toFixed(3),
    view.path,
    view.class,
    view.client,
    view.userAgent,
    view.surface,
    view.acceptsMarkdown,
    view.ruleVersion,
    view.source,
    view.importId,
    view.views,
  ])}\n`

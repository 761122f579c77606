/** A view as it travels: from an endpoint into the buffer, from there as a line of text into ClickHouse. */
import type { Id } from '../../platform/ids.ts'
import type { CountingSource, SeenView } from '../classify/classify.ts'

export interface View
  extends Pick<SeenView, 'path' | 'class' | 'client' | 'userAgent' | 'surface' | 'acceptsMarkdown'> {
  projectId: Id<'prj'>
  at: Date
  ruleVersion: string
  source: CountingSource
  /** Empty: not imported. */
  importId: string
  /** One, or more where an import knows only sums. */
  views: number
}

/** The columns of `page_view` in the order of a line; `block_id` is filled in by ClickHouse. */
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

/** The format of ClickHouse that `encodeView` writes. */
export const viewFormat = 'JSONCompactEachRow'

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

/** A view as it travels: from an endpoint into the buffer, from there as a line of text into ClickHouse. */
import type { Id } from '../../platform/ids.ts'
import type { SeenView, Witness } from '../classify/classify.ts'
import type { Verification } from '../classify/readers.ts'

export interface View extends Pick<SeenView, 'path' | 'class' | 'agent' | 'userAgent' | 'surface' | 'asksForMarkdown'> {
  projectId: Id<'prj'>
  at: Date
  verification: Verification['kind']
  ruleVersion: string
  source: Witness
  /** Empty: not imported. */
  importId: string
  /** One, or more where an import knows only sums. */
  views: number
}

/** The columns of `page_view` in the order of a line; `load_id` is filled in by ClickHouse. */
export const viewColumns = [
  'project_id',
  'at',
  'path',
  'class',
  'agent',
  'user_agent',
  'surface',
  'asks_for_markdown',
  'verification',
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
    view.agent,
    view.userAgent,
    view.surface,
    view.asksForMarkdown,
    view.verification,
    view.ruleVersion,
    view.source,
    view.importId,
    view.views,
  ])}\n`

/** Which clients count as AI: all that read for a model, or only assistants that read for a user. */
import type { ClientClass } from '../classify/client-class.ts'

export type AiScope = 'all' | 'assistants'

const classesByScope: Record<AiScope, readonly ClientClass[]> = {
  all: ['assistant', 'ai-search', 'ai-training'],
  assistants: ['assistant'],
}

/** SQL for the AI views in a row of a table of sums, which has a column for each class. */
export const buildAiSumSql = (ai: AiScope) =>
  classesByScope[ai].map((clientClass) => clientClass.replace('-', '_')).join(' + ')

/** SQL for the columns `human` and `ai`, aggregated from the views themselves. */
export const buildHumanAndAiColumnsSql = (ai: AiScope) =>
  `sumIf(views, class = 'human') AS human, sumIf(views, class IN (${classesByScope[ai].map(quote).join(', ')})) AS ai`

const quote = (clientClass: ClientClass) => `'${clientClass}'`

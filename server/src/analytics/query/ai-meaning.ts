/** Whom `ai` means: everybody who reads for a model, or those alone who read for somebody who asked. */
import type { ClientClass } from '../classify/client-class.ts'

export type AiMeaning = 'all' | 'assistants'

const classesOf: Record<AiMeaning, readonly ClientClass[]> = {
  all: ['assistant', 'ai-search', 'ai-training'],
  assistants: ['assistant'],
}

/** Over the rows of a table of sums, which has a column for each class. */
export const summedAi = (ai: AiMeaning) => classesOf[ai].map((clientClass) => clientClass.replace('-', '_')).join(' + ')

/** Over views themselves: `human` and `ai`. */
export const humanAndAi = (ai: AiMeaning) =>
  `sumIf(views, class = 'human') AS human, sumIf(views, class IN (${classesOf[ai].map(quoted).join(', ')})) AS ai`

const quoted = (clientClass: ClientClass) => `'${clientClass}'`

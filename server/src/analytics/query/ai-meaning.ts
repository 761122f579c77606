/** Whom `ai` means: everybody who reads for a model, or those alone who read for somebody who asked. */
import type { ReaderClass } from '../classify/reader-class.ts'

export type AiMeaning = 'all' | 'assistants'

const classesOf: Record<AiMeaning, readonly ReaderClass[]> = {
  all: ['assistant', 'ai-search', 'ai-training'],
  assistants: ['assistant'],
}

/** Over the rows of a table of sums, which has a column for each class. */
export const summedAi = (ai: AiMeaning) => classesOf[ai].map((readerClass) => readerClass.replace('-', '_')).join(' + ')

/** Over views themselves: `human` and `ai`. */
export const humanAndAi = (ai: AiMeaning) =>
  `sumIf(views, class = 'human') AS human, sumIf(views, class IN (${classesOf[ai].map(quoted).join(', ')})) AS ai`

const quoted = (readerClass: ReaderClass) => `'${readerClass}'`

/** Who read a page. `ai` in an answer is the three in the middle, or the first of them alone. */
export const clientClasses = ['human', 'assistant', 'ai-search', 'ai-training', 'search', 'other-bot'] as const
export type ClientClass = (typeof clientClasses)[number]

/** The kinds of client. `ai` in a response is the sum of the three in the middle, or only the first of them. */
export const clientClasses = ['human', 'assistant', 'ai-search', 'ai-training', 'search', 'other-bot'] as const
export type ClientClass = (typeof clientClasses)[number]

import { anthropicMessages } from './anthropic-messages.ts'
import { openaiCompletions } from './openai-completions.ts'
import { openaiResponses } from './openai-responses.ts'
import type { ProviderAdapter } from './provider-adapter.ts'

export const providerAdapters: readonly ProviderAdapter[] = [anthropicMessages, openaiCompletions, openaiResponses]

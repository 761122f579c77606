import { anthropicMessagesAdapter } from './anthropic-messages.ts'
import { openaiCompletionsAdapter } from './openai-completions.ts'
import { openaiResponsesAdapter } from './openai-responses.ts'
import type { ProviderAdapter } from './provider-adapter.ts'

export const providerAdapters: readonly ProviderAdapter[] = [
  anthropicMessagesAdapter,
  openaiCompletionsAdapter,
  openaiResponsesAdapter,
]

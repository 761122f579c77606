import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { scripts } from './scripts.ts'

const names = ['default', ...scripts.keys()]

export function anthropicModels(): { data: Anthropic.ModelInfo[]; has_more: false; first_id: string; last_id: string } {
  const data = names.map(
    (name): Anthropic.ModelInfo => ({
      id: modelId(name),
      type: 'model',
      display_name: `Scripted: ${name}`,
      created_at: '1970-01-01T00:00:00Z', // the provider's value for an unknown date
      lifecycle: 'active',
      line: null,
      capabilities: null,
      deprecated_at: null,
      retires_at: null,
      max_input_tokens: null,
      max_tokens: null,
    }),
  )
  return { data, has_more: false, first_id: modelId(names.at(0)), last_id: modelId(names.at(-1)) }
}

export function openaiModels(): { object: 'list'; data: OpenAI.Model[] } {
  return {
    object: 'list',
    data: names.map((name) => ({ id: modelId(name), object: 'model', created: 0, owned_by: 'scripted' })),
  }
}

function modelId(name: string | undefined): string {
  return `scripted/${name}`
}

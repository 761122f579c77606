import type { AddModelData } from '@colophon/sdk'

type ModelInput = AddModelData['body']

export interface ProviderPreset {
  id: string
  label: string
  format: ModelInput['format']
  baseUrl: string
  /** Whether the provider requires an API key. */
  needsKey: boolean
  hint: string
}

/** Base URLs of providers. Models and prices are not listed, because they change too often. */
export const providerPresets: readonly ProviderPreset[] = [
  {
    id: 'anthropic',
    label: 'Anthropic',
    format: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    needsKey: true,
    hint: 'From the Anthropic Console.',
  },
  {
    id: 'openai',
    label: 'OpenAI',
    format: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    needsKey: true,
    hint: 'A project API key from the OpenAI Platform.',
  },
  {
    id: 'openrouter',
    label: 'OpenRouter',
    format: 'openai-completions',
    baseUrl: 'https://openrouter.ai/api/v1',
    needsKey: true,
    hint: 'From openrouter.ai. Write the model as vendor/model.',
  },
  {
    id: 'ollama',
    label: 'Ollama',
    format: 'openai-completions',
    baseUrl: 'http://localhost:11434/v1',
    needsKey: false,
    hint: 'Usually not required. An operator must allow the host in COLOPHON_EGRESS_ALLOWED_MODEL_HOSTS.',
  },
  {
    id: 'vllm',
    label: 'vLLM',
    format: 'openai-completions',
    baseUrl: 'http://localhost:8000/v1',
    needsKey: false,
    hint: 'Usually not required. An operator must allow the host in COLOPHON_EGRESS_ALLOWED_MODEL_HOSTS.',
  },
  {
    id: 'other',
    label: 'Other',
    format: 'openai-completions',
    baseUrl: '',
    needsKey: false,
    hint: 'If the provider requires one.',
  },
]

export const modelFormatLabels: Readonly<Record<ModelInput['format'], string>> = {
  'anthropic-messages': 'Anthropic Messages',
  'openai-responses': 'OpenAI Responses',
  'openai-completions': 'OpenAI Chat Completions',
}

/** Derives the name that jobs use, without the characters that a name cannot have. */
export const toModelName = (providerModel: string): string =>
  providerModel
    .trim()
    .replace(/[^A-Za-z0-9._:/-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100)

export interface ModelFormValues {
  preset: string
  format: ModelInput['format']
  baseUrl: string
  providerModel: string
  /** Empty to use the name of the provider. */
  name: string
  key: string
  contextWindowTokens: number | string
  maxOutputTokens: number | string
  prices: Record<keyof ModelInput['prices'], number | string>
  isDefault: boolean
}

export const createModelFormValues = (isFirst: boolean): ModelFormValues => ({
  preset: 'anthropic',
  format: 'anthropic-messages',
  baseUrl: 'https://api.anthropic.com/v1',
  providerModel: '',
  name: '',
  key: '',
  contextWindowTokens: 200_000,
  maxOutputTokens: 32_000,
  prices: { input: '', output: '', cacheRead: '', cacheWrite: '' },
  isDefault: isFirst,
})

const numberOrNull = (typed: number | string): number | null => (typed === '' ? null : Number(typed))

/** Returns undefined while the form is incomplete. */
export function toModelInput(form: ModelFormValues): ModelInput | undefined {
  const name = toModelName(form.name || form.providerModel)
  const contextWindowTokens = Number(form.contextWindowTokens)
  const maxOutputTokens = Number(form.maxOutputTokens)
  const isComplete = name && form.providerModel.trim() && URL.canParse(form.baseUrl)
  if (!isComplete || !(contextWindowTokens >= 1) || !(maxOutputTokens >= 1)) return undefined
  const { input, output, cacheRead, cacheWrite } = form.prices
  return {
    name,
    format: form.format,
    baseUrl: form.baseUrl.trim(),
    providerModel: form.providerModel.trim(),
    contextWindowTokens,
    maxOutputTokens,
    projectIds: null,
    isDefault: form.isDefault,
    prices: {
      input: numberOrNull(input),
      output: numberOrNull(output),
      cacheRead: numberOrNull(cacheRead),
      cacheWrite: numberOrNull(cacheWrite),
    },
    key: form.key.trim() || null,
  }
}

import type { AddModelData } from '@colophon/sdk'

type TypedModel = AddModelData['body']

export interface ModelPreset {
  id: string
  label: string
  format: TypedModel['format']
  baseUrl: string
  /** Whether its provider wants a key. */
  wantsKey: boolean
  hint: string
}

/** Where providers answer. What they sell, and for how much, changes too often to be known here. */
export const modelPresets: readonly ModelPreset[] = [
  {
    id: 'anthropic',
    label: 'Anthropic',
    format: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    wantsKey: true,
    hint: 'The model as Anthropic calls it, and a key of its console.',
  },
  {
    id: 'openai',
    label: 'OpenAI',
    format: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    wantsKey: true,
    hint: 'The model as OpenAI calls it, and a project key of its platform.',
  },
  {
    id: 'openrouter',
    label: 'OpenRouter',
    format: 'openai-completions',
    baseUrl: 'https://openrouter.ai/api/v1',
    wantsKey: true,
    hint: 'The model with its vendor, like vendor/model.',
  },
  {
    id: 'ollama',
    label: 'Ollama',
    format: 'openai-completions',
    baseUrl: 'http://localhost:11434/v1',
    wantsKey: false,
    hint: 'The operator has to allow its address: COLOPHON_EGRESS_ALLOWED_HOSTS.',
  },
  {
    id: 'vllm',
    label: 'vLLM',
    format: 'openai-completions',
    baseUrl: 'http://localhost:8000/v1',
    wantsKey: false,
    hint: 'The operator has to allow its address: COLOPHON_EGRESS_ALLOWED_HOSTS.',
  },
  {
    id: 'other',
    label: 'Other',
    format: 'openai-completions',
    baseUrl: '',
    wantsKey: false,
    hint: 'Anything that speaks one of the three formats.',
  },
]

export const formatNames: Readonly<Record<TypedModel['format'], string>> = {
  'anthropic-messages': 'Anthropic messages',
  'openai-responses': 'OpenAI responses',
  'openai-completions': 'OpenAI chat completions',
}

/** As jobs will call it: what a name may not have is left out. */
export const nameFor = (providerModel: string): string =>
  providerModel
    .trim()
    .replace(/[^A-Za-z0-9._:/-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100)

export interface ModelForm {
  preset: string
  format: TypedModel['format']
  baseUrl: string
  providerModel: string
  /** Empty: as its provider calls it. */
  name: string
  key: string
  contextWindowTokens: number | string
  maxOutputTokens: number | string
  prices: Record<keyof TypedModel['prices'], number | string>
  isDefault: boolean
}

export const emptyForm = (isFirst: boolean): ModelForm => ({
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

/** Undefined: something is missing. */
export function readForm(form: ModelForm): TypedModel | undefined {
  const name = nameFor(form.name || form.providerModel)
  const contextWindowTokens = Number(form.contextWindowTokens)
  const maxOutputTokens = Number(form.maxOutputTokens)
  const isWhole = name && form.providerModel.trim() && URL.canParse(form.baseUrl)
  if (!isWhole || !(contextWindowTokens >= 1) || !(maxOutputTokens >= 1)) return undefined
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

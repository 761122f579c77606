/** The scripted model as a model of an instance: prompts with scripts, and the calls that reached it. */
import type { Model } from '../../server/src/models/model.ts'
import type { LoggedModelCall } from '../simulators/model/call-log.ts'
import type { Script } from '../simulators/model/script.ts'
import type { Colophon } from './colophon.ts'

/** In US dollars per million tokens. The prices differ widely, so that a mix-up shows in the cost. */
export const pricesPerMillionTokens = { input: 3, output: 15, cacheRead: 0.5, cacheWrite: 7 }

interface ScriptedModel extends Pick<Model, 'name' | 'format'> {
  /** The script for prompts that contain none. */
  script?: string
  isDefault?: boolean
  /** The provider's API key. */
  key?: string
}

export const addScriptedModel = (
  { addModel, addresses }: Pick<Colophon, 'addModel' | 'addresses'>,
  { name, format, script, isDefault = false, key = 'key' }: ScriptedModel,
): Promise<void> =>
  addModel(
    {
      name,
      format,
      isDefault,
      baseUrl: `${addresses.modelUrl}/v1`,
      providerModel: script === undefined ? name : `scripted/${script}`,
      maxOutputTokens: 32_000,
      prices: {
        input: String(pricesPerMillionTokens.input),
        output: String(pricesPerMillionTokens.output),
        cacheRead: String(pricesPerMillionTokens.cacheRead),
        cacheWrite: String(pricesPerMillionTokens.cacheWrite),
      },
    },
    key,
  )

/** The calls that reached the model provider. */
export const listModelCalls = async (
  { addresses }: Pick<Colophon, 'addresses'>,
  since = 0,
): Promise<LoggedModelCall[]> =>
  (await (await fetch(`${addresses.modelUrl}/calls?since=${since}`)).json()) as LoggedModelCall[]

/** A prompt with the script that the model follows. */
export const promptWithScript = (instruction: string, script: Script): string =>
  `${instruction}\n\n\`\`\`script\n${JSON.stringify(script)}\n\`\`\`\n`

/** The last reply of an agent that changed something. */
export const formatFinalAgentReply = (title: string, summary: string): string =>
  `Done.\n\n<pull-request>\n<title>${title}</title>\n<summary>\n${summary}\n</summary>\n</pull-request>`

import { type Conversation, countResponsesSinceInstruction, lastInstruction } from './conversation.ts'
import { defaultScript } from './default-script.ts'
import { parseScript } from './parse-script.ts'
import type { Script, Step } from './script.ts'
import { scripts } from './scripts.ts'

type ChosenStep = { script: string; index: number; step: Step }

/**
 * Chooses the step from the request alone: the position in the script follows from the conversation, so a restart or another
 * replica makes no difference. A new instruction starts a new script.
 */
export function chooseStep(conversation: Conversation): ChosenStep {
  const { name, script } = chooseScript(conversation)
  const index = countResponsesSinceInstruction(conversation)
  return { script: name, index, step: replaceMissingTools(stepAt(script, index), conversation.toolsOffered) }
}

function chooseScript(conversation: Conversation): { name: string; script: Script } {
  const instruction = lastInstruction(conversation)
  const inline = /^[ \t]*```script[ \t]*\r?\n(.*?)^[ \t]*```/ms.exec(instruction)?.[1]
  if (inline !== undefined) return { name: 'inline', script: parseScript(inline) }

  const inPrompt = /^[ \t]*script:[ \t]*(\S+)[ \t]*$/m.exec(instruction)?.[1]
  const inModel = /^scripted\/(.+)$/.exec(conversation.model)?.[1]
  const name = [inPrompt, inModel].find((name) => name !== undefined && (name === 'default' || scripts.has(name)))
  const script = name === undefined ? undefined : scripts.get(name)
  return name !== undefined && script ? { name, script } : { name: 'default', script: defaultScript(conversation) }
}

function stepAt(script: Script, index: number): Step {
  const last = script.at(-1)
  const step = script[index] ?? (last?.endless ? last : undefined)
  return step ?? { say: `The script has ended: it has ${script.length} steps, and this is call ${index + 1}.` }
}

/** A real model calls only tools that the request offers. */
function replaceMissingTools(step: Step, toolsOffered: string[]): Step {
  if (!('call' in step)) return step
  const missing = step.call.map((call) => call.tool).filter((tool) => !toolsOffered.includes(tool))
  if (missing.length === 0) return step
  return {
    say: `The script calls ${missing.join(', ')}; this request offers ${toolsOffered.join(', ') || 'no tools'}.`,
  }
}

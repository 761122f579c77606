import { type Conversation, lastInstruction, responsesSinceInstruction } from './conversation.ts'
import { newcomer } from './newcomer.ts'
import { parseScript } from './parse-script.ts'
import type { Script, Step } from './script.ts'
import { scripts } from './scripts.ts'

type ChosenStep = { script: string; index: number; step: Step }

/**
 * A function of the request alone: the conversation itself says how far the script has come, so a restart in the
 * middle, or another replica, changes nothing. A new instruction starts a script of its own.
 */
export function chooseStep(conversation: Conversation): ChosenStep {
  const { name, script } = chooseScript(conversation)
  const index = responsesSinceInstruction(conversation)
  return { script: name, index, step: playable(stepAt(script, index), conversation.toolsOffered) }
}

function chooseScript(conversation: Conversation): { name: string; script: Script } {
  const instruction = lastInstruction(conversation)
  const inline = /^[ \t]*```script[ \t]*\r?\n(.*?)^[ \t]*```/ms.exec(instruction)?.[1]
  if (inline !== undefined) return { name: 'inline', script: parseScript(inline) }

  const inPrompt = /^[ \t]*script:[ \t]*(\S+)[ \t]*$/m.exec(instruction)?.[1]
  const inModel = /^scripted\/(.+)$/.exec(conversation.model)?.[1]
  const name = [inPrompt, inModel].find((name) => name !== undefined && (name === 'newcomer' || scripts.has(name)))
  const script = name === undefined ? undefined : scripts.get(name)
  return name !== undefined && script ? { name, script } : { name: 'newcomer', script: newcomer(conversation) }
}

function stepAt(script: Script, index: number): Step {
  const last = script.at(-1)
  const step = script[index] ?? (last?.endless ? last : undefined)
  return step ?? { say: `The script is over: it has ${script.length} steps, and this is call ${index + 1}.` }
}

/** A vendor's model calls only what it was offered. */
function playable(step: Step, toolsOffered: string[]): Step {
  if (!('call' in step)) return step
  const missing = step.call.map((call) => call.tool).filter((tool) => !toolsOffered.includes(tool))
  if (missing.length === 0) return step
  return {
    say: `The script calls ${missing.join(', ')}; this request offers ${toolsOffered.join(', ') || 'no tools'}.`,
  }
}

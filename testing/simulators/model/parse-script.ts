import { isNonNegativeInteger, isObject, type JsonObject } from './json.ts'
import type { Script, Step } from './script.ts'
import { ProviderError } from './wire-format.ts'

/** The response is in memory several times while it is sent. */
const maxResponseBytes = 64 * 1024 * 1024
const maxWaitMs = 3_600_000

/** Parses a script in a prompt. Strict, so that a proof with a typing error does not pass. */
export function parseScript(text: string): Script {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ProviderError(400, `The script is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (!Array.isArray(value) || value.length === 0) throw new ProviderError(400, 'The script is not a list of steps.')
  for (const [index, step] of value.entries()) {
    const problem = stepError(step, index === value.length - 1)
    if (problem) throw new ProviderError(400, `Step ${index} of the script: ${problem}`)
  }
  return value as Step[]
}

function stepError(step: unknown, isLast: boolean): string | undefined {
  if (!isObject(step)) return 'not an object'
  return (
    unknownKeyError(step, ['say', 'call', 'sayBytes', 'refuse', 'usage', 'withoutUsage', 'fault', 'endless']) ??
    contentError(step) ??
    (step.usage === undefined ? undefined : usageError(step.usage)) ??
    (step.withoutUsage === undefined || step.withoutUsage === true ? undefined : '"withoutUsage" must be true') ??
    (step.fault === undefined ? undefined : faultError(step.fault)) ??
    (step.endless === undefined || (step.endless === true && isLast)
      ? undefined
      : '"endless" must be true, and is allowed only in the last step')
  )
}

function contentError(step: JsonObject): string | undefined {
  const fields = ['say', 'call', 'sayBytes', 'refuse'].filter((key) => step[key] !== undefined).join()
  switch (fields) {
    case 'say':
      return isText(step.say) ? undefined : '"say" must be a non-empty text'
    case 'refuse':
      return isText(step.refuse) ? undefined : '"refuse" must be a non-empty text'
    case 'sayBytes':
      return isBetween(step.sayBytes, 1, maxResponseBytes) ? undefined : `"sayBytes" must be 1 to ${maxResponseBytes}`
    case 'say,call':
      return isText(step.say) ? callsError(step.call) : '"say" must be a non-empty text'
    case 'call':
      return callsError(step.call)
    default:
      return 'exactly one of "say", "call" (optionally with "say"), "sayBytes" and "refuse" is required'
  }
}

function callsError(calls: unknown): string | undefined {
  if (!Array.isArray(calls) || calls.length === 0) return '"call" must be a list of tool calls'
  for (const call of calls) {
    if (!isObject(call) || !isText(call.tool)) return 'a call must have a "tool"'
    const problem = unknownKeyError(call, ['tool', 'arguments', 'malformedArguments'])
    if (problem) return problem
    const isWellFormed = isObject(call.arguments) && call.malformedArguments === undefined
    const isMalformed = isText(call.malformedArguments) && call.arguments === undefined
    if (!isWellFormed && !isMalformed)
      return 'a call must have "arguments" (an object) or "malformedArguments" (a text)'
  }
  return undefined
}

function usageError(usage: unknown): string | undefined {
  if (!isObject(usage)) return '"usage" must be an object'
  const problem = unknownKeyError(usage, ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens'])
  return (
    problem ??
    (Object.values(usage).every(isNonNegativeInteger) ? undefined : 'the fields of "usage" must be whole numbers')
  )
}

function faultError(fault: unknown): string | undefined {
  if (!isObject(fault)) return '"fault" must be an object'
  if (fault.times !== undefined && !isNonNegativeInteger(fault.times)) return '"times" must be a whole number'
  const isValidWait = isBetween(fault.milliseconds, 0, maxWaitMs)
  const waitError = `"milliseconds" must be 0 to ${maxWaitMs}`
  switch (fault.kind) {
    case 'status':
      if (![401, 429, 500, 529].includes(Number(fault.status))) return '"status" must be 401, 429, 500 or 529'
      if (fault.retryAfterSeconds !== undefined && !isNonNegativeInteger(fault.retryAfterSeconds))
        return '"retryAfterSeconds" must be a whole number'
      return unknownKeyError(fault, ['kind', 'times', 'status', 'retryAfterSeconds'])
    case 'cut':
      if (!isNonNegativeInteger(fault.afterChunks)) return '"afterChunks" must be a whole number'
      return unknownKeyError(fault, ['kind', 'times', 'afterChunks'])
    case 'silence':
      if (!isNonNegativeInteger(fault.afterChunks)) return '"afterChunks" must be a whole number'
      return isValidWait ? unknownKeyError(fault, ['kind', 'times', 'afterChunks', 'milliseconds']) : waitError
    case 'drip':
      return isValidWait ? unknownKeyError(fault, ['kind', 'times', 'milliseconds']) : waitError
    default:
      return 'the kind of a fault must be "status", "cut", "silence" or "drip"'
  }
}

function unknownKeyError(value: JsonObject, known: string[]): string | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  return unknown === undefined ? undefined : `"${unknown}" is unknown (expected: ${known.join(', ')})`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return isNonNegativeInteger(value) && value >= min && value <= max
}

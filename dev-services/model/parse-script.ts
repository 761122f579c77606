import { isCount, isObject, type JsonObject } from './json.ts'
import type { Script, Step } from './script.ts'
import { VendorError } from './wire.ts'

/** The answer is held in memory several times while it is sent. */
const largestResponseBytes = 64 * 1024 * 1024
const maxWaitMs = 3_600_000

/** Reads the JSON of a script that was written into a prompt. Strict: a proof with a typing error must not pass. */
export function parseScript(text: string): Script {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new VendorError(400, `the script is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (!Array.isArray(value) || value.length === 0) throw new VendorError(400, 'the script is not a list of steps')
  for (const [index, step] of value.entries()) {
    const complaint = complaintAbout(step, index === value.length - 1)
    if (complaint) throw new VendorError(400, `script, step ${index}: ${complaint}`)
  }
  return value as Step[]
}

function complaintAbout(step: unknown, isLast: boolean): string | undefined {
  if (!isObject(step)) return 'not an object'
  return (
    unknownKey(step, ['say', 'call', 'sayBytes', 'refuse', 'usage', 'fault', 'endless']) ??
    responseComplaint(step) ??
    (step.usage === undefined ? undefined : usageComplaint(step.usage)) ??
    (step.fault === undefined ? undefined : faultComplaint(step.fault)) ??
    (step.endless === undefined || (step.endless === true && isLast)
      ? undefined
      : '"endless" is true, and only at the last step')
  )
}

function responseComplaint(step: JsonObject): string | undefined {
  const given = ['say', 'call', 'sayBytes', 'refuse'].filter((key) => step[key] !== undefined).join()
  switch (given) {
    case 'say':
      return isText(step.say) ? undefined : '"say" is a text'
    case 'refuse':
      return isText(step.refuse) ? undefined : '"refuse" is a text'
    case 'sayBytes':
      return isBetween(step.sayBytes, 1, largestResponseBytes)
        ? undefined
        : `"sayBytes" is 1 to ${largestResponseBytes}`
    case 'say,call':
      return isText(step.say) ? callsComplaint(step.call) : '"say" is a text'
    case 'call':
      return callsComplaint(step.call)
    default:
      return 'one of "say", "call" (with "say" or without), "sayBytes" and "refuse" is needed'
  }
}

function callsComplaint(calls: unknown): string | undefined {
  if (!Array.isArray(calls) || calls.length === 0) return '"call" is a list of tool calls'
  for (const call of calls) {
    if (!isObject(call) || !isText(call.tool)) return 'a call has a "tool"'
    const complaint = unknownKey(call, ['tool', 'arguments', 'malformedArguments'])
    if (complaint) return complaint
    const isWellFormed = isObject(call.arguments) && call.malformedArguments === undefined
    const isMalformed = isText(call.malformedArguments) && call.arguments === undefined
    if (!isWellFormed && !isMalformed) return 'a call has "arguments" (an object) or "malformedArguments" (a text)'
  }
  return undefined
}

function usageComplaint(usage: unknown): string | undefined {
  if (!isObject(usage)) return '"usage" is an object'
  const complaint = unknownKey(usage, ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens'])
  return complaint ?? (Object.values(usage).every(isCount) ? undefined : 'usage is counted in whole numbers')
}

function faultComplaint(fault: unknown): string | undefined {
  if (!isObject(fault)) return '"fault" is an object'
  if (fault.times !== undefined && !isCount(fault.times)) return '"times" is a whole number'
  const isWait = isBetween(fault.milliseconds, 0, maxWaitMs)
  const waitComplaint = `"milliseconds" is 0 to ${maxWaitMs}`
  switch (fault.kind) {
    case 'status':
      if (![401, 429, 500, 529].includes(Number(fault.status))) return '"status" is 401, 429, 500 or 529'
      if (fault.retryAfterSeconds !== undefined && !isCount(fault.retryAfterSeconds))
        return '"retryAfterSeconds" is a whole number'
      return unknownKey(fault, ['kind', 'times', 'status', 'retryAfterSeconds'])
    case 'cut':
      if (!isCount(fault.afterChunks)) return '"afterChunks" is a whole number'
      return unknownKey(fault, ['kind', 'times', 'afterChunks'])
    case 'silence':
      if (!isCount(fault.afterChunks)) return '"afterChunks" is a whole number'
      return isWait ? unknownKey(fault, ['kind', 'times', 'afterChunks', 'milliseconds']) : waitComplaint
    case 'drip':
      return isWait ? unknownKey(fault, ['kind', 'times', 'milliseconds']) : waitComplaint
    default:
      return 'the kind of fault is "status", "cut", "silence" or "drip"'
  }
}

function unknownKey(value: JsonObject, known: string[]): string | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  return unknown === undefined ? undefined : `"${unknown}" is not known here (known: ${known.join(', ')})`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return isCount(value) && value >= least && value <= most
}

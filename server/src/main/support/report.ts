import { maskText } from './mask-text.ts'

/** A part of the bundle, as JSON. */
export type Report = Record<string, unknown>

/** Says why a part could not be read, so that the rest is not lost. */
export interface NotRead {
  notRead: string
}

export const isNotRead = (report: unknown): report is NotRead =>
  typeof report === 'object' && report !== null && 'notRead' in report

export async function readOrExplain<Value>(read: () => Promise<Value>): Promise<Value | NotRead> {
  try {
    return await read()
  } catch (error) {
    const { code } = error as { code?: unknown }
    const reason = maskText(error instanceof Error ? error.message : String(error))
    return { notRead: typeof code === 'string' || typeof code === 'number' ? `${code}: ${reason}` : reason }
  }
}

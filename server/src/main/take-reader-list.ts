/** `admin ai-readers …`: a newer list of AI readers, looked at before it is taken. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { compareReaderLists, describeDifference } from '../analytics/classify/compare-reader-lists.ts'
import {
  parseReaderList,
  type ReaderList,
  ReaderListError,
  readerListFile,
  readReaderList,
} from '../analytics/classify/reader-list.ts'
import { UsageError } from './usage-error.ts'

/** What the newer list would change, a line each. A list with mistakes is refused. */
export function compareReaderList(file: string): { list: ReaderList; difference: string[] } {
  const list = readNewer(file)
  return { list, difference: describeDifference(compareReaderLists(readReaderList(), list)) }
}

/** The processes read it when they start. Beside the old one first, so that no half of a list is ever there. */
export function takeReaderList(list: ReaderList): void {
  const beside = `${readerListFile}.new`
  try {
    writeFileSync(beside, `${JSON.stringify(list, null, 2)}\n`)
    renameSync(beside, readerListFile)
  } catch (error) {
    throw new UsageError(
      `The list cannot be put in place: ${(error as Error).message}.\nTake it in a checkout, and build the image from that.`,
    )
  }
}

function readNewer(file: string): ReaderList {
  try {
    return parseReaderList(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof ReaderListError) throw new UsageError(error.message)
    throw new UsageError(`--file cannot be read: ${(error as Error).message}`)
  }
}

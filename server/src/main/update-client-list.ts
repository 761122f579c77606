/** `admin ai-readers …`: a newer list of AI readers, looked at before it is taken. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import {
  type ClientList,
  ClientListError,
  clientListFile,
  parseClientList,
  readClientList,
} from '../analytics/classify/client-list.ts'
import { compareClientLists, describeDifference } from '../analytics/classify/compare-client-lists.ts'
import { UsageError } from './usage-error.ts'

/** What the newer list would change, a line each. A list with mistakes is refused. */
export function compareClientList(file: string): { list: ClientList; difference: string[] } {
  const list = readNewer(file)
  return { list, difference: describeDifference(compareClientLists(readClientList(), list)) }
}

/** The processes read it when they start. Beside the old one first, so that no half of a list is ever there. */
export function updateClientList(list: ClientList): void {
  const beside = `${clientListFile}.new`
  try {
    writeFileSync(beside, `${JSON.stringify(list, null, 2)}\n`)
    renameSync(beside, clientListFile)
  } catch (error) {
    throw new UsageError(
      `The list cannot be put in place: ${(error as Error).message}.\nTake it in a checkout, and build the image from that.`,
    )
  }
}

function readNewer(file: string): ClientList {
  try {
    return parseClientList(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof ClientListError) throw new UsageError(error.message)
    throw new UsageError(`--file cannot be read: ${(error as Error).message}`)
  }
}

/** `admin client-list …`: compares a newer client list with the current one, and replaces it. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import {
  type ClientList,
  ClientListError,
  clientListFile,
  parseClientList,
  readClientList,
} from '../../analytics/classify/client-list.ts'
import { compareClientLists, formatClientListDifference } from '../../analytics/classify/compare-client-lists.ts'
import { UsageError } from '../usage-error.ts'

/** Returns the changes in the newer list, one per line. Rejects a list with errors. */
export function readClientListUpdate(file: string): { list: ClientList; difference: string[] } {
  const list = readNewerList(file)
  return { list, difference: formatClientListDifference(compareClientLists(readClientList(), list)) }
}

/** Processes read the list at startup. It is written to a new file and renamed, so that an incomplete list never exists. */
export function updateClientList(list: ClientList): void {
  const newFile = `${clientListFile}.new`
  try {
    writeFileSync(newFile, `${JSON.stringify(list, null, 2)}\n`)
    renameSync(newFile, clientListFile)
  } catch (error) {
    throw new UsageError(
      `Cannot write the client list: ${(error as Error).message}.\nRun this command in a checkout, and build the image from it.`,
    )
  }
}

function readNewerList(file: string): ClientList {
  try {
    return parseClientList(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof ClientListError) throw new UsageError(error.message)
    throw new UsageError(`Cannot read --file: ${(error as Error).message}.`)
  }
}
